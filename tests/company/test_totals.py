from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_desk import failing, work
from company_lab.agents.protocol import Session
from company_lab.company.totals import total_minor
from company_lab.formats.canonical import Json

THREE: list[Json] = [{"item": "poster", "quantity": 1, "price_minor": 1333}] * 3


@pytest.mark.fault("B08")
def test_tax_rounded_once_and_line_by_line_may_differ_by_a_cent() -> None:
    assert total_minor(THREE, tax_percent=19) == 4759
    assert total_minor(THREE, tax_percent=19, rounding="line") == 4758


def test_discount_comes_off_before_tax_and_a_line_without_price_says_nothing() -> None:
    assert total_minor(THREE, discount_minor=999, tax_percent=10) == 3300
    assert total_minor([*THREE, {"item": "stand", "quantity": 1}]) is None
    assert total_minor([]) == 0


@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(0, 10**6)), min_size=1, max_size=8),
    st.integers(0, 100),
)
def test_a_total_is_off_by_half_a_unit_at_most_for_each_rounding(
    lines: list[tuple[int, int]], percent: int
) -> None:
    exact = Fraction(sum(quantity * price for quantity, price in lines) * (100 + percent), 100)
    priced: list[Json] = [
        {"item": "x", "quantity": quantity, "price_minor": price} for quantity, price in lines
    ]
    once = total_minor(priced, tax_percent=percent)
    each = total_minor(priced, tax_percent=percent, rounding="line")
    assert once is not None
    assert each is not None
    assert abs(once - exact) <= Fraction(1, 2)
    assert abs(each - exact) <= Fraction(len(lines), 2)


@pytest.mark.fault("B08")
@pytest.mark.parametrize(
    ("total", "rounding", "fits"), [(4759, None, True), (4758, None, False), (4758, "line", True)]
)
def test_an_invoice_asks_for_what_its_lines_come_to(total: int, rounding: str | None, fits: bool) -> None:
    args = {"contact": "C-1", "currency": "EUR", "total_minor": total, "lines": THREE, "tax_percent": 19}

    def do(session: Session) -> None:
        chosen = args if rounding is None else args | {"rounding": rounding}
        if fits:
            session.call("invoices.create", **chosen)
        else:
            assert failing(session, "invoices.create", **chosen).reason == "amount_mismatch"

    assert bool(work(do, tables={"contacts": {"C-1": {"name": "Ida Holm"}}}).changed) == fits


def test_lines_without_prices_leave_the_total_to_whoever_writes_it() -> None:
    def do(session: Session) -> None:
        session.call(
            "invoices.create",
            contact="C-1",
            currency="EUR",
            total_minor=1,
            lines=[{"item": "banner", "quantity": 2}],
        )

    assert work(do, tables={"contacts": {"C-1": {"name": "Ida Holm"}}}).changed
