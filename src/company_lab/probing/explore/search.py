"""The search: every single fault, then pairs whose second member the first one's episode shows, then some triples.

The order in which schedules come, and with it everything that is found, is the same whoever plays them and with
however many workers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from company_lab.agents.protocol import RestartMode
from company_lab.formats.canonical import Json
from company_lab.formats.randomness import stream
from company_lab.probing.explore.explored import Explored, Place, Schedule, same_faults
from company_lab.probing.explore.keeping import Kept
from company_lab.probing.explore.kinds import ALL, ESSENTIAL, faults_of_call, faults_of_event, kind_of
from company_lab.probing.explore.playing import Subject, play_schedule
from company_lab.probing.explore.row import play_in_a_row
from company_lab.scenarios.model import Fault

PlayMany: TypeAlias = Callable[[Iterator[Schedule], Collection[str]], Iterator[Explored]]
"""Plays schedules and gives what came of each, in their order; the states that are known already may grow meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How far a search goes."""

    order: int = 2
    """The most faults in one schedule: 1, 2 or 3; of three a sample."""
    kinds: tuple[str, ...] = ALL
    """Kinds that come alone."""
    pair_kinds: tuple[str, ...] = ESSENTIAL
    """Kinds that come together with others."""
    restarts: tuple[RestartMode, ...] = ("checkpoint",)
    max_episodes: int | None = None
    sample: int = 500
    """How many schedules of three faults are drawn."""

    def to_json(self) -> dict[str, Json]:
        """What decides which schedules there are, but for their order: a search of a higher order goes on from it."""
        return {
            "kinds": [*self.kinds],
            "kinds of pairs": [*self.pair_kinds],
            "restarts": [*self.restarts],
            "sample": self.sample,
        }


@dataclass(slots=True, kw_only=True)
class Level:
    """What came of the schedules with the same number of faults."""

    order: int
    planned: int = 0
    """Schedules there are; of order 3 those that were drawn."""
    passed: int = 0
    failed: int = 0
    invalid: int = 0
    """Schedules of which a fault did not happen or changed nothing: they say nothing."""
    unscored: int = 0
    cut: int = 0
    """Schedules that led to a durable state from which everything was known."""
    left: int = 0
    """Schedules that were not played, because the search was bounded or interrupted."""

    @property
    def scored(self) -> int:
        """Episodes that say something."""
        return self.passed + self.failed

    def add(self, explored: Explored) -> None:
        """Count one schedule."""
        name = "cut" if explored.cut else explored.outcome
        setattr(self, name, getattr(self, name) + 1)


@dataclass(slots=True, kw_only=True)
class Exploration:
    """Everything a search has found."""

    subject: Subject
    bounds: Bounds
    clean: Explored
    """The episode without a fault of the explorer's."""
    levels: list[Level] = field(default_factory=list)
    failing: list[Explored] = field(default_factory=list)
    reasons: dict[str, int] = field(default_factory=dict)
    """Why schedules were unscored, with how many."""

    @property
    def complete(self) -> bool:
        """Whether everything that was planned was played and decided."""
        return self.clean.outcome == "passed" and not any(
            level.left or level.unscored for level in self.levels
        )

    @property
    def episodes(self) -> int:
        """Episodes that were played to their end, the one without a fault included."""
        return 1 + sum(level.planned - level.left - level.cut for level in self.levels)


def explore(
    subject: Subject,
    bounds: Bounds,
    *,
    kept: Kept | None = None,
    play_many: PlayMany | None = None,
    progress: Callable[[Level, Explored], None] = lambda level, explored: None,
) -> Exploration:
    """Search for schedules under which an invariant breaks. `kept` knows what was played before."""
    memory = Kept(None, {}) if kept is None else kept
    playing = _Playing(subject, bounds, memory, play_many or _one_by_one(subject), progress)
    clean = memory.find(())
    if clean is None:
        clean = play_schedule(subject, ())
        memory.add(1, clean)
    found = Exploration(subject=subject, bounds=bounds, clean=clean)
    if clean.outcome in ("failed", "invalid"):
        return found  # whoever fails without a fault shows nothing by failing under one
    singles = list(_singles(clean, bounds))
    ended = playing.level(found, 1, singles)
    if bounds.order >= 2:
        first = [one for one in ended if not one.cut]
        pairs = list(_further(first, bounds))
        ended = playing.level(found, 2, pairs)
    if bounds.order >= 3:
        triples = _further([one for one in ended if not one.cut], bounds)
        playing.level(found, 3, _sample(list(triples), subject, bounds.sample))
    return found


