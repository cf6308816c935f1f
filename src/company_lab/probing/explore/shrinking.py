"""Shrinking: to a schedule of which no fault can be left out, then to the earliest places and the simplest kinds.

What comes out is 1-minimal: without any one of its faults the same invariant holds. It need not be the smallest of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from company_lab.probing.explore.explored import Explored, Schedule
from company_lab.probing.explore.invariants import Invariant
from company_lab.probing.explore.kinds import ALL, OF_CALLS, OF_READS, kind_of, of_kind
from company_lab.scenarios.fault_kinds import EVENT_FAULTS
from company_lab.scenarios.model import Fault

Breaks = Callable[[Schedule], bool]
"""Whether the same invariant breaks under a schedule."""


def breaking(play: Callable[[Schedule], Explored], invariant: Invariant) -> Breaks:
    """The question whether one invariant breaks, answered by playing."""

    def breaks(schedule: Schedule) -> bool:
        return any(one.invariant == invariant for one in play(schedule).broken)

    return breaks


def one_minimal(schedule: Schedule, breaks: Breaks) -> Schedule:
    """Fewer faults under which it still breaks, none of which can be left out (ddmin, Zeller and Hildebrandt 2002).

    The schedule given must break it.
    """
    faults, parts = schedule, 2
    while len(faults) > 1:
        size = max(1, len(faults) // parts)
        chunks = [faults[start : start + size] for start in range(0, len(faults), size)]
        rests = [_but(faults, chunk) for chunk in chunks]
        smaller = next((chunk for chunk in chunks if breaks(chunk)), None)
        if smaller is not None:
            faults, parts = smaller, 2
            continue
        smaller = next((rest for rest in rests if rest and breaks(rest)), None)
        if smaller is not None:
            faults, parts = smaller, max(2, parts - 1)
        elif size == 1:
            break
        else:
            parts = min(len(faults), 2 * parts)
    return faults


def earliest(schedule: Schedule, breaks: Breaks) -> Schedule:
    """The same kinds at the earliest places at which it breaks: first by occurrence, then by attempt."""
    best = schedule
    for index, fault in enumerate(schedule):
        if fault.kind in EVENT_FAULTS:
            continue
        for occurrence, attempt in _before(fault):
            moved = fault.model_copy(update={"occurrence": occurrence, "attempt": attempt})
            tried = _moved_along(best, index, moved)
            if _distinct(tried) and _needs_all(tried, breaks):
                best = tried
                break
    return best


def simplest(schedule: Schedule, breaks: Breaks) -> Schedule:
    """The same places under the simplest kinds under which it breaks."""
    best = schedule
    for index, fault in enumerate(schedule):
        for kind in _simpler(fault):
            tried = (*best[:index], of_kind(fault, kind), *best[index + 1 :])
            if _needs_all(tried, breaks):
                best = tried
                break
    return best


def without_detours(schedule: Schedule, breaks: Breaks) -> Schedule:
    """Fewer faults still, where the others may come at earlier attempts: a fault that only delayed another one goes."""
    best = schedule
    while len(best) > 1:
        smaller = next((rest for rest in _moved_up(best) if breaks(rest)), None)
        if smaller is None:
            break
        best = smaller
    return best


def _moved_up(schedule: Schedule) -> Iterator[Schedule]:
    """The schedule without one fault, the others at the same or at earlier attempts."""
    for left_out in range(len(schedule)):
        rest = (*schedule[:left_out], *schedule[left_out + 1 :])
        attempts = [range(1, fault.attempt + 1) for fault in rest]
        for chosen in product(*attempts):
            moved = tuple(
                fault if fault.attempt == attempt else fault.model_copy(update={"attempt": attempt})
                for fault, attempt in zip(rest, chosen, strict=True)
            )
            if _distinct(moved):
                yield moved


def _needs_all(schedule: Schedule, breaks: Breaks) -> bool:
    """Whether it breaks under all these faults and under none fewer."""
    return breaks(schedule) and not any(
        breaks((*schedule[:index], *schedule[index + 1 :])) for index in range(len(schedule))
    )


def _but(faults: Schedule, chunk: Sequence[Fault]) -> Schedule:
    return tuple(fault for fault in faults if fault not in chunk)


def _before(fault: Fault) -> Iterator[tuple[int, int]]:
    """Earlier places at the same tool, the earliest first."""
    for occurrence in range(1, fault.occurrence + 1):
        for attempt in range(1, fault.attempt + 1):
            if (occurrence, attempt) != (fault.occurrence, fault.attempt):
                yield occurrence, attempt


def _moved_along(schedule: Schedule, index: int, moved: Fault) -> Schedule:
    """One fault moved, and with it those that came at later attempts of the same call."""
    old = schedule[index]
    return tuple(
        moved
        if at == index
        else other.model_copy(update={"occurrence": moved.occurrence})
        if at > index and (other.on, other.occurrence) == (old.on, old.occurrence)
        else other
        for at, other in enumerate(schedule)
    )


def _distinct(schedule: Schedule) -> bool:
    return len({(fault.on, fault.occurrence, fault.attempt) for fault in schedule}) == len(schedule)


def _simpler(fault: Fault) -> Iterator[str]:
    """Kinds for the same place that are simpler than this one, the simplest first."""
    kind = kind_of(fault)
    if kind not in ALL or fault.kind in EVENT_FAULTS:
        return
    family = OF_READS if kind not in OF_CALLS else OF_CALLS
    yield from family[: family.index(kind)]
