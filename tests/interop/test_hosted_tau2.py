from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO, StringIO
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

pytest.importorskip("loguru", reason="tau2 is not installed (make test-hosting)")
pytest.importorskip("tau2.domains.airline.environment", reason="tau2 is not installed (make test-hosting)")

from company_lab.agents.functions import function_agent
from company_lab.episodes.play import play
from company_lab.evaluation import judge
from company_lab.interop.hosting.tau2 import host, scenarios_of
from company_lab.interop.hosting.tau2_domain import Tau2Domain, domain_named
from company_lab.interop.hosting.world import UNSIMULATED_USER
from company_lab.library import run
from company_lab.reports.markdown import write_markdown
from company_lab.reports.terminal import report_of
from company_lab.reports.timeline import render
from company_lab.runs import cast

pytestmark = pytest.mark.timeout(300)


def idle(task: Any, session: Any) -> str:
    return "OK."


def verdict_of(scenario: Any, agent: Any) -> Any:
    (casting,) = cast([scenario], agent=function_agent(agent))
    return judge(scenario, casting.world.spec, play(casting.fixture, casting.agent).trace)


@pytest.fixture
def airline() -> Iterator[Tau2Domain]:
    """The domain, to whose tasks a test may give other criteria; afterwards they are as they were."""
    domain = domain_named("airline")
    kept = {id: task.evaluation_criteria for id, task in domain.tasks.items()}
    for task in domain.tasks.values():
        task.evaluation_criteria = task.evaluation_criteria.model_copy()
    domain._targets.clear()
    yield domain
    for id, criteria in kept.items():
        domain.tasks[id].evaluation_criteria = criteria
    domain._targets.clear()


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


@pytest.mark.parametrize(("task", "outcome"), [("task_0", "unscored"), ("task_2", "failed")])
def test_what_a_model_decides_there_is_undecided_unless_another_part_fails(
    airline: Tau2Domain, task: str, outcome: str
) -> None:
    """Task 0 is right to leave alone; in task 2 a certificate has to be sent."""
    from tau2.data_model.tasks import RewardType

    airline.tasks[task].evaluation_criteria.reward_basis = [RewardType.DB, RewardType.NL_ASSERTION]
    scenario = next(one for one in scenarios_of("airline") if one.id == task)
    verdict = verdict_of(scenario, idle)
    assert verdict.outcome == outcome
    assert [note.check for note in verdict.unscored] == ["expected.asserted_in_words"]


def test_records_that_a_task_brings_along_are_there_from_the_start() -> None:
    """One task of mock begins with a second piece of work, which its tools can change like any other."""

    def agent(task: Any, session: Any) -> str:
        return str(session.call("mock.update_task_status", task_id="task_2", status="completed"))

    scenario = next(one for one in host.suite("mock").scenarios if one.id == "task_5")
    (casting,) = cast([scenario], agent=function_agent(agent))
    settled = next(play(casting.fixture, casting.agent).trace.by_kind("settled"))
    assert settled["changes"] == [
        {"table": "tasks", "id": "task_2", "op": "update", "fields": {"status": ["pending", "completed"]}}
    ]


def test_what_a_task_did_beforehand_stands_in_the_records() -> None:
    """Telecom puts the user's phone into airplane mode first; what is then changed is that it leaves it."""

    def agent(task: Any, session: Any) -> str:
        return str(session.call("user.toggle_airplane_mode"))

    (casting,) = cast(host.suite("telecom").scenarios[:1], agent=function_agent(agent))
    settled = next(play(casting.fixture, casting.agent).trace.by_kind("settled"))
    (phone,) = [one for one in settled["changes"] if one["table"] == "user_device"]
    assert phone["fields"]["airplane_mode"] == [True, False]


def test_nothing_asserted_in_words_needs_no_model(airline: Tau2Domain) -> None:
    from tau2.data_model.tasks import RewardType

    criteria = airline.tasks["task_0"].evaluation_criteria
    criteria.reward_basis, criteria.nl_assertions = [RewardType.DB, RewardType.NL_ASSERTION], []
    assert verdict_of(next(iter(scenarios_of("airline"))), idle).passed


def test_a_part_of_a_reward_that_is_not_known_here_is_undecided(airline: Tau2Domain) -> None:
    """Such as one that a later version of tau2 has."""
    criteria = airline.tasks["task_0"].evaluation_criteria
    criteria.reward_basis = [*criteria.reward_basis, SimpleNamespace(value="POLITENESS")]
    verdict = verdict_of(next(iter(scenarios_of("airline"))), idle)
    assert (verdict.outcome, [note.check for note in verdict.unscored]) == (
        "unscored",
        ["expected.other_components"],
    )


def test_a_check_that_breaks_decides_nothing(airline: Tau2Domain, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = next(iter(host.suite("airline").scenarios))

    def broken(self: Tau2Domain, task: str, environment: Any) -> bool:
        raise KeyError("a record that is gone")

    monkeypatch.setattr(Tau2Domain, "database", broken)
    verdict = verdict_of(scenario, idle)
    assert (verdict.outcome, [note.check for note in verdict.unscored]) == (
        "unscored",
        ["expected.database"],
    )


def test_the_four_tasks_that_later_data_leave_alone_make_it_twenty_three(airline: Tau2Domain) -> None:
    """What is told elsewhere of doing nothing: there the references of these tasks write nothing."""
    writing = ("send_certificate", "cancel_reservation")
    for id in ("task_2", "task_9", "task_27", "task_38"):
        criteria = airline.tasks[id].evaluation_criteria
        criteria.actions = [one for one in criteria.actions if one.name not in writing]
    assert len(passing("airline", idle)) == 23


def test_whoever_reads_a_verdict_is_told_that_nobody_played_the_user() -> None:
    scenario = next(iter(host.suite("airline").scenarios))
    (casting,) = cast([scenario], agent=function_agent(idle))
    trace = play(casting.fixture, casting.agent).trace
    console = Console(width=200, record=True, file=StringIO())
    console.print(render(scenario, casting.world.spec, trace, judge(scenario, casting.world.spec, trace)))
    assert UNSIMULATED_USER in console.export_text()
    with run("tau2:mock", agent=idle) as played:
        assert played.plan.caveat == UNSIMULATED_USER
        console.print(report_of(played.store, played.id))
        assert UNSIMULATED_USER in console.export_text()
        write_markdown(played.store, played.id, page := BytesIO())
        assert UNSIMULATED_USER in page.getvalue().decode()


@pytest.mark.parametrize("amount", ["inf", "-inf", "nan", "1e999"])
def test_an_amount_that_json_has_no_word_for_is_the_agents_doing(amount: str) -> None:
    """Its tools read such a text as a number and keep it; no outage comes of it, but another database."""

    def generous(task: Any, session: Any) -> str:
        session.call("airline.send_certificate", user_id="mia_li_3668", amount=amount)
        return "Sent."

    scenario = next(one for one in host.suite("airline").scenarios if one.id == "task_0")
    (casting,) = cast([scenario], agent=function_agent(generous))
    trace = play(casting.fixture, casting.agent).trace
    verdict = judge(casting.scenario, casting.world.spec, trace)
    assert verdict.outcome == "failed"
    assert str(float(amount)) in str(trace.records[-1]["changes"])
