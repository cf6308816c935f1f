"""The suite that ships: every conduct behaves as declared, and every rule is missed by somebody."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from company_lab.agents.conducts import reference
from company_lab.agents.hostile import hostile
from company_lab.agents.protocol import Agent, Session, Task, ToolError
from company_lab.company import SUITE, company
from company_lab.company.classes import CLASSES
from company_lab.episodes import Episode, play
from company_lab.evaluation import judge
from company_lab.probing.rehearse import rehearse
from company_lab.scenarios.json_schema import EDITOR_HEADER, scenario_schema
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite
from company_lab.worlds.guard import Rule

SCENARIOS = load_suite(SUITE, lambda name: company.spec).scenarios
CONTRACTS = [scenario for scenario in SCENARIOS if scenario.is_contract]
PLAYED = [scenario for scenario in SCENARIOS if not scenario.is_contract]
SCHEMA = SUITE / "company-lab.schema.json"


def named(scenario: Scenario) -> str:
    return scenario.id


@pytest.mark.parametrize("scenario", SCENARIOS, ids=named)
def test_every_conduct_behaves_as_declared(scenario: Scenario) -> None:
    rehearsals = list(rehearse(scenario, company))
    assert len(rehearsals) >= (2 if scenario.is_contract else 3)
    for rehearsal in rehearsals:
        codes = [f"{failure.code}: {failure.message}" for failure in rehearsal.verdict.failures]
        assert rehearsal.as_declared, (rehearsal.conduct, rehearsal.verdict.outcome, codes)


@pytest.mark.parametrize("behaviour", ["idle", "claims_success", "refuses"])
def test_hostile_agents_pass_nothing_that_asks_for_work(behaviour: str) -> None:
    agent = hostile(behaviour)
    passed = []
    for scenario in PLAYED:
        episode = play(company.prepare(scenario), agent)
        if judge(scenario, company.spec, episode.trace, episode.timings).outcome == "passed":
            passed.append(scenario.id)
    assert not passed


def test_doing_everything_twice_passes_only_where_the_second_time_changed_nothing() -> None:
    failed = 0
    for scenario in PLAYED:
        fixture = company.prepare(scenario)
        twice = play(fixture, hostile("twice"))
        if judge(scenario, company.spec, twice.trace, twice.timings).outcome == "failed":
            failed += 1
        else:
            once = play(fixture, reference(scenario))
            assert payloads(twice) == payloads(once)
    assert failed >= len(PLAYED) * 3 // 4


def payloads(episode: Episode) -> list[object]:
    ledgers = episode.trace.records[-1]["ledgers"].values()
    return [entry["payload"] for ledger in ledgers for entry in ledger]


def test_there_is_enough_to_do() -> None:
    assert len(PLAYED) >= 16
    assert all(len(scenario.wrong) >= 2 for scenario in PLAYED)
    families = Counter(scenario.family for scenario in PLAYED)
    assert None not in families
    assert all(number >= 2 for number in families.values())


def test_every_scenario_has_a_twin_or_is_a_variant_of_one_that_has() -> None:
    twins = {scenario.id for scenario in SCENARIOS if scenario.twin_of is not None}
    twins |= {scenario.twin_of for scenario in SCENARIOS if scenario.twin_of is not None}
    lonely = [scenario.id for scenario in (*CONTRACTS, *PLAYED) if scenario.id not in twins]
    variants = {scenario.id: scenario.variant for scenario in SCENARIOS if scenario.variant is not None}
    assert [id for id in lonely if variants.get(id) not in twins] == []


def test_every_scenario_is_of_a_class_that_is_described() -> None:
    described = {one.name for one in CLASSES}
    assert {scenario.failure_class for scenario in PLAYED} <= described
    assert {scenario.failure_class for scenario in CONTRACTS} <= {*described, None}


@pytest.mark.parametrize("rule", company.guard.rules, ids=lambda rule: rule.name)
def test_switching_a_rule_off_or_turning_it_into_a_refusal_is_noticed(rule: Rule) -> None:
    assert _noticed(off=rule.name), f"no contract fails without {rule.name}"
    assert _noticed(denying=rule.name), f"no contract fails when {rule.name} always refuses"


def _noticed(*, off: str | None = None, denying: str | None = None) -> bool:
    for scenario in CONTRACTS:
        episode = play(
            company.prepare(scenario),
            None,
            rules_off=frozenset({off} if off else ()),
            rules_denying=frozenset({denying} if denying else ()),
        )
        if judge(scenario, company.spec, episode.trace, episode.timings).outcome == "failed":
            return True
    return False


def test_the_schema_beside_the_suite_is_the_one_the_world_exports() -> None:
    exported = json.loads(json.dumps(scenario_schema(company.spec)))
    assert json.loads(SCHEMA.read_text("utf-8")) == exported, (
        "write it anew: company-lab schema --world company --output <suite>/company-lab.schema.json"
    )


def test_every_file_names_its_schema_for_editors() -> None:
    files = sorted(SUITE.rglob("*.yaml"))
    assert files
    for file in files:
        path = "../" * (len(file.relative_to(SUITE).parts) - 1) + SCHEMA.name
        assert file.read_text("utf-8").splitlines()[0] == EDITOR_HEADER.format(schema=path)


def test_the_same_conduct_leaves_the_same_bytes() -> None:
    for scenario in SCENARIOS:
        first, second = (next(rehearse(scenario, company)).episode.trace for _ in range(2))
        assert first.bytes() == second.bytes()


@pytest.mark.parametrize("scenario", PLAYED, ids=named)
def test_another_route_with_a_failed_look_up_passes(scenario: Scenario) -> None:
    planned = reference(scenario)

    detours: list[str] = []

    def act(task: Task, session: Session) -> object:
        if not detours:
            with pytest.raises(ToolError):
                session.call("approvals.get", id="AP-0")
            session.call("policies.contents")
            detours.append("looked around")
        return planned.act(task, session)

    episode = play(company.prepare(scenario), Agent(name="detour", kind="conduct", act=act))
    verdict = judge(scenario, company.spec, episode.trace, episode.timings)
    assert verdict.outcome == "passed", verdict.failures


@pytest.mark.parametrize("scenario", CONTRACTS, ids=named)
def test_an_agent_may_be_given_the_request_as_its_task(scenario: Scenario) -> None:
    request = company.requests[scenario.stimulus.request or ""]

    def tries(task: Task, session: Session) -> str:
        assert task.message == request.task
        try:
            session.attempt(request.tool, dict(request.args))
        except ToolError as error:
            return f"I could not do that: {error.reason}."
        return "That is done."

    verdicts = []
    for agent in (Agent(name="tries", kind="conduct", act=tries), hostile("claims_success")):
        episode = play(company.prepare(scenario), agent)
        verdicts.append(judge(scenario, company.spec, episode.trace, episode.timings))
    assert [verdict.outcome for verdict in verdicts] == ["passed", "failed"], verdicts[0].failures
