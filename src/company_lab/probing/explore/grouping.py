"""Grouping: failures that are one bug, each group with one schedule that shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from company_lab.evaluation.codes import ORDER, rank
from company_lab.probing.explore.explored import Explored, Schedule, same_faults
from company_lab.probing.explore.invariants import Broken, Invariant
from company_lab.probing.explore.keeping import Kept
from company_lab.probing.explore.kinds import ALL, kind_of
from company_lab.probing.explore.playing import Subject, play_schedule
from company_lab.probing.explore.shrinking import breaking, earliest, one_minimal, simplest, without_detours


class Named(NamedTuple):
    """What makes failures one group."""

    invariant: Invariant
    kinds: tuple[str, ...]
    """Of the faults of a 1-minimal schedule, the simplest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Failures of one invariant under the same kinds of fault."""

    name: Named
    schedules: int
    """How many schedules break it so."""
    minimal: Schedule
    """1-minimal, at the earliest places."""
    simplest: Schedule
    """The same with the simplest kinds under which it breaks, too."""
    shown: Broken
    """How it breaks under `simplest`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Groups that one schedule shows together: one bug, as far as an exploration can tell."""

    schedule: Schedule
    groups: tuple[Group, ...]
    """The worst first."""

    @property
    def worst(self) -> Broken:
        """The gravest failure it shows."""
        return self.groups[0].shown

    @property
    def kinds(self) -> dict[tuple[str, ...], int]:
        """The kinds of fault that lead to it, each with the most schedules of one group, those of `schedule` first."""
        counts: dict[tuple[str, ...], int] = {by_simplicity(self.schedule): 0}
        for one in self.groups:
            counts[one.name.kinds] = max(counts.get(one.name.kinds, 0), one.schedules)
        return {kinds: count for kinds, count in counts.items() if count}


def group(failing: Sequence[Explored], subject: Subject, kept: Kept) -> tuple[Group, ...]:
    """The groups of these failures, the worst first. What is not known yet is played, and kept."""
    play = _player(subject, kept)
    counts: dict[Named, int] = {}
    first: dict[Named, Schedule] = {}
    for explored in failing:
        for invariant in dict.fromkeys(one.invariant for one in explored.broken):
            breaks = breaking(play, invariant)
            small = without_detours(one_minimal(explored.schedule, breaks), breaks)
            name = Named(invariant, by_simplicity(small))
            counts[name] = counts.get(name, 0) + 1
            first.setdefault(name, small)
    found = []
    for name, small in first.items():
        breaks = breaking(play, name.invariant)
        placed = earliest(small, breaks)
        simple = simplest(placed, breaks)
        shown = next(one for one in play(simple).broken if one.invariant == name.invariant)
        found.append(Group(name=name, schedules=counts[name], minimal=placed, simplest=simple, shown=shown))
    return tuple(sorted(found, key=_rank))


def findings(groups: Sequence[Group]) -> tuple[Finding, ...]:
    """Groups put together that the same schedule shows."""
    together: dict[str, list[Group]] = {}
    for one in groups:
        together.setdefault(same_faults(one.simplest), []).append(one)
    return tuple(Finding(schedule=ones[0].simplest, groups=tuple(ones)) for ones in together.values())


def replays(finding: Finding, subject: Subject, times: int) -> int:
    """In how many fresh episodes of a finding's schedule its gravest failure shows again.

    For agents that do not do the same twice: one episode is no proof that the schedule is what broke it.
    """
    invariant = finding.worst.invariant
    fresh = (play_schedule(subject, finding.schedule, trial=trial) for trial in range(2, times + 2))
    return sum(invariant in {one.invariant for one in explored.broken} for explored in fresh)


def by_simplicity(schedule: Schedule) -> tuple[str, ...]:
    """The kinds of a schedule, the simplest first."""
    kinds = map(kind_of, schedule)
    return tuple(sorted(kinds, key=lambda kind: ALL.index(kind) if kind in ALL else len(ALL)))


def _player(subject: Subject, kept: Kept) -> Callable[[Schedule], Explored]:
    def play(schedule: Schedule) -> Explored:
        known = kept.find(schedule)
        if known is None or known.cut:
            known = play_schedule(subject, schedule)
            kept.add(1, known)
        return known

    return play


def _rank(one: Group) -> tuple[int, int, Invariant, int]:
    return rank(one.shown.severity), ORDER[one.name.invariant.code], one.name.invariant, len(one.minimal)
