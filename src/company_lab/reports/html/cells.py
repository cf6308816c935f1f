"""The heat map: scenarios down, trials across, one sign and one word for each planned cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from company_lab.evaluation.figures import EpisodeSummary
from company_lab.runs.plan import Cell

ACROSS = 25
"""Trials in one row; a scenario with more has further rows."""
MOST_CELLS = 20_000
"""Beyond so many cells scenarios are left out, and named."""

SIGNS: Mapping[str, tuple[str, str]] = {
    "passed": ("✓", "passed"),
    "failed": ("✗", "failed"),
    "critical": ("!", "failed critically"),
    "unscored": ("?", "could not be scored"),
    "invalid": ("~", "does not count"),
    "lost": ("-", "lost, no episode"),
}
"""Sign and words by mark: no meaning rests on a colour."""


@dataclass(frozen=True, slots=True)
class Square:
    """One planned cell."""

    trial: int
    mark: str
    sign: str
    said: str
    """What a reader hears, and sees on pointing."""
    link: str
    """The element of its timeline; empty where it has none."""


@dataclass(frozen=True, slots=True)
class SquareRow:
    """Some trials of a scenario; `first` for the first row of it."""

    scenario: str
    first: bool
    span: str
    squares: tuple[Square, ...]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Rows of cells, and the scenarios that had no room."""

    columns: int
    rows: tuple[SquareRow, ...]
    left_out: tuple[str, ...]
    marks: tuple[tuple[str, str, str, int], ...]
    """Mark, sign, words and number of cells, for the legend."""


def mark_of(summary: EpisodeSummary | None) -> str:
    """The mark of a cell."""
    if summary is None:
        return "lost"
    if summary.outcome == "failed" and any(one.failure_class for one in summary.failures):
        return "critical"
    return summary.outcome


def heat_map(
    cells: Mapping[str, Sequence[int]],
    summaries: Mapping[Cell, EpisodeSummary],
    links: Mapping[Cell, str],
) -> HeatMap:
    """`cells` gives the planned trials by scenario, in the order to show."""
    rows: list[SquareRow] = []
    left_out: list[str] = []
    counts: dict[str, int] = {}
    shown = 0
    for scenario, trials in cells.items():
        squares = [_square(Cell(scenario, trial), summaries, links) for trial in trials]
        for square in squares:
            counts[square.mark] = counts.get(square.mark, 0) + 1
        if shown + len(squares) > MOST_CELLS:
            left_out.append(scenario)
            continue
        shown += len(squares)
        for start in range(0, len(squares), ACROSS):
            some = tuple(squares[start : start + ACROSS])
            span = f"{some[0].trial}" if len(some) == 1 else f"{some[0].trial} to {some[-1].trial}"
            rows.append(SquareRow(scenario, start == 0, span, some))
    return HeatMap(
        columns=max((len(row.squares) for row in rows), default=1),
        rows=tuple(rows),
        left_out=tuple(left_out),
        marks=tuple((mark, *SIGNS[mark], counts[mark]) for mark in SIGNS if mark in counts),
    )


def _square(cell: Cell, summaries: Mapping[Cell, EpisodeSummary], links: Mapping[Cell, str]) -> Square:
    summary = summaries.get(cell)
    mark = mark_of(summary)
    sign, words = SIGNS[mark]
    codes = dict.fromkeys(one.code for one in summary.failures) if summary else {}
    said = f"trial {cell.trial} {words}" + (f": {', '.join(codes)}" if codes else "")
    return Square(cell.trial, mark, sign, said, links.get(cell, ""))
