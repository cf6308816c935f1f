"""Any callable of (task, session) is an agent, sync or async."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Agent, Session, Task
from company_lab.formats.errors import WrongUse
from depot import run


def plain(task: Task, session: Session) -> str:
    return f"P-1 weighs {session.call('depot.get', id='P-1')['weight']}"


async def waiting(task: Task, session: Session) -> str:
    return plain(task, session)


class Clerk:
    def __call__(self, task: Task, session: Session) -> str:
        return plain(task, session)

    def work(self, task: Task, session: Session) -> str:
        return plain(task, session)


class AsyncClerk:
    async def __call__(self, task: Task, session: Session) -> str:
        return plain(task, session)


def with_greeting(greeting: str, task: Task, session: Session) -> str:
    return plain(task, session)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (plain, "test_functions:plain"),
        (waiting, "test_functions:waiting"),
        (lambda task, session: plain(task, session), "test_functions:<lambda>"),
        (Clerk(), "test_functions:Clerk"),
        (Clerk().work, "test_functions:Clerk.work"),
        (AsyncClerk(), "test_functions:AsyncClerk"),
        (functools.partial(with_greeting, "hello"), "functools:partial"),
    ],
)
def test_callables_of_every_sort_play_and_have_a_name_that_stays(function: Any, name: str) -> None:
    agent = function_agent(function)
    assert agent.name == name
    trace = run(agent)
    assert next(trace.by_kind("reply"))["text"] == "P-1 weighs 5"
    assert "0x" not in trace.text()


def test_a_given_name_is_taken() -> None:
    assert function_agent(plain, name="my_agents:clerk").name == "my_agents:clerk"


@pytest.mark.parametrize("thing", ["plain", None, 3, Agent(name="a", kind="scripted", act=plain)])
def test_what_can_not_be_called_is_no_agent(thing: Any) -> None:
    with pytest.raises(WrongUse, match=r"can not be called as agent\(task, session\)"):
        function_agent(thing)
