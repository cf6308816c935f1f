"""Cost and latency against their bounds. What nobody measured is unknown, and unknown holds."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from company_lab.evaluation.statistics import latency_quantile, runs_needed_for_quantile
from company_lab.formats.dollars import usd
from company_lab.release.decision import Ruling
from company_lab.release.policy import QUANTILES, Cost, Latency
from company_lab.release.rulings.case import Case
from company_lab.runs.plan import Cell


def spending(case: Case) -> Iterator[Ruling]:
    """Rulings on what the run cost and took."""
    if case.policy.cost is not None:
        yield from _cost(case, case.policy.cost)
    if case.policy.latency is not None:
        yield from _latency(case, case.policy.latency)


def _cost(case: Case, rule: Cost) -> Iterator[Ruling]:
    costs = [summary.cost_usd for summary in case.run.summaries]
    known = [cost for cost in costs if cost is not None and cost.is_finite() and cost >= 0]
    unknown = case.own.planned - len(known)
    total = sum(known, Decimal(0))
    figures = {
        "mean_usd": total / len(known) if known else Decimal(0),
        "most_usd": max(known, default=Decimal(0)),
        "total_usd": total,
    }
    for name, value in figures.items():
        bound: Decimal | None = getattr(rule, name)
        if bound is None:
            continue
        key = f"cost.{name}"
        # To the last digit where rounding would show 1.00 against a bound of 1.00 that it exceeds.
        exact = f"{value:f} USD" if value != bound and usd(value) == usd(bound) else usd(value)
        said = f"{exact} in {len(known)} of {case.own.planned} episodes; at most {bound} USD"
        if value > bound and (name != "mean_usd" or not unknown):
            # A mean over a part may still come down; what is spent stays spent.
            yield Ruling(key=key, outcome="block", said=said, needed="a cheaper candidate")
        elif unknown or not known:
            yield Ruling(
                key=key,
                outcome="hold",
                said=f"{said}; unknown for {unknown}",
                needed="every episode's cost: session.usage reports it",
            )
        else:
            yield Ruling(key=key, outcome="pass", said=said)


def _latency(case: Case, rule: Latency) -> Iterator[Ruling]:
    done: list[float] = []
    cut_off: list[float] = []
    for summary in case.run.summaries:
        wall = case.run.walls.get(Cell(summary.scenario, summary.trial))
        if wall is not None:
            (cut_off if summary.cut_off else done).append(wall / 1000)
    planned = case.own.planned
    for name, q in QUANTILES:
        bound: float | None = getattr(rule, name)
        if bound is not None:
            yield _quantile(name, q, bound, done, cut_off, planned, rule.confidence)
    if rule.most is not None:
        yield _most(rule.most, done, cut_off, planned)


def _quantile(
    name: str, q: float, bound: float, done: list[float], cut_off: list[float], planned: int, level: float
) -> Ruling:
    key = f"latency.{name}"
    figure = latency_quantile(done, q=q, timeouts=cut_off, confidence=level, planned=planned)
    said = f"{figure}; at most {bound:g} s"
    low = figure.value if figure.value is not None else figure.low
    if low is not None and low > bound:
        return Ruling(key=key, outcome="block", said=said, needed="a faster candidate")
    if figure.value is not None and figure.high is not None and figure.high <= bound:
        return Ruling(key=key, outcome="pass", said=said)
    runs = runs_needed_for_quantile(q=q, confidence=level, sides=2)
    return Ruling(
        key=key,
        outcome="hold",
        said=said,
        needed=f"times of all episodes, and {runs} or more of them, until the upper end is known and within the bound",
    )


def _most(bound: float, done: list[float], cut_off: list[float], planned: int) -> Ruling:
    slowest = max([*done, *cut_off], default=0.0)
    unknown = planned - len(done) - len(cut_off)
    said = f"slowest {slowest:.3f} s in {len(done) + len(cut_off)} of {planned} episodes; at most {bound:g} s"
    if slowest > bound:
        return Ruling(key="latency.most", outcome="block", said=said, needed="a faster candidate")
    if unknown or cut_off or not planned:
        cut = f", {len(cut_off)} cut off before their end" if cut_off else ""
        return Ruling(
            key="latency.most",
            outcome="hold",
            said=f"{said}; unknown for {unknown}{cut}",
            needed="the time of every episode",
        )
    return Ruling(key="latency.most", outcome="pass", said=said)
