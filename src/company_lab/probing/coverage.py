"""Coverage: which failure classes a suite covers, how, and where it has a hole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from company_lab.company.classes import FailureClass
from company_lab.probing.matrix import class_of, is_twin
from company_lab.scenarios.model import Scenario

INSTANCE, TWIN, WRONG = "instance", "twin", "wrong"
PERMISSIVE, UNGUARDED, FAULTED = "permissive", "unguarded", "faulted"
KINDS = (INSTANCE, TWIN, WRONG, PERMISSIVE, UNGUARDED, FAULTED)
"""What a class needs, in the order of the table; `wrong` counts conducts, everything else scenarios."""
ENOUGH_WRONG = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What a suite has of one failure class."""

    failure_class: str
    known: FailureClass | None
    """What the class is about, where that is written down."""
    scenarios: tuple[Scenario, ...]
    counts: tuple[int, ...]
    """One number for each of `KINDS`."""
    holes: tuple[str, ...]
    """The kinds that are asked for and missing."""
    untrue: tuple[str, ...] = ()
    """Scenarios tagged `faulted` in which nothing comes late, twice, out of order or not at all."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing and every tag is true."""
        return not self.holes and not self.untrue


def coverage(scenarios: Iterable[Scenario], classes: Sequence[FailureClass] = ()) -> tuple[Coverage, ...]:
    """What a suite has of every class in `classes`, and then of every further class in it, by name.

    Contract scenarios are not counted: they ask the guard, and no agent can go wrong in them. Nor are scenarios of
    no class, such as a journey through several.
    """
    played = [one for one in scenarios if not one.is_contract and one.failure_class is not None]
    known = {one.name: one for one in classes}
    further = sorted({class_of(scenario) for scenario in played} - known.keys())
    return tuple(
        _coverage(name, known.get(name), [one for one in played if class_of(one) == name])
        for name in (*known, *further)
    )


def _coverage(name: str, known: FailureClass | None, scenarios: Sequence[Scenario]) -> Coverage:
    counts = (
        sum(INSTANCE in one.tags or (known is None and not is_twin(one)) for one in scenarios),
        sum(is_twin(one) for one in scenarios),
        sum(len(one.wrong) for one in scenarios if not is_twin(one)),
        sum(PERMISSIVE in one.tags for one in scenarios),
        sum(UNGUARDED in one.tags for one in scenarios),
        sum(FAULTED in one.tags for one in scenarios),
    )
    return Coverage(
        failure_class=name,
        known=known,
        scenarios=tuple(scenarios),
        counts=counts,
        holes=tuple(_holes(dict(zip(KINDS, counts, strict=True)), known)),
        untrue=tuple(one.id for one in scenarios if FAULTED in one.tags and not _is_disturbed(one)),
    )


def _holes(counts: dict[str, int], known: FailureClass | None) -> Iterator[str]:
    for kind in KINDS:
        enough = ENOUGH_WRONG if kind == WRONG else 1
        if counts[kind] < enough and is_asked_for(kind, known):
            yield kind


def is_asked_for(kind: str, known: FailureClass | None) -> bool:
    """Whether a class needs scenarios of a kind. Of a class nobody described, no variants are asked for.

    Where nothing can be made permissive, because no rule stands in the way, an unguarded variant is asked for.
    """
    if kind == PERMISSIVE:
        return known is not None and known.no_permissive is None
    if kind == UNGUARDED:
        return known is not None and known.no_permissive is not None
    if kind == FAULTED:
        return known is not None and known.no_fault is None
    return True


def _is_disturbed(scenario: Scenario) -> bool:
    """Whether anything comes late, twice, out of order or not at all: a fault, or a repeated or waking event."""
    said = [(event.type, str(event.data)) for event in scenario.events]
    return (
        bool(scenario.faults) or len(said) != len(set(said)) or any(event.wakes for event in scenario.events)
    )


def kinds_of(scenario: Scenario) -> tuple[str, ...]:
    """What a scenario is for its class, in the order of the table."""
    said = {*scenario.tags, *([TWIN] if is_twin(scenario) else [])}
    return tuple(kind for kind in KINDS if kind in said and kind != WRONG)


def holes(rows: Iterable[Coverage]) -> tuple[str, ...]:
    """Every hole in words, one line each."""
    return tuple(
        line
        for row in rows
        for line in (
            *(f"{row.failure_class} has no {_missing(kind)}" for kind in row.holes),
            *(f"{id} is tagged {FAULTED}, and nothing is disturbed in it" for id in row.untrue),
        )
    )


def _missing(kind: str) -> str:
    return {
        WRONG: f"{ENOUGH_WRONG} wrong conducts",
        PERMISSIVE: "variant with a permissive provider",
        UNGUARDED: "unguarded variant",
        FAULTED: "faulted variant",
    }.get(kind, kind)
