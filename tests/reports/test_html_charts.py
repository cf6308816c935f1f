"""Charts as they stand in the page."""

from __future__ import annotations

import re
from decimal import Decimal
from xml.etree import ElementTree

import pytest

from company_lab.formats.dollars import usd
from company_lab.reports.html.charts import Chart, distribution, intervals, repetition, themed
from company_lab.reports.html.measures import percentile, seconds

RATES = [(0.1, 0.3, 0.3, 0.6), (0.4, 0.5, 0.7, 0.8), (0.7, 1.0, 1.0, 1.0)]


def drawn(chart: Chart | None) -> Chart:
    assert chart is not None
    ElementTree.fromstring(chart.svg)
    return chart


@pytest.mark.parametrize("number", [3, 300])
def test_a_chart_has_neither_style_nor_colour_of_its_own(number: int) -> None:
    svg = drawn(intervals(RATES * (number // 3))).svg
    assert "style" not in svg
    assert "accent" in svg
    colours = set(re.findall(r"#[0-9a-fA-F]{6}", svg))
    assert not {colour for colour in colours if colour.startswith("#0")}, "a stand-in was not replaced"


def test_many_scenarios_do_not_make_a_large_chart() -> None:
    assert len(drawn(intervals(RATES * 1000)).svg) < 400_000


def test_a_chart_says_in_words_what_it_shows() -> None:
    chart = drawn(intervals(RATES))
    assert "lowest success rate is 0.30, with a 95 % Wilson interval from 0.10 to 0.60" in chart.said
    power = [(1, 0.8, 0.8), (2, 0.6, 0.7)]
    assert "pass^2, all of 2 trials passing, is between 0.60 and 0.70" in drawn(repetition(power, power)).said


def test_a_chart_keeps_its_letters() -> None:
    letters = "".join(ElementTree.fromstring(drawn(intervals(RATES)).svg).itertext())
    assert "scenarios, worst first" in letters


def test_equal_drawings_are_equal_to_the_byte() -> None:
    assert drawn(intervals(RATES)).svg == drawn(intervals(RATES)).svg


def test_nothing_is_drawn_where_there_is_nothing_to_see() -> None:
    assert intervals(RATES[:1]) is None
    assert repetition([(1, 1.0, 1.0)], [(1, 1.0, 1.0)]) is None
    assert distribution("t", "x", [0.0] * 50, seconds) is None
    assert distribution("t", "x", [3.0] * 50, seconds) is None
    assert drawn(distribution("t", "x", [float(one) for one in range(1, 50)], seconds)).said.startswith(
        "Half"
    )


def test_unknown_paint_is_kept_and_unknown_properties_are_not() -> None:
    svg = themed(
        '<svg width="1pt" height="2pt"><path style="fill: none; stroke: #040404; font: 3px x"/></svg>'
    )
    assert 'class="stroke-accent" fill="none"' in svg
    assert "font" not in svg
    assert "1pt" not in svg


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [
        ([], 50, None),
        ([1], 50, 1),
        ([1, 2], 50, 1),
        (range(1, 101), 99, 99),
        (range(1, 100), 99, None),
        (range(10), 90, 8),
    ],
)
def test_percentiles_are_values_that_were_seen(
    values: list[float], percent: int, expected: float | None
) -> None:
    assert percentile(list(values), percent) == expected


def test_wall_times_are_said_in_the_unit_people_read() -> None:
    assert seconds(950) == "950 ms"
    assert seconds(90_000) == "90 s"


def test_costs_are_drawn_and_said_as_they_are() -> None:
    chart = drawn(distribution("Cost", "cost", [Decimal("0.00002"), *[Decimal("0.3")] * 5], usd))
    assert chart.said == "Half of 6 episodes stayed at or below 0.3000 USD, all at or below 0.3000 USD."
    assert "below 0.0001 USD" in chart.svg
