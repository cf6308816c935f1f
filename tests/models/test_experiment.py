"""The example experiment: its scenarios tell good work from bad, and its agents are offered exactly its tools."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from company_lab.agents.chat_offers import offers_of
from company_lab.agents.protocol import Agent
from company_lab.cli.modelling import agent_given
from company_lab.cli.run import command
from company_lab.company import company
from company_lab.probing.rehearse import rehearse
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite
from local_models.pins import SMALL

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "experiment.py"


@pytest.fixture(scope="module")
def experiment() -> ModuleType:
    spec = importlib.util.spec_from_file_location("experiment", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def scenarios(experiment: ModuleType) -> tuple[Scenario, ...]:
    return load_suite(experiment.FRONT_DESK / "scenarios", lambda name: company.spec).scenarios


def test_the_rule_by_which_its_scenarios_were_chosen_holds(
    experiment: ModuleType, scenarios: tuple[Scenario, ...]
) -> None:
    held_out = [scenario for scenario in scenarios if scenario.split == "held_out"]
    assert len(held_out) == 8
    assert sum(scenario.twin_of is not None for scenario in held_out) == 1
    for scenario in scenarios:
        (turn,) = scenario.reference
        assert len(turn.do) <= 2
        assert {step.tool for step in turn.do} <= {*experiment.ALIASES.values()}
        assert scenario.limits.turns == 1
    splits = [
        {scenario.stimulus.message for scenario in scenarios if scenario.split == split}
        for split in ("held_out", "development")
    ]
    assert splits[0].isdisjoint(splits[1])


def test_right_work_passes_and_every_wrong_conduct_fails_as_it_says(scenarios: tuple[Scenario, ...]) -> None:
    for scenario in scenarios:
        rehearsed = list(rehearse(scenario, company))
        assert len(rehearsed) == 2
        assert [one for one in rehearsed if not one.as_declared] == []


@pytest.mark.parametrize("agent", ["base", "decision", "letters"])
def test_its_agents_are_offered_exactly_its_tools(
    experiment: ModuleType, scenarios: tuple[Scenario, ...], agent: str
) -> None:
    words = experiment.words(agent, SMALL, "http://127.0.0.1:1", "http://127.0.0.1:2")
    given = command.make_context("run", [str(experiment.FRONT_DESK / "scenarios"), *words]).params
    made = agent_given(given["agent"], given)
    assert isinstance(made, Agent)
    # Criteria of something that is no option would be refused here.
    assert made.for_scenario(scenarios[0]).kind == "real_model"
    assert made.settings["tool"] == list(experiment.ALIASES.values())
    assert {*experiment.ALIASES.values()} <= {offer.name for offer in offers_of(scenarios[0])}
    assert ("criteria" in made.prompts) is (agent != "base")
