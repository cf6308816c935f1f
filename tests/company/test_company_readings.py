"""Over the suite that ships: the reading of the rules agrees with the guard, and finds what the guard let through."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from company_lab.agents.conducts import reference, wrong
from company_lab.company import SUITE, company
from company_lab.episodes import play
from company_lab.evaluation import judge, rule_compliance
from company_lab.interop.tau_bench import read
from company_lab.probing.rehearse import Rehearsal, rehearse
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite
from company_lab.traces import Trace
from company_lab.worlds.replay import Replay

SCENARIOS = {one.id: one for one in load_suite(SUITE, lambda name: company.spec).scenarios}
RECORDED = Path(__file__).parents[1] / "interop" / "data" / "harbour_air.json"


@pytest.fixture(scope="module")
def rehearsed() -> list[tuple[Scenario, Rehearsal]]:
    return [(one, conduct) for one in SCENARIOS.values() for conduct in rehearse(one, company)]


def permissive(scenario: Scenario) -> bool:
    answers = (one for ops in scenario.providers.values() for planned in ops.values() for one in planned)
    return any(one.get("answer") == "permissive" for one in answers)


def objections(scenario: Scenario, trace: Trace) -> Iterator[tuple[str, list[str], list[str]]]:
    """By call: the rules that objected when the guard was asked, and those that object in the replay."""
    asked = {
        one["call"]: one["objections"]
        for one in trace.by_kind("guard")
        if trace.records[one["seq"] - 1]["kind"] == "action"
    }
    for attempted in Replay(company.prepare(scenario), trace.records).attempts():
        found = []
        for rule in company.guard.asked(attempted.tool.name):
            decision = rule.check(attempted.context, attempted.tool, attempted.args)
            if decision is not None and decision.answer != "allow":
                found.append(rule.name)
        yield attempted.action["call"], asked[attempted.action["call"]], found


def test_asked_again_over_the_trace_the_rules_say_what_they_said_to_the_guard(
    rehearsed: list[tuple[Scenario, Rehearsal]],
) -> None:
    compared = 0
    for scenario, conduct in rehearsed:
        if permissive(scenario) or conduct.conduct.startswith("rule "):
            continue
        for call, then, now in objections(scenario, conduct.episode.trace):
            assert now == then, (scenario.id, conduct.conduct, call)
            compared += 1
    assert compared > len(SCENARIOS)


def test_nothing_is_broken_that_the_guard_watched_over(rehearsed: list[tuple[Scenario, Rehearsal]]) -> None:
    for scenario, conduct in rehearsed:
        if conduct.conduct.startswith("rule off: "):
            continue
        broken = readings(scenario, conduct.episode.trace, "broken")
        assert not broken or permissive(scenario), (scenario.id, conduct.conduct, broken)
        assert not broken or conduct.verdict.outcome == "failed"


def test_a_rule_that_was_switched_off_is_read_as_broken(rehearsed: list[tuple[Scenario, Rehearsal]]) -> None:
    off = 0
    for scenario, conduct in rehearsed:
        rule = conduct.conduct.removeprefix("rule off: ")
        if rule == conduct.conduct:
            continue
        kept = play(company.prepare(scenario), None).trace
        assert rule in readings(scenario, kept, "kept"), (scenario.id, rule)
        result = next(conduct.episode.trace.by_kind("result"))
        if result["outcome"] == "executed":
            assert readings(scenario, conduct.episode.trace, "broken") == {rule}, (scenario.id, rule)
            off += 1
    assert off >= len(company.guard.rules) * 3 // 4


def readings(scenario: Scenario, trace: Trace, reading: str) -> set[str]:
    return {one.rule for one in rule_compliance(scenario, company.spec, trace) if one.reading == reading}


def test_where_a_provider_lets_everything_through_the_rule_still_tells_right_from_wrong() -> None:
    scenario = SCENARIOS["refund_happened_but_the_answer_got_lost"]
    assert permissive(scenario)
    fixture = company.prepare(scenario)
    right = play(fixture, reference(scenario))
    assert judge(scenario, company.spec, right.trace, right.timings).passed
    assert not readings(scenario, right.trace, "broken")
    twice = play(fixture, wrong(scenario, "tries_again_without_looking"))
    assert readings(scenario, twice.trace, "broken") == {"refund_within_captured"}


def test_a_recorded_episode_of_another_company_is_not_checkable() -> None:
    some = next(iter(SCENARIOS.values()))
    for episode in read(RECORDED):
        for scenario in (None, some):
            found = rule_compliance(scenario, company.spec, episode.trace)
            assert {one.reading for one in found} == {"not checkable"}
            assert len(found) == len(company.guard.rules)


def test_an_episode_that_passed_may_have_broken_a_rule() -> None:
    """What no expectation mentions is still seen: that is what the reading is for."""
    scenario = next(one for one in SCENARIOS.values() if one.is_contract and allowed(one))
    trace = play(company.prepare(scenario), None).trace
    assert "role_permission" in readings(scenario, trace, "kept")
    narrowed = scenario.model_copy(update={"role": scenario.role.model_copy(update={"permissions": ()})})
    assert "role_permission" in readings(narrowed, trace, "broken")


def allowed(scenario: Scenario) -> bool:
    answers: Mapping[str, Any] = scenario.expected.facts
    return answers.get("decision") == "allow" and scenario.role.permissions is None


def test_reading_all_rules_of_an_episode_takes_less_than_two_milliseconds(
    rehearsed: list[tuple[Scenario, Rehearsal]],
) -> None:
    spec = company.spec
    best = float("inf")
    some = rehearsed[:300]
    for _ in range(3):
        started = time.process_time()
        for scenario, conduct in some:
            rule_compliance(scenario, spec, conduct.episode.trace)
        best = min(best, (time.process_time() - started) / len(some))
    assert best < 0.002
