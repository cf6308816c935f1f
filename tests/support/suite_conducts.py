"""Every conduct of the shipped suite, and what came of playing one: what no adapter may change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from company_lab.agents.conducts import reference, wrong
from company_lab.agents.protocol import Agent
from company_lab.company import SUITE, company
from company_lab.episodes import play
from company_lab.evaluation import judge
from company_lab.scenarios.conduct import ConductTurn, Step
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite
from company_lab.worlds.fixture import Fixture


@dataclass(frozen=True, slots=True, eq=False)
class Conduct:
    """A way of working through a scenario, and the agent that plays it without any adapter."""

    scenario: Scenario
    id: str
    turns: Sequence[ConductTurn]
    plain: Agent


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of an episode. `play` and `judge` made it; two of them are compared."""

    outcome: str
    codes: tuple[str, ...]
    """The failure codes, sorted, each once."""
    attempts: tuple[Any, ...]
    """Tools, arguments, and the result of each attempt."""
    changes: Any
    """What is different in the world at the end."""

    @property
    def verdict(self) -> tuple[str, tuple[str, ...]]:
        """Outcome and codes."""
        return self.outcome, self.codes

    def unfinished(self) -> Seen:
        """The same of an episode that also came to no end: for adapters that take no empty reply."""
        codes = tuple(sorted({*self.codes, "not_finished"}))
        return replace(self, outcome="failed", codes=codes)


@cache
def suite_conducts() -> tuple[Conduct, ...]:
    """The references, the wrong conducts, and for each contract scenario that its request is carried out."""
    scenarios = load_suite(SUITE, lambda name: company.spec).scenarios
    return tuple(conduct for scenario in scenarios for conduct in _conducts(scenario))


def sample_of_classes(shift: int = 0) -> list[Conduct]:
    """One conduct of each failure class; another `shift` draws others."""
    classes: dict[str, list[Conduct]] = {}
    for conduct in suite_conducts():
        if conduct.scenario.failure_class is not None and not conduct.scenario.is_contract:
            classes.setdefault(conduct.scenario.failure_class, []).append(conduct)
    return [
        among[(number + shift) * 5 % len(among)] for number, among in enumerate(classes.values(), start=1)
    ]


def seen(conduct: Conduct, agent: Agent, fixture: Fixture) -> Seen:
    """Play and judge a conduct's scenario with this agent."""
    trace = play(fixture, agent.for_scenario(conduct.scenario)).trace
    verdict = judge(conduct.scenario, company.spec, trace)
    asked = [(record["tool"], record["args"]) for record in trace.by_kind("action")]
    came = [(one["outcome"], one["value"], one["error"]) for one in trace.by_kind("result")]
    return Seen(
        outcome=verdict.outcome,
        codes=tuple(sorted({failure.code for failure in verdict.failures})),
        attempts=(asked, came),
        changes=trace.records[-1]["changes"],
    )


def _conducts(scenario: Scenario) -> Iterator[Conduct]:
    if scenario.reference:
        yield Conduct(scenario, "reference", scenario.reference, reference(scenario))
    for one in scenario.wrong:
        if one.turns:
            yield Conduct(scenario, one.id, one.turns, wrong(scenario, one.id))
    if scenario.stimulus.request is not None:
        request = company.spec.requests[scenario.stimulus.request]
        step = Step(tool=request.tool, args=dict(request.args))
        turns = (ConductTurn(do=(step,), reply="That is what I could do."),)
        plain = reference(scenario.model_copy(update={"reference": turns}))
        yield Conduct(scenario, "request", turns, plain)
