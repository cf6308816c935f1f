"""Many tests at once: p-values adjusted for how many of them there were.

Holm for claims, Benjamini-Hochberg for screening. Count every gate, k, slice and rerun that could have
been reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from company_lab.evaluation.statistics.arguments import share


def holm(p_values: Iterable[float]) -> tuple[float, ...]:
    """Holm (1979), step-down: the chance of any false claim stays below the level. In the order given."""
    return _cumulative(p_values, lambda rank, m: m - rank, max, reverse=False)


def benjamini_hochberg(p_values: Iterable[float]) -> tuple[float, ...]:
    """Benjamini and Hochberg (1995), step-up: bounds the expected share of false finds. In the order given."""
    return _cumulative(p_values, lambda rank, m: m / (rank + 1), min, reverse=True)


def bonferroni(p_values: Iterable[float]) -> tuple[float, ...]:
    """Each p-value times their number; Holm is never worse. In the order given."""
    p = [share("a p-value", value) for value in p_values]
    return tuple(min(1.0, value * len(p)) for value in p)


def _cumulative(
    p_values: Iterable[float],
    factor: Callable[[int, int], float],
    extreme: Callable[[float, float], float],
    *,
    reverse: bool,
) -> tuple[float, ...]:
    p = [share("a p-value", value) for value in p_values]
    ranked: Sequence[tuple[int, int]] = list(enumerate(sorted(range(len(p)), key=p.__getitem__)))
    adjusted = [0.0] * len(p)
    reached = 1.0 if reverse else 0.0
    for rank, index in reversed(ranked) if reverse else ranked:
        reached = extreme(reached, min(1.0, p[index] * factor(rank, len(p))))
        adjusted[index] = reached
    return tuple(adjusted)
