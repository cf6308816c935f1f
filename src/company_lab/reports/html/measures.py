"""What episodes cost and how long they took: counts, medians and tails, never a mean that hides them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import TypeVar

from company_lab.evaluation.figures import EpisodeSummary
from company_lab.evaluation.statistics.latency import latency_quantile
from company_lab.formats.dollars import usd
from company_lab.formats.time import format_duration

Number = TypeVar("Number", float, Decimal)

TAILS = (50, 90, 99)
"""Percentiles, by nearest rank: each is a value that was observed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One quantity over the episodes of which it is known."""

    name: str
    known: int
    of: int
    quantiles: tuple[str, ...]
    """In the order of `TAILS`; `n/a` where too few values are known for it."""
    most: str
    note: str = ""


def percentile(ordered: Sequence[Number], percent: int) -> Number | None:
    """The nearest-rank percentile of ascending values; None where there are too few."""
    return ordered[ceil(len(ordered) * percent / 100) - 1] if _enough(len(ordered), percent) else None


def _enough(known: int, percent: int) -> bool:
    """One value has a median; a tail needs one value beyond it, so the 99th percentile takes 100."""
    return known > 0 and (percent <= 50 or known * (100 - percent) >= 100)


def measures_of(episodes: Sequence[EpisodeSummary], wall_ms: Sequence[float | None]) -> tuple[Measure, ...]:
    """Cost, wall time, simulated time, calls and turns."""
    dollars = sorted(one.cost_usd for one in episodes if one.cost_usd is not None)
    simulated = sorted(one.simulated_ms for one in episodes if one.simulated_ms is not None)
    number = len(episodes)
    return (
        Measure(
            name="model cost",
            known=len(dollars),
            of=number,
            quantiles=_quantiles(dollars, usd),
            most=usd(dollars[-1]) if dollars else "n/a",
            note=_cost_note(episodes, dollars),
        ),
        _wall_time(episodes, wall_ms),
        Measure(
            name="simulated time",
            known=len(simulated),
            of=number,
            quantiles=_quantiles(simulated, lambda value: format_duration(int(value))),
            most=format_duration(simulated[-1]) if simulated else "n/a",
        ),
        _whole("calls", [one.calls for one in episodes]),
        _whole("turns", [one.turns for one in episodes]),
    )


def _wall_time(episodes: Sequence[EpisodeSummary], wall_ms: Sequence[float | None]) -> Measure:
    """What was cut off would have taken longer: it stays in the sample as at least so long."""
    done: list[float] = []
    cut_off: list[float] = []
    for one, wall in zip(episodes, wall_ms, strict=True):
        if wall is not None:
            (cut_off if one.cut_off else done).append(wall)
    known = len(done) + len(cut_off)
    quantiles = []
    for percent in TAILS:
        if not _enough(known, percent):
            quantiles.append("n/a")
            continue
        figure = latency_quantile(done, q=percent / 100, timeouts=cut_off)
        if figure.value is not None:
            quantiles.append(seconds(figure.value))
        else:
            quantiles.append("n/a" if figure.low is None else f"at least {seconds(figure.low)}")
    return Measure(
        name="wall time",
        known=known,
        of=len(episodes),
        quantiles=tuple(quantiles),
        most="n/a" if not known else ("at least " if cut_off else "") + seconds(max([*done, *cut_off])),
        note=f"{len(cut_off)} cut off before their end, and counted as longer" if cut_off else "",
    )


def _whole(name: str, values: Sequence[int]) -> Measure:
    ordered = sorted(values)
    return Measure(
        name=name,
        known=len(ordered),
        of=len(ordered),
        quantiles=_quantiles(ordered, lambda value: f"{value:,.0f}"),
        most=f"{ordered[-1]:,}" if ordered else "n/a",
    )


def _quantiles(ordered: Sequence[Number], say: Callable[[Number], str]) -> tuple[str, ...]:
    found = (percentile(ordered, percent) for percent in TAILS)
    return tuple("n/a" if value is None else say(value) for value in found)


def _cost_note(episodes: Sequence[EpisodeSummary], dollars: Sequence[Decimal]) -> str:
    if not dollars:
        return "unknown is not zero" if episodes else ""
    total = sum(dollars, Decimal(0))
    if not total:
        return "no model was paid for"
    passed = sum(one.outcome == "passed" for one in episodes)
    each = f", {usd(total / passed)} for each that passed" if passed else ""
    at_least = "at least " if len(dollars) < len(episodes) else ""
    return f"{at_least}{usd(total)} in all{each}"


def seconds(ms: float) -> str:
    """Wall time in the unit people read."""
    if ms < 1000:
        return f"{ms:.3g} ms"
    return f"{ms / 1000:.3g} s" if ms < 120_000 else f"{ms / 60_000:.3g} min"
