from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pandas", reason="tau2's own evaluators want pandas (make test-hosting)")
pytest.importorskip("loguru", reason="tau2 is not installed (make test-hosting)")
pytest.importorskip("tau2.domains.airline.environment", reason="tau2 is not installed (make test-hosting)")

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import ToolError
from company_lab.episodes.play import play
from company_lab.evaluation import judge
from company_lab.interop.hosting.tau2 import host
from company_lab.interop.hosting.tau2_domain import domain_named
from company_lab.runs import cast
from company_lab.scenarios.model import Scenario, Step
from tau2_original import rewarded

pytestmark = pytest.mark.timeout(600)
EVERY = {"airline": 10, "retail": 30, "telecom": 30}
"""Of the tasks of a domain, as its own evaluators build several environments for each verdict."""


def manners(scenario: Scenario) -> Iterator[tuple[str, list[Step], str]]:
    steps = [step for turn in scenario.reference for step in turn.do]
    reply = scenario.reference[0].reply or ""
    yield "reference", steps, reply
    yield "nothing", [], "OK."
    yield "half", steps[: len(steps) // 2], reply
    yield "says nothing of it", steps, "Done."
    yield "twice", steps + steps, reply


@pytest.mark.parametrize("name", EVERY)
def test_its_own_evaluators_say_the_same_of_good_and_bad_work(name: str) -> None:
    domain = domain_named(name)
    outcomes = set()
    for casting in cast(host.suite(name).scenarios[:: EVERY[name]], agent=None):
        scenario = casting.scenario
        for manner, steps, reply in manners(scenario):

            def act(task: Any, session: Any, *, steps: list[Step] = steps, reply: str = reply) -> str:
                for step in steps:
                    try:
                        session.attempt(step.tool, dict(step.args))
                    except ToolError:
                        continue
                return reply

            trace = play(casting.fixture, function_agent(act)).trace
            here = judge(scenario, casting.world.spec, trace).passed
            assert here == rewarded(domain, scenario.id, trace.records), (scenario.id, manner)
            outcomes.add((manner, here))
    assert {("reference", True), ("half", False)} <= outcomes
