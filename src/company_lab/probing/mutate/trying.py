"""Trying: an agent on mutants and on their originals, and what changed between the two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from company_lab.agents.conducts import reference
from company_lab.agents.protocol import Agent
from company_lab.episodes import play
from company_lab.evaluation import judge
from company_lab.probing.mutate.deriving import Mutant
from company_lab.scenarios.model import Scenario
from company_lab.worlds.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of the trials of one scenario."""

    scenario: str
    trials: int
    passed: int
    outcomes: Mapping[str, int]
    """How many trials ended how."""
    codes: Mapping[str, int]
    """In how many trials a code was among the failures."""
    evidence: str
    """What the episodes are evidence of, as their traces say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """An agent on a mutant, beside the same agent on its original."""

    mutant: Mutant
    before: Tried
    after: Tried

    @property
    def reading(self) -> str:
        """In one word or two; a few trials say nothing about how often."""
        whole_before, whole_after = (one.passed == one.trials for one in (self.before, self.after))
        if whole_before and whole_after:
            return "holds"
        if whole_before:
            return "breaks"
        return "fails already" if self.before.passed == 0 and self.after.passed == 0 else "wavers"


def try_agent(
    agent: Agent | None,
    mutants: Iterable[Mutant],
    originals: Mapping[str, Scenario],
    worlds: Callable[[str], World],
    *,
    trials: int = 1,
    seed: int = 0,
) -> Iterator[Changed]:
    """Play an agent on every mutant and, once each, on their originals. Nothing is stored.

    Without an agent references play, and requests go to the guard.
    """
    known: dict[str, Tried] = {}
    for mutant in mutants:
        original = originals[mutant.origin]
        world = worlds(original.world)
        if mutant.origin not in known:
            known[mutant.origin] = _tried(agent, original, world, trials, seed)
        after = _tried(agent, mutant.scenario, world, trials, seed)
        yield Changed(mutant=mutant, before=known[mutant.origin], after=after)


def _tried(agent: Agent | None, scenario: Scenario, world: World, trials: int, seed: int) -> Tried:
    fixture = world.prepare(scenario)
    if agent is not None:
        bound: Agent | None = agent.for_scenario(scenario)
    else:
        bound = None if scenario.is_contract else reference(scenario)
    outcomes: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    evidence = ""
    for trial in range(1, trials + 1):
        episode = play(fixture, bound, trial=trial, seed=seed)
        verdict = judge(scenario, world.spec, episode.trace, episode.timings)
        outcomes[verdict.outcome] += 1
        codes.update(dict.fromkeys(verdict.codes, 1))
        evidence = str(episode.trace.header["evidence"])
    return Tried(
        scenario=scenario.id,
        trials=trials,
        passed=outcomes["passed"],
        outcomes=dict(outcomes),
        codes=dict(codes),
        evidence=evidence,
    )
