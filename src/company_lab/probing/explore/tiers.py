"""Tiers: how much of an exploration fits where. Agents that ask models can not be explored exhaustively.

The schedules and their numbers are those of METHODS: crash points (before, after, saved) of each write; targeted pairs
that have found every kind of bug that no single fault shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, TypeAlias, get_args

from company_lab.agents.protocol import Agent
from company_lab.episodes import play
from company_lab.episodes.acting import on_a_thread
from company_lab.formats.randomness import stream
from company_lab.probing.explore.explored import Explored, Place, Schedule
from company_lab.probing.explore.keeping import Kept
from company_lab.probing.explore.kinds import OUTAGE
from company_lab.probing.explore.playing import Subject, begin, play_schedule, weigh
from company_lab.probing.explore.prefix import play_from_prefix
from company_lab.scenarios.model import Fault
from company_lab.traces.record import Trace
from company_lab.worlds.fixture import Fixture

TierName: TypeAlias = Literal["commit", "nightly", "release", "rate"]
TIERS: tuple[TierName, ...] = get_args(TierName)
TRIALS: dict[TierName, int] = {"commit": 1, "nightly": 2, "release": 5, "rate": 1}
"""How often each schedule is played."""
DRAWS = 299
"""Episodes of a rate claim: with no failure in so many, the rate is below 1 % at 95 % confidence."""
_CRASHES = ("before", "after", "saved")


@dataclass(frozen=True, slots=True, kw_only=True)
class TierPlan:
    """What a tier takes in one scenario."""

    tier: TierName
    writes: int
    schedules: int | None
    """Schedules beside the one without a fault; None where only the search itself shows how many."""
    trials: int

    @property
    def episodes(self) -> int | None:
        """All episodes of it."""
        if self.schedules is None:
            return None
        return self.schedules if self.tier == "rate" else (1 + self.schedules) * self.trials


def plan_tier(tier: TierName, writes: int) -> TierPlan:
    """The numbers of a tier for a scenario in which the agent writes so often."""
    schedules = {"commit": None, "nightly": 3 * writes, "release": 9 * writes, "rate": DRAWS}[tier]
    return TierPlan(tier=tier, writes=writes, schedules=schedules, trials=TRIALS[tier])


def writes_of(places: Sequence[Place]) -> tuple[Place, ...]:
    """The calls that write, each once: further attempts belong to the first."""
    return tuple(place for place in places if place.writes and place.attempt == 1)


def crash_points(write: Place) -> Iterator[Schedule]:
    """Crashes around a write, at three points."""
    return ((_fault(write, "crash", at=point),) for point in _CRASHES)


def targeted_pairs(write: Place) -> Iterator[Schedule]:
    """Each crash and an outage at the retry, and two calls in a row without an answer, in three ways."""
    for (crash,) in crash_points(write):
        yield crash, _fault(write, "outage", attempt=2, by=OUTAGE)
    for first, second in (
        ("lost_ack", "lost_ack"),
        ("lost_ack", "lost_request"),
        ("lost_request", "lost_ack"),
    ):
        yield _fault(write, first), _fault(write, second, attempt=2)


def schedules_of(tier: TierName, places: Sequence[Place]) -> list[Schedule]:
    """The schedules of the nightly or the release tier, for the writes among these places."""
    chosen: list[Schedule] = []
    for write in writes_of(places):
        chosen.extend(crash_points(write))
        if tier == "release":
            chosen.extend(targeted_pairs(write))
    return chosen


def draws(points: Sequence[Sequence[Schedule]], seed: int) -> Iterator[tuple[int, Schedule]]:
    """Crash points drawn evenly, without an end: over scenarios in turn, and in each over its points before any again.

    Gives the scenario's position and the schedule. Ends at once where there is no point.
    """
    chance = stream(seed, "", 1, "explore rate")
    reachable = [index for index, some in enumerate(points) if some]
    bags: dict[int, list[Schedule]] = {}
    while reachable:
        for index in reachable:
            if not bags.get(index):
                bags[index] = chance.sample(list(points[index]), len(points[index]))
            yield index, bags[index].pop()


def play_rate(
    subjects: Sequence[Subject],
    points: Sequence[Sequence[Schedule]],
    *,
    seed: int = 0,
    wanted: int = DRAWS,
    max_episodes: int | None = None,
) -> Iterator[tuple[Subject, Explored]]:
    """Fresh episodes under drawn crashes until so many are scored; at most twice as many are played.

    A crash that did not happen is no evidence, and another one is drawn for it.
    """
    scored = 0
    most = 2 * wanted if max_episodes is None else max_episodes
    for trial, (index, schedule) in enumerate(islice(draws(points, seed), most), start=1):
        explored = play_schedule(subjects[index], schedule, trial=trial)
        yield subjects[index], explored
        scored += explored.outcome in ("passed", "failed")
        if scored >= wanted:
            return


@dataclass(slots=True, kw_only=True)
class Replays:
    """What came of one schedule in all its trials."""

    schedule: Schedule
    ended: list[Explored] = field(default_factory=list)

    @property
    def scored(self) -> int:
        """Episodes that say something."""
        return sum(one.outcome in ("passed", "failed") for one in self.ended)

    @property
    def failed(self) -> int:
        """Episodes in which an invariant was broken."""
        return sum(one.outcome == "failed" for one in self.ended)

    @property
    def unscored(self) -> int:
        """Episodes that could not be decided."""
        return sum(one.outcome == "unscored" for one in self.ended)


def play_tier(
    subject: Subject,
    tier: TierName,
    *,
    kept: Kept,
    replay_prefix: bool = False,
    trials: int | None = None,
    max_episodes: int | None = None,
    progress: Callable[[Explored], None] = lambda explored: None,
) -> list[Replays]:
    """Play the nightly or the release tier of one scenario.

    The schedules follow from each trial's episode without a fault. With `replay_prefix` whatever begins with a crash
    goes on from what was recorded until then. What `kept` knows is not played again.
    """
    found: dict[Schedule, Replays] = {}
    left = max_episodes

    def note(trial: int, explored: Explored, *, known: bool) -> None:
        nonlocal left
        if not known:
            kept.add(trial, explored)
        if left is not None:
            left -= 1
        found.setdefault(explored.schedule, Replays(schedule=explored.schedule)).ended.append(explored)
        progress(explored)

    for trial in range(1, (trials or TRIALS[tier]) + 1):
        if left is not None and left <= 0:
            break
        clean, trace = _clean(subject, kept, trial, needs_trace=replay_prefix)
        note(trial, clean, known=kept.find((), trial=trial) is not None)
        for schedule in schedules_of(tier, clean.places):
            if left is not None and left <= 0:
                break
            known = kept.find(schedule, trial=trial)
            if known is not None:
                note(trial, known, known=True)
            elif trace is not None and schedule[0].kind == "crash":
                explored, _ = play_from_prefix(subject, trace, schedule, trial=trial)
                note(trial, explored, known=False)
            else:
                note(trial, play_schedule(subject, schedule, trial=trial), known=False)
    return list(found.values())


def reference_places(fixture: Fixture, reference: Agent) -> tuple[Place, ...]:
    """The places an episode of the reference shows, which asks no model."""
    episode = play(fixture, reference)
    stand_in = Subject(fixture=fixture, agent=reference)
    return weigh(stand_in, (), episode)[0].places


def _clean(subject: Subject, kept: Kept, trial: int, *, needs_trace: bool) -> tuple[Explored, Trace | None]:
    known = kept.find((), trial=trial)
    if known is not None and not needs_trace:
        return known, None
    live = begin(subject, (), trial=trial)
    live.run(on_a_thread)
    episode = live.finish()
    return weigh(subject, (), episode)[0], episode.trace if needs_trace else None


def _fault(place: Place, kind: str, *, attempt: int = 1, **more: str) -> Fault:
    return Fault.model_validate(
        {"on": place.on, "occurrence": place.occurrence, "attempt": attempt, "kind": kind, **more}
    )