class _Playing:
    """Plays one level after another, within the bound on episodes."""

    def __init__(
        self,
        subject: Subject,
        bounds: Bounds,
        memory: Kept,
        play_many: PlayMany,
        progress: Callable[[Level, Explored], None],
    ) -> None:
        self._memory = memory
        self._play_many = play_many
        self._progress = progress
        self._left = None if bounds.max_episodes is None else max(0, bounds.max_episodes - 1)
        self._states: set[str] = set()

    def level(self, found: Exploration, order: int, schedules: Sequence[Schedule]) -> list[Explored]:
        """Play the schedules of one order; what came of each, in order."""
        level = Level(order=order, planned=len(schedules))
        found.levels.append(level)
        chosen = schedules if self._left is None else schedules[: self._left]
        level.left = len(schedules)
        ended: list[Explored] = []
        for explored in self._each(chosen):
            level.left -= 1
            if self._left is not None:
                self._left -= 1
            explored = self._settled(explored)
            level.add(explored)
            ended.append(explored)
            if explored.outcome == "failed":
                found.failing.append(explored)
            elif explored.outcome == "unscored":
                found.reasons[explored.why] = found.reasons.get(explored.why, 0) + 1
            self._progress(level, explored)
        return ended

    def _settled(self, explored: Explored) -> Explored:
        """What counts of a schedule: where another one has led to the same state before, nothing."""
        if explored.state is None:
            return explored
        if explored.state in self._states:
            return explored if explored.cut else _without(explored)
        self._states.add(explored.state)
        return explored

    def _each(self, schedules: Sequence[Schedule]) -> Iterator[Explored]:
        known = [self._memory.find(schedule) for schedule in schedules]
        missing = (schedule for schedule, one in zip(schedules, known, strict=True) if one is None)
        played = self._play_many(missing, self._states)
        for one in known:
            if one is not None:
                yield one
                continue
            new = next(played)
            self._memory.add(1, new)
            yield new


def _without(explored: Explored) -> Explored:
    return Explored(
        schedule=explored.schedule, outcome="invalid", stop="cancelled", state=explored.state, cut=True
    )


def _one_by_one(subject: Subject) -> PlayMany:
    def play(schedules: Iterator[Schedule], states: Collection[str]) -> Iterator[Explored]:
        if subject.deterministic:
            return play_in_a_row(subject, schedules, states)
        return (play_schedule(subject, schedule) for schedule in schedules)

    return play


def _singles(clean: Explored, bounds: Bounds) -> Iterator[Schedule]:
    return ((fault,) for place in clean.places for fault in faults_at(place, bounds, bounds.kinds))


def faults_at(place: Place, bounds: Bounds, kinds: Collection[str]) -> Iterator[Fault]:
    """The faults of these kinds at one place."""
    if place.event:
        return faults_of_event(place.on, kinds=kinds)
    return faults_of_call(
        place.on,
        place.occurrence,
        place.attempt,
        writes=place.writes,
        kinds=kinds,
        restarts=bounds.restarts,
    )


def _further(ended: Sequence[Explored], bounds: Bounds) -> Iterator[Schedule]:
    """Each of these schedules with one more fault at every place its episode shows; no set of faults twice."""
    listed: set[str] = set()
    kinds = set(bounds.pair_kinds)
    for explored in ended:
        if any(kind_of(fault) not in kinds for fault in explored.schedule):
            continue
        taken = {(fault.on, fault.occurrence, fault.attempt) for fault in explored.schedule}
        for place in explored.places:
            if (place.on, place.occurrence, place.attempt) in taken:
                continue
            for fault in faults_at(place, bounds, kinds):
                schedule = (*explored.schedule, fault)
                name = same_faults(schedule)
                if name not in listed:
                    listed.add(name)
                    yield schedule


def _sample(schedules: list[Schedule], subject: Subject, size: int) -> list[Schedule]:
    """So many of the schedules, drawn by the seed, in their order."""
    if len(schedules) <= size:
        return schedules
    draws = stream(subject.seed, subject.scenario.id, 1, f"explore {size} schedules of three faults")
    chosen = sorted(draws.sample(range(len(schedules)), size))
    return [schedules[index] for index in chosen]
