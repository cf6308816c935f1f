"""Subject: one scenario under audit, with its world, its reference played once, and the means to try other things."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from company_lab.agents.conducts import reference
from company_lab.agents.protocol import Agent
from company_lab.episodes.acting import in_place
from company_lab.episodes.play import LiveEpisode
from company_lab.evaluation import Verdict, judge
from company_lab.formats.canonical import Json
from company_lab.probing.audit.finding import Finding, Found, Level, Mutants
from company_lab.probing.played import TIMINGS, Played
from company_lab.scenarios.expected import Expected
from company_lab.scenarios.model import ConductTurn, Scenario, Step
from company_lab.scenarios.short_form import expand
from company_lab.scenarios.spec import WorldSpec
from company_lab.traces.record import Record, Trace
from company_lab.worlds.fixture import Fixture
from company_lab.worlds.world import World


class Subject:
    """A scenario under audit."""

    def __init__(self, scenario: Scenario, world: World, chosen: frozenset[str] = frozenset()) -> None:
        self.scenario = scenario
        self.chosen = chosen
        """The audits it is under, by code."""
        self.world = world
        self.fixture: Fixture = world.prepare(scenario)

    @property
    def spec(self) -> WorldSpec:
        """What its world exports."""
        return self.world.spec

    @property
    def asks_agent(self) -> bool:
        """Whether agents work through it; a contract scenario without a reference asks none."""
        return bool(self.scenario.reference)

    @cached_property
    def reference(self) -> Played:
        """The reference, or the request of a contract scenario, played once."""
        return self.play(reference(self.scenario) if self.asks_agent else None)

    @cached_property
    def expected_document(self) -> dict[str, Json]:
        """What is expected, as it is written, with the facts gathered under `facts`."""
        found = expand(self.scenario.document, self.spec).get("expected")
        return dict(found) if isinstance(found, dict) else {}

    @cached_property
    def steps(self) -> tuple[tuple[int, int, Step], ...]:
        """Every step of the reference with its turn and its place in it."""
        return tuple(
            (turn, place, step)
            for turn, conduct in enumerate(self.scenario.reference)
            for place, step in enumerate(conduct.do)
        )

    @cached_property
    def records_of_steps(self) -> tuple[tuple[Record, Record], ...]:
        """Action and result of every call of the reference, in order."""
        results = self.reference.results()
        return tuple(
            (action, results.get(action["call"], {})) for action in self.reference.trace.by_kind("action")
        )

    def play(
        self,
        agent: Agent | None,
        *,
        scenario: Scenario | None = None,
        trial: int = 1,
        seed: int = 0,
    ) -> Played:
        """Play an agent of this process through the scenario, or through another version of it."""
        fixture = self.fixture if scenario is None else self.world.prepare(scenario)
        live = LiveEpisode(fixture, agent, trial=trial, seed=seed)
        live.run(in_place)
        trace = live.finish().trace
        return Played(trace=trace, verdict=judge(fixture.scenario, self.spec, trace, TIMINGS))

    def conduct(self, turns: Iterable[ConductTurn]) -> Played:
        """Play a conduct other than the reference."""
        return self.play(reference(self.scenario.model_copy(update={"reference": tuple(turns)})))

    def judged(self, records: list[Record], timings: Mapping[str, Any] = TIMINGS) -> Played:
        """Other records than those that were played, judged."""
        trace = Trace(records)
        return Played(trace=trace, verdict=judge(self.scenario, self.spec, trace, timings))

    def judged_by(self, expected: Mapping[str, Json]) -> Verdict:
        """The verdict about the reference if something else were expected of it."""
        other = self.scenario.model_copy(update={"expected": Expected.model_validate(expected)})
        return judge(other, self.spec, self.reference.trace, TIMINGS)

    def finding(self, audit: str, level: Level, evidence: str, remedy: str, *, path: str = "") -> Finding:
        """A finding about this scenario."""
        return Finding(
            audit=audit,
            level=level,
            scenario=self.scenario.id,
            path=path,
            evidence=evidence,
            remedy=remedy,
        )

    def mutant(
        self, killed: bool, audit: str, level: Level, evidence: str, remedy: str, *, path: str
    ) -> Iterator[Found]:
        """A small wrong that was tried; where no verdict noticed it, a finding as well."""
        yield Mutants(killed=killed, total=1)
        if not killed:
            yield self.finding(audit, level, evidence, remedy, path=path)


def with_step(
    turns: Sequence[ConductTurn], turn: int, place: int, steps: Iterable[Step], *, without: int = 0
) -> tuple[ConductTurn, ...]:
    """A conduct with steps put in at a place, and `without` of its own left out there."""
    changed = list(turns)
    do = changed[turn].do
    changed[turn] = changed[turn].model_copy(update={"do": (*do[:place], *steps, *do[place + without :])})
    return tuple(changed)


def replaced(records: Sequence[Record], seq: int, **fields: Any) -> list[Record]:
    """Records with fields of one of them set; nothing is changed in place."""
    changed = list(records)
    changed[seq] = {**changed[seq], **fields}
    return changed
