"""Agreement of reviewers: undefined where it is, and the same as its definition where it is not."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.evaluation.statistics import (
    BadCounts,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    observed_agreement,
    pabak,
)

labels = st.sampled_from([1, 2, 3, None])


def by_definition(ratings: list[list[int | None]], distance: Any) -> float | None:
    units = [[value for value in column if value is not None] for column in zip(*ratings, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    every = [value for unit in units for value in unit]
    seen = sum(sum(distance(a, b) for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in units)
    expected = sum(distance(a, b) for a, b in permutations(every, 2))
    if not expected:
        return None
    found: float = 1 - (len(every) - 1) * seen / expected
    return found


@given(
    st.integers(1, 8).flatmap(
        lambda n: st.lists(st.lists(labels, min_size=n, max_size=n), min_size=2, max_size=4)
    )
)
def test_alpha_is_observed_over_expected_disagreement(ratings: list[list[int | None]]) -> None:
    nominal = by_definition(ratings, lambda a, b: float(a != b))
    interval = by_definition(ratings, lambda a, b: (a - b) ** 2)
    for scale, expected in (("nominal", nominal), ("interval", interval)):
        found = krippendorff_alpha(ratings, scale=scale).value  # type: ignore[arg-type]
        assert found == (None if expected is None else pytest.approx(expected))


def test_alpha_is_undefined_without_pairs_or_without_variation() -> None:
    lonely = krippendorff_alpha([[1, None], [None, 2]])
    assert (lonely.value, lonely.reason, lonely.n, lonely.N) == (None, "no item has two ratings", 0, 2)
    assert krippendorff_alpha([[1, 1], [1, 1]]).reason == "all ratings are equal"
    assert krippendorff_alpha([["yes", "no"], ["yes", "no"]]).value == 1.0


@pytest.mark.parametrize(
    ("ratings", "scale"),
    [
        ([], "nominal"),
        ([[1], [1, 2]], "nominal"),
        ([["a"], ["b"]], "interval"),
        ([[-1], [2]], "ratio"),
        ([[1], [2]], "x"),
    ],
)
def test_ratings_that_have_no_alpha_are_refused(ratings: Any, scale: Any) -> None:
    with pytest.raises(BadCounts):
        krippendorff_alpha(ratings, scale=scale)


def test_kappa_is_low_where_labels_are_lopsided_and_ac1_is_not() -> None:
    table = [[90, 5], [5, 0]]
    assert observed_agreement(table).value == 0.9
    assert cohen_kappa(table).value == pytest.approx(-0.0526, abs=1e-4)
    assert gwet_ac1(table).value == pytest.approx(0.8895, abs=1e-4)


@given(st.lists(st.integers(0, 20), min_size=4, max_size=4))
def test_no_coefficient_is_above_one(cells: list[int]) -> None:
    table = [cells[:2], cells[2:]]
    if not sum(cells):
        with pytest.raises(BadCounts):
            cohen_kappa(table)
        return
    for figure in (cohen_kappa(table), gwet_ac1(table), pabak(table)):
        assert figure.value is None or -1 <= figure.value <= 1
        assert figure.n == sum(cells)
    if cells[1] == cells[2] == 0 and cells[0] and cells[3]:
        assert cohen_kappa(table).value == gwet_ac1(table).value == 1.0


def test_the_interval_of_kappa_resamples_items_and_says_what_was_undefined() -> None:
    figure = cohen_kappa([[20, 5], [10, 15]], times=400, seed=2)
    assert figure.low is not None
    assert figure.high is not None
    assert figure.low < 0.4 < figure.high
    assert figure == cohen_kappa([[20, 5], [10, 15]], times=400, seed=2)
    rare = cohen_kappa([[5, 0], [0, 1]], times=400)
    assert "of 400 resamples were undefined" in str(rare)
    assert cohen_kappa([[9, 0], [0, 0]], times=400).low is None
    one = next(
        figure
        for seed in range(99)
        if (figure := cohen_kappa([[9, 0], [0, 1]], times=1, seed=seed)).low is None
    )
    assert (one.value, one.reason) == (1.0, "no interval: all 1 resamples were undefined")


def test_one_label_only_is_undefined() -> None:
    assert gwet_ac1([[3]]).value is None
    assert pabak([[3]]).value is None
    assert fleiss_kappa([[3, 0], [3, 0]]).value is None
    assert fleiss_kappa([[3, 0], [0, 3]]).value == 1.0


@pytest.mark.parametrize(
    "counts", [[], [[2, 1], [1, 1]], [[1, 0], [0, 1]], [[2, 0], [2]], [[1.0, 1], [1, 1]]]
)
def test_fleiss_needs_the_same_number_of_labels_for_each_item(counts: Any) -> None:
    with pytest.raises(BadCounts):
        fleiss_kappa(counts)


@pytest.mark.parametrize("table", [[], [[1, 2]], [[1, -1], [0, 1]], [[True, 0], [0, 1]]])
def test_what_is_no_table_is_refused(table: Any) -> None:
    with pytest.raises(BadCounts):
        cohen_kappa(table)
