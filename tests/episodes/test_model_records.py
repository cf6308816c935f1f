"""What a session records of requests to models, here and from an agent in a process of its own."""

from __future__ import annotations

from typing import Any

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Session, Task
from company_lab.episodes import play
from company_lab.formats.errors import WrongUse
from company_lab.traces import Trace
from depot import scenario, world
from isolation import isolated


def asks(task: Task, session: Session) -> str:
    session.asked(role="agent", model="m", attempt=1, error={"message": "busy", "status": 503})
    session.asked(role="agent", model="m", attempt=2, answer={"text": "hi"})
    session.usage(
        input_tokens=10, cached_tokens=4, output_tokens=2, cost_usd="0.5", basis="estimated", model="m"
    )
    return "done"


def here(act: Any) -> Trace:
    return play(world.prepare(scenario()), function_agent(act, name="tests:agent")).trace


@pytest.mark.parametrize("where", ["here", "isolated"])
def test_every_request_is_a_record_with_its_try_and_usage_says_what_a_cost_rests_on(where: str) -> None:
    trace = here(asks) if where == "here" else isolated(asks).trace
    failed, answered = trace.by_kind("model")
    assert (failed["attempt"], failed["error"], failed["answer"]) == (
        1,
        {"message": "busy", "status": 503},
        None,
    )
    assert (answered["attempt"], answered["error"], answered["answer"]) == (2, None, {"text": "hi"})
    (usage,) = trace.by_kind("usage")
    assert (usage["cached_tokens"], usage["basis"], usage["cost_usd"]) == (4, "estimated", "0.5")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"input_tokens": 3, "cached_tokens": 4}, "cached_tokens are part of input_tokens"),
        ({"cached_tokens": 4}, "cached_tokens are part of input_tokens"),
        ({"cost_usd": "1", "basis": "guessed"}, "observed or estimated"),
        ({"basis": "observed"}, "an unknown cost has no basis"),
    ],
)
def test_usage_that_makes_no_sense_is_refused(given: dict[str, Any], said: str) -> None:
    def act(task: Task, session: Session) -> str:
        with pytest.raises(WrongUse, match=said):
            session.usage(**given)
        return "done"

    trace = here(act)
    assert trace.stop == "finished"
    assert not list(trace.by_kind("usage"))


def test_what_a_model_answers_counts_for_the_limit_on_output() -> None:
    def act(task: Task, session: Session) -> str:
        while True:
            session.asked(role="agent", model="m", answer="x" * 100_000)

    assert here(act).stop == "output_limit"
