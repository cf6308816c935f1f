"""The example experiment stands on the shipped suite: its scenarios exist and can be passed as it plays them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from company_lab.agents.protocol import Agent
from company_lab.cli.modelling import agent_given
from company_lab.cli.run import command
from company_lab.company import company
from company_lab.probing.rehearse import rehearse
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


def test_its_scenarios_can_be_passed_with_its_tools_and_within_its_limits(
    experiment: ModuleType, tmp_path: Path
) -> None:
    suite = load_suite(experiment.write_suite(tmp_path, experiment.SCENARIOS), lambda name: company.spec)
    assert {scenario.id for scenario in suite.scenarios} == set(experiment.SCENARIOS)
    for scenario in suite.scenarios:
        reference = next(iter(rehearse(scenario, company)))
        assert reference.as_declared, reference
        used = {step.tool for turn in scenario.reference for step in turn.do}
        assert used <= set(experiment.TOOLS)


@pytest.mark.parametrize("agent", ["base", "sparrow", "letters", "better"])
def test_its_agents_are_offered_exactly_its_tools(experiment: ModuleType, agent: str, tmp_path: Path) -> None:
    suite = experiment.write_suite(tmp_path, experiment.SCENARIOS)
    words = experiment.words(agent, SMALL, "http://127.0.0.1:1", "http://127.0.0.1:2")
    given = command.make_context("run", [str(suite), *words]).params
    made = agent_given(given["agent"], given)
    assert isinstance(made, Agent)
    (scenario, *_) = load_suite(suite, lambda name: company.spec).scenarios
    assert made.for_scenario(scenario).kind == "real_model"
    assert made.settings["tool"] == list(experiment.TOOLS)
