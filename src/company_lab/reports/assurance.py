"""How sure the figures of a run are, in words: intervals over scenarios, and bounds of critical failures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

from company_lab.evaluation.codes import FailureClass
from company_lab.evaluation.figures import Figures
from company_lab.evaluation.statistics.bounds import failure_bound, runs_needed
from company_lab.evaluation.statistics.figure import Figure, decimals, percent

CLASSES: tuple[FailureClass, ...] = get_args(FailureClass)
GOALS = (0.1, 0.01, 0.001)
"""Rates below which a reader may want a critical failure to be."""

NOT_ESTABLISHED = (
    "Not established by a bound: that the risk is 0, the rate of any one scenario, anything no episode reached or no "
    "check sees, and anything about another prompt, model, world or version."
)


def interval_lines(figures: Figures, ks: Sequence[int]) -> Iterator[str]:
    """What the mean of pass^k can be for scenarios like these, or why nothing is said about that."""
    if figures.all_passed is not None or any(figures.mean_pass_k[k].value is None for k in ks):
        return
    found = {k: figures.mean_pass_k[k].figure() for k in ks}
    ways: dict[str, list[str]] = {}
    for k, figure in found.items():
        ways.setdefault(_way(figure), []).append(f"pass^{k}{_ends(figure)}")
    for way, said in ways.items():
        yield f"{way}: {', '.join(said)}"


def _way(figure: Figure) -> str:
    if figure.low is None:
        return f"{figure.reason} ({figure.n} scenario{'' if figure.n == 1 else 's'})"
    few = f"; {figure.reason}" if figure.value is not None and figure.reason else ""
    return f"95 % interval for scenarios like these ({figure.interval}{few})"


def _ends(figure: Figure) -> str:
    return (
        ""
        if figure.low is None or figure.high is None
        else f" {decimals(figure.low)} to {decimals(figure.high)}"
    )


def bound_lines(figures: Figures) -> Iterator[str]:
    """What critical failures of each class are rarer than, and how many episodes a stronger claim would take."""
    if not figures.n:
        return
    rates = {name: figures.critical_rate(name) for name in CLASSES}
    seen = {name: rate for name, rate in rates.items() if figures.critical_episodes.get(name)}
    for name, rate in seen.items():
        yield f"{name}: {figures.critical_episodes[name]} of {figures.n} episodes, rate {_below(rate)}"
    none = next((rate for name, rate in rates.items() if name not in seen), None)
    if none is None:
        return
    unknown = figures.planned - figures.n
    counted = f", with {unknown} episodes without a score counted as failures" if unknown else ""
    yield f"{'every other' if seen else 'each'} class: rate {_below(none)} on average over these scenarios{counted}"
    smallest = min(figure.n for figure in figures.scenarios)
    if len(figures.scenarios) > 1 and smallest:
        alone = failure_bound(failures=0, runs=smallest)
        yield f"the rate of one scenario alone is then only known to be below {percent(alone)}"
    bound = none.high or 0.0
    goals = [goal for goal in GOALS if goal < bound][:2]
    if goals:
        needed = ", ".join(f"below {goal * 100:g} % takes {runs_needed(rate=goal):,}" for goal in goals)
        yield f"to claim more, at 95 %: {needed} episodes without one"
    same = sum(figure.n > 1 and not figure.repeated for figure in figures.scenarios)
    if same:
        each = f"{_scenarios(same)} that always went the same way {'is' if same == 1 else 'are'} not"
        yield f"this takes episodes to be independent, which {each}"


def _below(rate: Figure) -> str:
    if rate.high is None or rate.high >= 1:
        return "not bounded"
    return f"below {percent(rate.high)} at 95 %"


def _scenarios(count: int) -> str:
    return f"{count} scenario{'' if count == 1 else 's'}"
