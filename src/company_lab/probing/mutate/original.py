"""The original: the scenario an operator starts from, with its world and its reference played once."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from company_lab.agents.conducts import reference
from company_lab.agents.protocol import Agent
from company_lab.episodes import play
from company_lab.evaluation import judge
from company_lab.formats.canonical import Json
from company_lab.probing.attempted import attempted
from company_lab.probing.played import TIMINGS, Played
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.spec import WorldSpec
from company_lab.traces.record import Record
from company_lab.worlds.fixture import Fixture
from company_lab.worlds.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """One step of the reference, and what came of it."""

    turn: int
    """Which turn it belongs to, from 0."""
    place: int
    """Its place in the turn, from 0."""
    tool: str
    args: Mapping[str, Json]
    writes: bool
    result: Record
    effects: tuple[Record, ...]

    @property
    def executed(self) -> bool:
        """Whether it was carried out."""
        return self.result.get("outcome") == "executed"

    @property
    def changes(self) -> Sequence[Mapping[str, Any]]:
        """What it changed in the records."""
        found: Sequence[Mapping[str, Any]] = self.result.get("changes", ())
        return found


class Original:
    """A scenario to be mutated."""

    def __init__(self, scenario: Scenario, world: World) -> None:
        self.scenario = scenario
        self.world = world

    @property
    def spec(self) -> WorldSpec:
        """What its world exports."""
        return self.world.spec

    def copied(self) -> dict[str, Any]:
        """Its document, to be changed at will."""
        return copy.deepcopy(dict(self.scenario.document))

    @cached_property
    def reference(self) -> Played:
        """Its reference, or the request of a contract scenario, played once."""
        agent = None if self.scenario.is_contract else reference(self.scenario)
        return played(self.scenario, self.world, agent)

    @cached_property
    def steps(self) -> tuple[Done, ...]:
        """Every step of the reference that was attempted, in order."""
        trace = self.reference.trace
        effects: dict[str, list[Record]] = {}
        for record in trace.by_kind("effect"):
            effects.setdefault(record["call"], []).append(record)
        return tuple(
            Done(
                turn=one.turn,
                place=one.place,
                tool=one.step.tool,
                args=one.step.args,
                writes=one.step.tool in self.spec.tools and self.spec.tools[one.step.tool].writes,
                result=one.result,
                effects=tuple(effects.get(one.action["call"], ())),
            )
            for one in attempted(self.scenario.reference, trace)
        )

    def record(self, table: str, id: str) -> Mapping[str, Json] | None:
        """A record as it is at the start."""
        return self.scenario.initial.tables.get(table, {}).get(id)

    def executed(self, *tools: str) -> Iterator[Done]:
        """The steps with one of these tools that were carried out."""
        return (step for step in self.steps if step.tool in tools and step.executed)

    def may(self, permission: str) -> bool:
        """Whether the agent and whoever asks it hold a permission."""
        asking = self.scenario.people.get(self.scenario.stimulus.sender or "")
        held = [self.scenario.role.permissions, None if asking is None else asking.permissions]
        return all(permissions is None or permission in permissions for permissions in held)


def played(scenario: Scenario, world: World, agent: Agent | None) -> Played:
    """Play a scripted agent, or the request of a contract scenario, and judge it."""
    return played_in(world.prepare(scenario), agent)


def played_in(fixture: Fixture, agent: Agent | None) -> Played:
    """The same in a fixture that is prepared already."""
    trace = play(fixture, agent).trace
    return Played(trace=trace, verdict=judge(fixture.scenario, fixture.world.spec, trace, TIMINGS))
