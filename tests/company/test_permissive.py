"""What a scenario says by its tags about what holds the wrong action back: `permissive` and `unguarded`."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from company_lab.agents.conducts import reference, wrong
from company_lab.agents.protocol import Agent
from company_lab.company import SUITE, company
from company_lab.company.classes import CLASSES
from company_lab.company.unguarded import UNGUARDED
from company_lab.episodes import play
from company_lab.evaluation import judge
from company_lab.scenarios.loader import load_document
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite

SCENARIOS = load_suite(SUITE, lambda name: company.spec).scenarios
PERMISSIVE = [one for one in SCENARIOS if "permissive" in one.tags]
OPEN = [one for one in SCENARIOS if "unguarded" in one.tags]


def named(scenario: Scenario) -> str:
    return scenario.id


def refusals(scenario: Scenario) -> dict[str, list[tuple[str, str]]]:
    """What the guard refuses or holds, by wrong conduct."""
    return {conduct.id: _refused(scenario, wrong(scenario, conduct.id)) for conduct in scenario.wrong}


def _refused(scenario: Scenario, agent: Agent) -> list[tuple[str, str]]:
    return [
        (str(record["tool"]), str(record["reason"]))
        for record in play(company.prepare(scenario), agent).trace.by_kind("guard")
        if record["decision"] != "allow"
    ]


def strict(scenario: Scenario) -> Scenario:
    """The same scenario with providers that refuse, switches that hold and limits as they usually are."""
    document: dict[str, Any] = copy.deepcopy(dict(scenario.document))
    kept: dict[str, Any] = {}
    for name, operations in document.pop("providers", {}).items():
        for operation, answers in operations.items():
            if given := [one for one in answers if one["answer"] != "permissive"]:
                kept.setdefault(name, {})[operation] = given
    document["providers"] = kept
    document["initial"].pop("limits", None)
    for records in document["initial"].values():
        for record in records.values() if isinstance(records, dict) else ():
            record.pop("enforced", None)
    return load_document(document, worlds=lambda name: company.spec)


@pytest.mark.fault("B13")
@pytest.mark.parametrize("scenario", PERMISSIVE, ids=named)
def test_a_permissive_scenario_lets_through_what_a_strict_one_refuses(scenario: Scenario) -> None:
    assert refusals(scenario) != refusals(strict(scenario))


@pytest.mark.parametrize("scenario", OPEN, ids=named)
def test_in_an_unguarded_scenario_judging_alone_notices_a_wrong_way(scenario: Scenario) -> None:
    on_the_right_way = _refused(scenario, reference(scenario))
    free = [id for id, refused in refusals(scenario).items() if set(refused) <= set(on_the_right_way)]
    outcomes = []
    for id in free:
        episode = play(company.prepare(scenario), wrong(scenario, id))
        outcomes.append(judge(scenario, company.spec, episode.trace, episode.timings).outcome)
    assert "failed" in outcomes


def test_a_scenario_is_one_or_the_other() -> None:
    assert not [one.id for one in PERMISSIVE if one in OPEN]
    assert {one.failure_class for one in OPEN} >= set(UNGUARDED)


def test_the_reasons_name_classes_of_the_suite() -> None:
    assert set(UNGUARDED) <= {one.name for one in CLASSES}
    assert {one.name for one in CLASSES if one.no_permissive} == set(UNGUARDED)
