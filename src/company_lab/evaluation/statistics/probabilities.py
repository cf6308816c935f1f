"""Whether stated probabilities come true: Brier score, log loss, reliability table, expected calibration error."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum, log, log1p

from company_lab.evaluation.statistics.arguments import BadCounts, same_length, share, whole
from company_lab.evaluation.statistics.intervals import wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Predictions above `low` up to `high` (the first bin holds 0 as well)."""

    low: float
    high: float
    n: int
    stated: float
    """Mean probability."""
    came_true: float
    """Share that came true."""
    interval: tuple[float, float]
    """95 % Wilson interval of that share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How n stated probabilities compare with what came true."""

    n: int
    base_rate: float
    brier: float
    """Mean (p-y)^2 (Brier 1950)."""
    brier_of_base_rate: float
    """What always stating the base rate would have scored."""
    skill: float | None
    """1 - brier/brier_of_base_rate; below 0 the base rate does better. None where every outcome is the same."""
    log_loss: float | None
    """Mean -ln of the probability given to what happened. None where that was 0: the loss has no end."""
    ece: float
    """Sum of n_b/n |came true - stated| over the bins. Depends on them, and is too high for small n."""
    bins: tuple[Bin, ...]
    """The reliability table; empty bins are left out."""
    bin_count: int

    def __str__(self) -> str:
        skill = "undefined (one outcome only)" if self.skill is None else f"{self.skill:.3f}"
        loss = "without end (something said to be impossible happened)"
        loss = loss if self.log_loss is None else f"{self.log_loss:.3f}"
        return (
            f"Brier {self.brier:.4f}, base rate alone {self.brier_of_base_rate:.4f}, skill {skill}, "
            f"log loss {loss}, ECE {self.ece:.3f} with {self.bin_count} equal bins, n {self.n}"
        )


def calibration(
    probabilities: Iterable[float], outcomes: Iterable[bool | int], *, bins: int = 10
) -> Calibration:
    """Compare stated probabilities with outcomes (0 or 1), in `bins` bins of equal width.

    For a choice among several, give the probability of what was picked and whether it was right. Raises
    `BadCounts` for a probability outside 0 to 1, an outcome other than 0 and 1, or none at all.
    """
    p = [share("a probability", value) for value in probabilities]
    y = zeros_and_ones("an outcome", outcomes)
    same_length(p, y, "probabilities and outcomes")
    if not p:
        raise BadCounts("there are no predictions; calibration needs at least one")
    n, count = len(p), whole("bins", bins, least=1)
    base = sum(y) / n
    brier = fsum((a - b) ** 2 for a, b in zip(p, y, strict=True)) / n
    alone = base * (1 - base)
    table = _table(p, y, count)
    return Calibration(
        n=n,
        base_rate=base,
        brier=brier,
        brier_of_base_rate=alone,
        skill=1 - brier / alone if alone else None,
        log_loss=_log_loss(p, y),
        ece=fsum(row.n / n * abs(row.came_true - row.stated) for row in table),
        bins=table,
        bin_count=count,
    )


def zeros_and_ones(name: str, values: Iterable[bool | int]) -> list[int]:
    """Outcomes as 0 and 1. Raises `BadCounts` for anything else."""
    found = []
    for value in values:
        if value not in (0, 1) or isinstance(value, float):
            raise BadCounts(f"{name} is {value!r}; expected 0 or 1")
        found.append(int(value))
    return found


def _table(p: Sequence[float], y: Sequence[int], count: int) -> tuple[Bin, ...]:
    edges = [(i + 1) / count for i in range(count)]
    members: list[list[int]] = [[] for _ in edges]
    for index, value in enumerate(p):
        members[bisect_left(edges, value)].append(index)
    return tuple(
        Bin(
            low=i / count,
            high=edges[i],
            n=len(inside),
            stated=_mean([p[index] for index in inside]),
            came_true=sum(y[index] for index in inside) / len(inside),
            interval=wilson(successes=sum(y[index] for index in inside), trials=len(inside)),
        )
        for i, inside in enumerate(members)
        if inside
    )


def _mean(values: Sequence[float]) -> float:
    # rounding must not carry the mean of equal values past them, out of their bin
    return min(max(fsum(values) / len(values), min(values)), max(values))


def _log_loss(p: Sequence[float], y: Sequence[int]) -> float | None:
    if any(
        (value == 0 and happened) or (value == 1 and not happened)
        for value, happened in zip(p, y, strict=True)
    ):
        return None
    return -fsum(
        log(value) if happened else log1p(-value) for value, happened in zip(p, y, strict=True)
    ) / len(p)
