"""What episodes cost and how long they took: counts, medians and tails, never a mean that hides them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil

from company_lab.evaluation.figures import EpisodeSummary
from company_lab.evaluation.statistics.latency import latency_quantile
from company_lab.formats.time import format_duration

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


def percentile(ordered: Sequence[float], percent: int) -> float | None:
    """The nearest-rank percentile of ascending values; None where fewer than 100/(100-p) of them are known."""
    if not ordered or len(ordered) * (100 - percent) < 100:
        return None if percent > 50 or not ordered else ordered[ceil(len(ordered) / 2) - 1]
    return ordered[ceil(len(ordered) * percent / 100) - 1]


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
            quantiles=_quantiles([float(one) for one in dollars], usd),
            most=usd(float(dollars[-1])) if dollars else "n/a",
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
    """What the wall limit cut off would have taken longer: it stays in the sample as at least so long."""
    done: list[float] = []
    cut_off: list[float] = []
    for one, wall in zip(episodes, wall_ms, strict=True):
        if wall is not None:
            (cut_off if one.stop == "wall_limit" else done).append(wall)
    known = len(done) + len(cut_off)
    quantiles = []
    for percent in TAILS:
        if (known * (100 - percent) < 100 and percent > 50) or not known:
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
        most="n/a" if not known else f"at least {seconds(max(cut_off))}" if cut_off else seconds(max(done)),
        note=f"{len(cut_off)} cut off by the wall limit, and counted as longer" if cut_off else "",
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


def _quantiles(ordered: Sequence[float], say: Callable[[float], str]) -> tuple[str, ...]:
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


def usd(value: Decimal | float) -> str:
    """Dollars with as many digits as small amounts need; what was paid never reads as zero."""
    if 0 < value * 10_000 < 1:
        return "below 0.0001 USD"
    return f"{value:,.2f} USD" if value >= 1 or value == 0 else f"{value:.4f} USD"


def seconds(ms: float) -> str:
    """Wall time in the unit people read."""
    if ms < 1000:
        return f"{ms:.3g} ms"
    return f"{ms / 1000:.3g} s" if ms < 120_000 else f"{ms / 60_000:.3g} min"
