"""Casting: one scenario with everything it takes to play it, made before a run begins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from company_lab.agents.conducts import reference
from company_lab.agents.protocol import Agent
from company_lab.evaluation.compiling import examination_of
from company_lab.formats.errors import WrongUse, nearest
from company_lab.runs.grading import grading_digest
from company_lab.scenarios.model import Scenario
from company_lab.worlds.fixture import Fixture
from company_lab.worlds.registry import resolve_world
from company_lab.worlds.world import World

HELD_OUT = "held_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Casting:
    """A scenario, its prepared world, and who acts: without an agent its request goes to the guard."""

    scenario: Scenario
    world: World
    fixture: Fixture
    agent: Agent | None
    grading: str


def cast(
    scenarios: Iterable[Scenario],
    *,
    agent: Agent | None,
    worlds: Callable[[str], World] = resolve_world,
) -> tuple[Casting, ...]:
    """Prepare every scenario. Without an agent, requests go to the guard and references play the rest.

    Raises what the world raises where a scenario can not be opened and what judging raises where an
    expectation can not be read, so that nothing has been run by then.
    """
    castings: list[Casting] = []
    for scenario in scenarios:
        world = worlds(scenario.world)
        examination_of(scenario, world.spec)
        castings.append(
            Casting(
                scenario=scenario,
                world=world,
                fixture=world.prepare(scenario),
                agent=_actor(agent, scenario),
                grading=grading_digest(scenario, world.spec),
            )
        )
    return tuple(castings)


def _actor(agent: Agent | None, scenario: Scenario) -> Agent | None:
    if agent is None:
        return None if scenario.is_contract else reference(scenario)
    return agent.for_scenario(scenario)


def select(scenarios: Iterable[Scenario], only: Iterable[str]) -> tuple[Scenario, ...]:
    """The scenarios that any of the words in `only` names: an id, tag, failure class, family or split.

    No words select everything but what is held out, which is chosen by its id or by the word `held_out`, never
    by chance. Raises `WrongUse` for a word that names nothing, and where all there is is held out.
    """
    scenarios = tuple(scenarios)
    words = frozenset(only)
    known = {scenario.id: _names(scenario) for scenario in scenarios}
    for word in sorted(words):
        if not any(word in names for names in known.values()):
            close = nearest(word, sorted(set().union(*known.values())))
            hint = f"; did you mean {close}?" if close else ""
            raise WrongUse(
                f"--only {word}: no scenario has this id, tag, failure class, family or split{hint}"
            )
    named = tuple(scenario for scenario in scenarios if not words or known[scenario.id] & words)
    chosen = tuple(one for one in named if one.split != HELD_OUT or words & {one.id, HELD_OUT})
    if named and not chosen:
        raise WrongUse(f"all that this names is held out; --only {HELD_OUT} plays it on purpose")
    return chosen


def _names(scenario: Scenario) -> frozenset[str]:
    named = {scenario.id, scenario.failure_class, scenario.family, scenario.split, *scenario.tags}
    return frozenset(name for name in named if name is not None)
