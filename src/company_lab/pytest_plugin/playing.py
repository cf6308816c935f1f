"""Playing one trial as a test: judged like any episode, told in the failure, stored where that was asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Agent
from company_lab.agents.resolve import resolve_agent
from company_lab.evaluation.summaries import EpisodeSummary, summarise
from company_lab.formats.canonical import Json, canonical
from company_lab.formats.errors import CompanyLabError
from company_lab.pytest_plugin import AGENT
from company_lab.pytest_plugin.settings import seed_of, store_of
from company_lab.pytest_plugin.storing import StoredRuns
from company_lab.pytest_plugin.telling import failure_text
from company_lab.runs.casting import Casting, cast
from company_lab.runs.plan import Cell
from company_lab.runs.playing import Todo, play_cell

if TYPE_CHECKING:
    from company_lab.scenarios.model import Scenario

RESULT: pytest.StashKey[str] = pytest.StashKey()
"""What came of a trial, as JSON in ASCII, which any process can be told."""
CRITICAL: pytest.StashKey[bool] = pytest.StashKey()
_STAGE: pytest.StashKey[Stage] = pytest.StashKey()


class Stage:
    """What the trials of a process share: prepared scenarios, and the store."""

    def __init__(self, config: pytest.Config) -> None:
        self._castings: dict[tuple[str, bool], Casting] = {}
        path = store_of(config)
        self.stored = None if path is None else StoredRuns(path, config)

    def casting(self, scenario: Scenario, agent: Agent | None) -> Casting:
        """The scenario, prepared once, with this agent in it."""
        key = (scenario.digest, agent is None)
        found = self._castings.get(key)
        if found is None:
            (found,) = cast([scenario], agent=agent)
            self._castings[key] = found
        elif agent is not None:  # another one, where a fixture gives several
            return replace(found, agent=agent.for_scenario(scenario))
        return found

    def close(self) -> None:
        """Give back the store."""
        if self.stored is not None:
            self.stored.close()


def stage_of(config: pytest.Config) -> Stage:
    """The stage of this process, made when its first trial begins."""
    if _STAGE not in config.stash:
        stage = config.stash[_STAGE] = Stage(config)
        config.add_cleanup(stage.close)
    return config.stash[_STAGE]


def play_trial(request: pytest.FixtureRequest, scenario: Scenario, given: object, trial: int) -> None:
    """Play and judge one trial. Fails the test unless the episode passed."""
    stage = stage_of(request.config)
    seed = seed_of(request.config)
    try:
        agent = _agent(given)
        casting = stage.casting(scenario, agent)
        run = None if stage.stored is None else stage.stored.begin(request.session, agent, seed)
        episode = play_cell(casting, Todo(Cell(scenario.id, trial)), seed=seed)
        if stage.stored is not None and run is not None:
            stage.stored.add(run, episode)
    except CompanyLabError as error:
        pytest.fail(str(error), pytrace=False)
    summary = summarise(episode.trace, episode.verdict)
    request.node.stash[RESULT] = canonical(_result(summary))
    request.node.stash[CRITICAL] = any(one.failure_class for one in episode.verdict.failures)
    if summary.outcome != "passed":
        text = failure_text(scenario, casting.world.spec, episode.trace, episode.verdict)
        pytest.fail(text, pytrace=False)


def _agent(given: object) -> Agent | None:
    """None plays references and sends requests to the guard, which only the word for it asks for."""
    if isinstance(given, Agent):
        return given
    if isinstance(given, str):
        return None if given == "reference" else resolve_agent(given)
    if callable(given):
        return function_agent(given)
    found = type(given).__name__
    pytest.fail(
        f"the fixture {AGENT} gave a {found}; expected a function of (task, session), an Agent or a name",
        pytrace=False,
    )


def _result(summary: EpisodeSummary) -> dict[str, Json]:
    return {
        "outcome": summary.outcome,
        "stop": summary.stop,
        "layer": summary.layer,
        "evidence": summary.evidence,
        "trajectory": summary.trajectory,
        "error": summary.error,
        "recovered": summary.recovered,
        "failures": [replace(one, found=None, expected=None).to_json() for one in summary.failures],
    }
