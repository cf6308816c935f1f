from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agentdojo", reason="AgentDojo is not installed (extra: hosting)")

from agentdojo_original import Calls, conducts, original
from company_lab.agents.conducts import reference
from company_lab.agents.protocol import Agent, Session, Task, ToolError
from company_lab.episodes.play import Episode, play
from company_lab.evaluation import Verdict, judge
from company_lab.formats.errors import WrongUse
from company_lab.interop.hosting.agentdojo import host
from company_lab.interop.hosting.agentdojo_suite import Setting, Suite, suites
from company_lab.probing.audit import audit_suite
from company_lab.runs import cast
from company_lab.scenarios.suite import load_suite
from company_lab.worlds.registry import resolve_world

SOME = {"banking": 1, "slack": 3, "travel": 7, "workspace": 10}
"""Of each suite every so many-th task; `benchmarks/agentdojo_hosting.py --pairs` plays all of them."""

pytestmark = pytest.mark.timeout(180)


def scripted(suite: str, calls: Calls, reply: str) -> Agent:
    def act(task: Task, session: Session) -> str:
        for name, args in calls:
            try:
                session.attempt(f"{suite}.{name}", dict(args))
            except ToolError:
                continue
        return reply

    return Agent(name="scripted", kind="scripted", act=act)


def played(name: str, id: str, agent: Agent | None) -> tuple[Episode, Verdict]:
    world = host.world(name)
    scenario = next(one for one in host.suite(name).scenarios if one.id == id)
    episode = play(world.prepare(scenario), agent or reference(scenario))
    return episode, judge(scenario, world.spec, episode.trace, episode.timings)


def facts(episode: Episode) -> dict[str, Any]:
    found: dict[str, Any] = episode.trace.records[-1]["facts"]
    return found


@pytest.mark.parametrize("name", SOME)
def test_tasks_get_the_verdict_that_agentdojo_gives(name: str) -> None:
    suite: Suite = suites()[name]
    for task in list(suite.tasks)[:: SOME[name]]:
        for manner, (calls, reply) in conducts(*suite.ground_truth(Setting(task))).items():
            theirs, _ = original(suite, task, calls, reply)
            episode, verdict = played(name, task, scripted(name, calls, reply))
            assert (task, manner, facts(episode)["utility"]) == (task, manner, theirs)
            assert verdict.passed == theirs


def test_an_injection_that_is_carried_out_fails_critically() -> None:
    suite = suites()["banking"]
    setting = Setting("user_task_1", "injection_task_0", "direct")
    calls, reply = suite.ground_truth(Setting("injection_task_0"))
    theirs = original(
        suite, setting.task, calls, reply, against=setting.against, injections=suite.injections(setting)
    )
    episode, verdict = played(
        "banking@direct", "user_task_1__injection_task_0", scripted("banking", calls, reply)
    )
    assert (facts(episode)["utility"], facts(episode)["attack_succeeded"]) == theirs
    assert theirs[1]
    failure = next(one for one in verdict.failures if one.check == "expected.attack_succeeded")
    assert failure.severity == "critical"
    assert played("banking@direct", "user_task_1__injection_task_0", None)[1].passed


def test_goals_are_played_as_tasks_of_their_own() -> None:
    assert {one.id for one in host.suite("banking@goals").scenarios} == set(suites()["banking"].goals)
    assert played("banking@goals", "injection_task_0", None)[1].passed


@pytest.mark.fault("A03")
def test_the_tasks_that_doing_nothing_passes_are_found() -> None:
    report = audit_suite(load_suite("agentdojo:banking", _spec), resolve_world, only=["A1"], processes=1)
    assert [one.scenario for one in report.findings] == [f"user_task_{number}" for number in (5, 6, 8, 9, 10)]


def _spec(name: str) -> Any:
    return resolve_world(name).spec


def test_a_payment_made_twice_is_told_beside_the_verdict_and_never_instead() -> None:
    calls, reply = suites()["banking"].ground_truth(Setting("user_task_0"))
    _, once = played("banking", "user_task_0", scripted("banking", calls, reply))
    _, twice = played("banking", "user_task_0", scripted("banking", [*calls, calls[-1]], reply))
    assert once.passed
    assert not once.advisories
    assert twice.passed
    assert "action_count" in {failure.code for failure in twice.advisories}


def test_changes_of_the_environment_stand_in_the_trace() -> None:
    episode, _ = played("banking", "user_task_0", None)
    tables = {change["table"] for change in episode.trace.records[-1]["changes"]}
    assert "bank_account_transactions" in tables


def test_the_clock_stands_still_so_that_two_episodes_are_the_same_bytes() -> None:
    first, _ = played("workspace", "user_task_18", None)
    again, _ = played("workspace", "user_task_18", None)
    assert first.trace.bytes() == again.trace.bytes()


def test_what_the_tool_itself_refuses_is_a_failed_call_that_the_agent_is_told_of() -> None:
    told: list[str] = []

    def act(task: Task, session: Session) -> str:
        for args in ({"recipient": "X"}, "no object"):
            try:
                session.attempt("banking.send_money", args)
            except ToolError as error:
                told.append(error.code)
        return "Done."

    episode, verdict = played("banking", "user_task_0", Agent(name="careless", kind="scripted", act=act))
    assert told == ["failed", "bad_arguments"]
    assert not verdict.passed
    assert [record["outcome"] for record in episode.trace.by_kind("result")] == ["failed", "malformed"]


def test_agents_are_shown_the_schemas_of_agentdojo() -> None:
    suite = suites()["banking"]
    function = next(one for one in suite.foreign.tools if one.name == "send_money")
    shown = host.world("banking").tools["banking.send_money"].signature.json_schema()
    assert shown == function.parameters.model_json_schema()


def test_a_hosted_suite_is_cast_and_played_like_any_other() -> None:
    suite = load_suite("agentdojo:slack", _spec)
    castings = cast(suite.scenarios[:2], agent=None)
    verdicts = [judge(one.scenario, one.world.spec, play(one.fixture, one.agent).trace) for one in castings]
    assert [verdict.passed for verdict in verdicts] == [True, True]


@pytest.mark.parametrize("name", ["bankin", "banking@directt", "nowhere"])
def test_a_name_that_is_not_there_is_refused_with_the_nearest(name: str) -> None:
    with pytest.raises(WrongUse, match=r"AgentDojo has no (suite|attack)"):
        load_suite(Path(f"agentdojo:{name}"), _spec)


@pytest.mark.parametrize("amount", ["inf", "nan"])
def test_an_amount_that_json_has_no_word_for_is_the_agents_doing(amount: str) -> None:
    sent = {"recipient": "GB29NWBK60161331926819", "amount": amount, "subject": "-", "date": "2022-01-01"}
    episode, verdict = played("banking", "user_task_0", scripted("banking", [("send_money", sent)], "Sent."))
    assert verdict.outcome == "failed"
    assert amount in str(episode.trace.records[-1]["changes"])
