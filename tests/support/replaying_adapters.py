"""Every adapter with an agent that works through the turns of a conduct: what may not change a verdict.

`ADAPTERS[name]` opens whatever an adapter needs (a host of models, a folder for programs) and gives a function that
makes an agent of a conduct's turns.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from company_lab import declare
from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Agent, Session, Task, ToolError
from company_lab.episodes.programs import program_agent
from company_lab.scenarios.conduct import ConductTurn, Step
from framework_agents import FRAMEWORKS
from framework_agents import replaying as script_of
from program_runs import PROGRAMS, turns_document
from scripted_conducts import conduct_host

Turns = Sequence[ConductTurn]
Replayer = Callable[[Turns], Agent]
Opened = AbstractContextManager[Replayer]


def turn_of(turns: Turns, number: int) -> tuple[Sequence[Step], str]:
    """Steps and reply of a turn; a conduct that has come to its end does and says nothing."""
    if number > len(turns):
        return (), ""
    return turns[number - 1].do, turns[number - 1].reply or ""


def by_function(turns: Turns) -> Agent:
    """A plain function."""

    @declare(kind="scripted")
    def act(task: Task, session: Session) -> str:
        steps, reply = turn_of(turns, task.turn)
        for step in steps:
            try:
                session.call(step.tool, **step.args)
            except ToolError:
                continue
        return reply

    return function_agent(act, name="function")


def by_mcp_client(turns: Turns) -> Agent:
    """A function that hands the world to the SDK's own client, in this process."""

    @declare(kind="scripted")
    async def act(task: Task, session: Session) -> str:
        from mcp import Client

        from company_lab.agents.mcp_server import world_server

        steps, reply = turn_of(turns, task.turn)
        if steps:
            async with Client(world_server(task, session)) as client:
                names = {tool.title: tool.name for tool in (await client.list_tools()).tools}
                for step in steps:
                    await client.call_tool(names.get(step.tool, step.tool), dict(step.args))
        return reply

    return function_agent(act, name="mcp")


@contextmanager
def _as_it_is(replayer: Replayer) -> Iterator[Replayer]:
    yield replayer


@contextmanager
def _at_a_host(adapter: str, **options: Any) -> Iterator[Replayer]:
    with conduct_host() as host:
        yield partial(host.agent, adapter, **options)


@contextmanager
def _programs(program: str, speaks: str) -> Iterator[Replayer]:
    """Real processes, with a client of the standard library: started for each turn, those of lines for an episode."""
    numbers = count(1)
    with tempfile.TemporaryDirectory() as folder:

        def replayer(turns: Turns) -> Agent:
            path = Path(folder) / f"{next(numbers)}.json"
            path.write_text(json.dumps(turns_document(turns)), encoding="utf-8")
            # Without site-packages an interpreter starts in a few milliseconds.
            command = [sys.executable, "-I", "-S", str(PROGRAMS / program), str(path)]
            return program_agent(command, speaks=speaks, kind="scripted")

        yield replayer


def _in_framework(name: str) -> Replayer:
    made: Any = FRAMEWORKS[name]
    return lambda turns: made(script_of(turns)).agent


ADAPTERS: dict[str, Callable[[], Opened]] = {
    "function": partial(_as_it_is, by_function),
    **{name: partial(_as_it_is, _in_framework(name)) for name in FRAMEWORKS},
    "openai-chat": partial(_at_a_host, "openai-chat"),
    "openai-responses": partial(_at_a_host, "openai-responses"),
    "openai-chat, streamed": partial(_at_a_host, "openai-chat", stream=True),
    "openai-responses, streamed": partial(_at_a_host, "openai-responses", stream=True),
    "decision": partial(_at_a_host, "decision"),
    "mcp": partial(_as_it_is, by_mcp_client),
    "lines": partial(_programs, "lines.py", "lines"),
    "mcp-http": partial(_programs, "raw_mcp.py", "mcp-http"),
    "mcp-stdio": partial(_programs, "raw_mcp.py", "mcp-stdio"),
}
"""Adapters by name. The last three start programs."""
PROGRAM_ADAPTERS = ("lines", "mcp-http", "mcp-stdio")
