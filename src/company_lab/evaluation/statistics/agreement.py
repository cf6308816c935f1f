"""How far reviewers agree. Where a coefficient does not exist it is undefined, neither 0 nor 1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import Literal

from company_lab.evaluation.statistics.arguments import BadCounts, level, real, whole
from company_lab.evaluation.statistics.figure import Figure
from company_lab.evaluation.statistics.resampling import resamples

Table = Sequence[Sequence[int]]
"""`table[i][j]`: items labelled i by the first reviewer and j by the second."""

Scale = Literal["nominal", "ordinal", "interval", "ratio"]

_ONE_LABEL = "both reviewers used one label, so agreement by chance is certain"


def observed_agreement(table: Table) -> Figure:
    """The share of items with the same label from both."""
    _, total, agreed, _ = _square(table)
    return _figure("agreement", "share of equal labels", agreed, total)


def cohen_kappa(table: Table, *, confidence: float = 0.95, times: int = 0, seed: int = 0) -> Figure:
    """Cohen's kappa (1960): (po-pe)/(1-pe) of two reviewers with nominal labels.

    Undefined where both use one label. Low where labels are lopsided although reviewers agree (90/5/5/0: agreement
    0.90, kappa -0.05), so show `gwet_ac1` beside it. With `times` an interval by resampling items.
    """
    counts, total, _, _ = _square(table)
    figure = _figure("Cohen's kappa", "(po-pe)/(1-pe)", _kappa(counts), total, _ONE_LABEL)
    if not times or figure.value is None:
        return figure
    cells = [(i, j) for i, row in enumerate(counts) for j, count in enumerate(row) for _ in range(count)]
    found: list[float] = []
    for rows in resamples(items=total, times=whole("times", times), seed=seed, purpose="kappa"):
        for row in rows.tolist():
            drawn = [[0] * len(counts) for _ in counts]
            for index in row:
                i, j = cells[index]
                drawn[i][j] += 1
            value = _kappa(drawn)
            if value is not None:
                found.append(float(value))
    left_out = times - len(found)
    if not found:
        return replace(figure, reason=f"no interval: all {times} resamples were undefined")
    found.sort()
    tail = (1 - level(confidence)) / 2
    return replace(
        figure,
        low=found[floor(tail * (len(found) - 1))],
        high=found[-1 - floor(tail * (len(found) - 1))],
        interval="resampled items",
        level=confidence,
        reason=f"{left_out} of {times} resamples were undefined" if left_out else "",
    )


def gwet_ac1(table: Table) -> Figure:
    """Gwet's AC1 (2008): agreement by chance is sum of pi(1-pi)/(q-1), pi the mean share of a label.

    Holds still where labels are lopsided, unlike kappa. Undefined only for a table of one label.
    """
    counts, total, agreed, q = _square(table)
    if q < 2:
        return _figure("Gwet's AC1", "(po-pe)/(1-pe)", None, total, "the table has one label only")
    shares = [Fraction(sum(counts[i]) + sum(row[i] for row in counts), 2 * total) for i in range(q)]
    chance = sum((pi * (1 - pi) for pi in shares), Fraction(0)) / (q - 1)
    return _figure("Gwet's AC1", "(po-pe)/(1-pe)", (agreed - chance) / (1 - chance), total)


def pabak(table: Table) -> Figure:
    """Kappa with even chances, (q po - 1)/(q - 1): agreement on a scale where guessing is 0."""
    _, total, agreed, q = _square(table)
    if q < 2:
        return _figure("PABAK", "(q po - 1)/(q - 1)", None, total, "the table has one label only")
    return _figure("PABAK", "(q po - 1)/(q - 1)", (q * agreed - 1) / (q - 1), total)


def fleiss_kappa(counts: Sequence[Sequence[int]]) -> Figure:
    """Fleiss' kappa (1971) of several reviewers: `counts[i][j]` of them gave item i the label j.

    Every item needs the same number of labels, two at least; with gaps use `krippendorff_alpha`.
    """
    rows = [[whole("a count", count) for count in row] for row in counts]
    if not rows:
        raise BadCounts("there are no items; agreement needs at least one")
    sizes = {sum(row) for row in rows}
    if len({len(row) for row in rows}) > 1 or len(sizes) > 1 or min(sizes) < 2:
        raise BadCounts(
            "items have different numbers of labels, or fewer than 2; expected the same number for each "
            "(krippendorff_alpha takes gaps)"
        )
    m, items = sizes.pop(), len(rows)
    agreed = Fraction(sum(count * (count - 1) for row in rows for count in row), items * m * (m - 1))
    chance = sum((Fraction(sum(column), items * m) ** 2 for column in zip(*rows, strict=True)), Fraction(0))
    value = None if chance == 1 else (agreed - chance) / (1 - chance)
    return _figure("Fleiss' kappa", "(P-Pe)/(1-Pe)", value, items, "all reviewers used one label")


def krippendorff_alpha(ratings: Sequence[Sequence[object]], *, scale: Scale = "nominal") -> Figure:
    """Krippendorff's alpha (2011), 1 - Do/De: rows are reviewers, columns items, None where not rated.

    Takes gaps and any number of reviewers. On the ordinal, interval and ratio scale labels are numbers; ratio
    takes none below 0. Undefined where no item has two ratings, or all ratings are equal.
    """
    lengths = {len(row) for row in ratings}
    if len(lengths) != 1:
        raise BadCounts(
            f"reviewers have {sorted(lengths)} items; expected a list of the same length from each"
        )
    units = [[value for value in column if value is not None] for column in zip(*ratings, strict=True)]
    paired = [unit for unit in units if len(unit) > 1]
    name, how = f"Krippendorff's alpha ({scale})", "1 - Do/De"
    if not paired:
        return _figure(name, how, None, 0, "no item has two ratings", planned=len(units))
    totals: Counter[object] = Counter(value for unit in paired for value in unit)
    distance = _distance(scale, totals)
    size = totals.total()
    seen, expected = Fraction(0), Fraction(0)
    for unit in paired:
        counts = Counter(unit)
        apart = sum((n * counts[b] * distance(a, b) for a, n in counts.items() for b in counts), Fraction(0))
        seen += apart / (len(unit) - 1)
    for a, n in totals.items():
        expected += sum((n * totals[b] * distance(a, b) for b in totals), Fraction(0))
    value = None if expected == 0 else 1 - (size - 1) * seen / expected
    return _figure(name, how, value, len(paired), "all ratings are equal", planned=len(units))


def _distance(scale: Scale, totals: Mapping[object, int]) -> Callable[[object, object], Fraction]:
    if scale == "nominal":
        return lambda a, b: Fraction(a != b)
    if scale not in ("ordinal", "interval", "ratio"):
        raise BadCounts(f"scale is {scale!r}; expected nominal, ordinal, interval or ratio")
    numbers = {value: Fraction(str(real("a rating", value))) for value in totals}
    if scale == "interval":
        return lambda a, b: (numbers[a] - numbers[b]) ** 2
    if scale == "ratio":
        if min(numbers.values()) < 0:
            raise BadCounts("a rating is below 0; the ratio scale has none")
        return lambda a, b: (
            Fraction(0) if a == b else ((numbers[a] - numbers[b]) / (numbers[a] + numbers[b])) ** 2
        )
    ordered = sorted(numbers, key=numbers.__getitem__)
    middle: dict[object, Fraction] = {}
    below = 0
    for value in ordered:
        middle[value] = below + Fraction(totals[value], 2)
        below += totals[value]
    return lambda a, b: (middle[a] - middle[b]) ** 2


def _square(table: Table) -> tuple[list[list[int]], int, Fraction, int]:
    counts = [[whole("a count", count) for count in row] for row in table]
    if not counts or any(len(row) != len(counts) for row in counts):
        raise BadCounts("the table is not square; expected a row and a column for each label")
    total = sum(map(sum, counts))
    if total == 0:
        raise BadCounts("the table is empty; agreement needs at least one item")
    return counts, total, Fraction(sum(counts[i][i] for i in range(len(counts))), total), len(counts)


def _kappa(counts: Sequence[Sequence[int]]) -> Fraction | None:
    total = sum(map(sum, counts))
    agreed = Fraction(sum(counts[i][i] for i in range(len(counts))), total)
    chance = Fraction(
        sum(sum(counts[i]) * sum(row[i] for row in counts) for i in range(len(counts))), total**2
    )
    return None if chance == 1 else (agreed - chance) / (1 - chance)


def _figure(
    name: str, how: str, value: Fraction | None, items: int, reason: str = "", planned: int | None = None
) -> Figure:
    return Figure(
        name=name,
        estimator=how,
        value=None if value is None else float(value),
        n=items,
        N=items if planned is None else planned,
        of="items",
        reason=reason if value is None else "",
    )
