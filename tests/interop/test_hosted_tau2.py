from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("loguru", reason="tau2 is not installed (make test-hosting)")
pytest.importorskip("tau2.domains.airline.environment", reason="tau2 is not installed (make test-hosting)")

from company_lab.agents.functions import function_agent
from company_lab.episodes.play import play
from company_lab.evaluation import judge
from company_lab.interop.hosting.tau2 import host
from company_lab.interop.hosting.tau2_domain import domain_named
from company_lab.runs import cast

pytestmark = pytest.mark.timeout(300)


def idle(task: Any, session: Any) -> str:
    return "OK."


def passing(name: str, agent: Any) -> list[str]:
    passed = []
    for casting in cast(host.suite(name).scenarios, agent=None if agent is None else function_agent(agent)):
        trace = play(casting.fixture, casting.agent).trace
        if judge(casting.scenario, casting.world.spec, trace).passed:
            passed.append(casting.scenario.id)
    return passed


@pytest.mark.parametrize(("name", "tasks"), [("airline", 50), ("retail", 114), ("telecom", 114)])
def test_every_reference_passes(name: str, tasks: int) -> None:
    assert len(passing(name, None)) == tasks


@pytest.mark.fault("A03")
def test_doing_nothing_passes_what_only_asks_for_an_unchanged_database() -> None:
    """The tasks whose reference changes no record and must tell nothing, and no others."""
    for name in ("airline", "retail", "telecom"):
        domain = domain_named(name)
        bare = [
            id
            for id, task in domain.tasks.items()
            if "ENV_ASSERTION" not in domain.basis(id)
            and not domain.unlike(id, domain.open(id))
            and not task.evaluation_criteria.communicate_info
        ]
        assert passing(name, idle) == bare
        assert bool(bare) == (name != "telecom")


def test_a_wrong_write_fails_by_the_database_and_shows_in_the_trace() -> None:
    scenario = next(one for one in host.suite("airline").scenarios if one.id == "task_0")

    def act(task: Any, session: Any) -> str:
        user = next(iter(domain_named("airline").open("task_0").tools.db.reservations))
        session.call("airline.cancel_reservation", reservation_id=user)
        return "Cancelled."

    (casting,) = cast([scenario], agent=function_agent(act))
    trace = play(casting.fixture, casting.agent).trace
    verdict = judge(casting.scenario, casting.world.spec, trace)
    assert "expected.database" in {one.check for one in verdict.failures}
    assert {change["table"] for change in trace.records[-1]["changes"]} == {"reservations"}


def test_the_user_has_tools_where_the_domain_gives_some() -> None:
    tools = host.world("telecom").tools
    assert "user.toggle_roaming" in tools
    assert not any(name.startswith("user.") for name in host.world("airline").tools)


def test_an_environment_is_made_again_from_the_trace() -> None:
    scenario = host.suite("telecom").scenarios[0]

    def forgets(task: Any, session: Any) -> str:
        for turn in scenario.reference:
            for step in turn.do:
                session.attempt(step.tool, dict(step.args))
                session._live.kept.clear()
        return "Done."

    (casting,) = cast([scenario], agent=function_agent(forgets))
    assert judge(casting.scenario, casting.world.spec, play(casting.fixture, casting.agent).trace).passed
