"""Alike: failures that several trials of a scenario have in common are told once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from company_lab.evaluation.figures import CriticalFailure
from company_lab.release.decision import CriticalEpisode
from company_lab.reports.sections import FailedCell

_MOST_SPANS = 8


Failure = TypeVar("Failure", bound=CriticalFailure | CriticalEpisode)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike(Generic[Failure]):
    """The critical failures of an episode, and every trial of the scenario that failed in just this way."""

    trials: tuple[int, ...]
    failures: tuple[Failure, ...]
    """Those of one trial; those of the others are the same, with the same records as evidence."""

    @property
    def first(self) -> Failure:
        """The first of them, which says the scenario."""
        return self.failures[0]


def alike_critical(
    critical: Iterable[Failure], *, run_of: Callable[[Failure], str] = lambda one: ""
) -> list[Alike[Failure]]:
    """Critical failures by episode, and episodes that failed alike together, in the order of the first of them."""
    episodes: dict[tuple[str, str, int], list[Failure]] = {}
    for one in critical:
        episodes.setdefault((run_of(one), one.scenario, one.trial), []).append(one)
    ways: dict[tuple[object, ...], list[list[Failure]]] = {}
    for (run, scenario, _), failures in episodes.items():
        said = ((one.code, one.failure_class, one.check, one.message, one.evidence) for one in failures)
        ways.setdefault((run, scenario, *said), []).append(failures)
    return [
        Alike(trials=tuple(one[0].trial for one in alike), failures=tuple(alike[0]))
        for alike in ways.values()
    ]


def up_to(most: int, groups: Iterable[Alike[Failure]]) -> Iterator[Alike[Failure]]:
    """The first groups, with no more than so many failures to tell."""
    for one in groups:
        if most <= 0:
            return
        yield replace(one, failures=one.failures[:most])
        most -= len(one.failures)


def told(groups: Iterable[Alike[Failure]]) -> int:
    """How many failures of how many trials these groups stand for."""
    return sum(len(one.failures) * len(one.trials) for one in groups)


def alike_failed(cells: Iterable[FailedCell]) -> list[tuple[FailedCell, tuple[int, ...]]]:
    """Failed episodes that ended alike and with the same codes: the first, and the trials."""
    found: dict[tuple[object, ...], tuple[FailedCell, list[int]]] = {}
    for cell in cells:
        found.setdefault((cell.scenario, cell.codes, cell.ended), (cell, []))[1].append(cell.trial)
    return [(cell, tuple(trials)) for cell, trials in found.values()]


def trials_text(trials: Sequence[int]) -> str:
    """Such as "trial 3" or "trials 1 to 5, 8"; of very many spans, how many trials are left out."""
    spans: list[list[int]] = []
    for trial in sorted(trials):
        if spans and trial == spans[-1][-1] + 1:
            spans[-1].append(trial)
        else:
            spans.append([trial])
    said = [
        ", ".join(map(str, span)) if len(span) < 3 else f"{span[0]} to {span[-1]}"
        for span in spans[:_MOST_SPANS]
    ]
    more = sum(map(len, spans[_MOST_SPANS:]))
    rest = f" and {more} more" if more else ""
    return f"trial{'' if len(trials) == 1 else 's'} {', '.join(said)}{rest}"
