from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_desk import failing, work
from company_lab.agents.protocol import Session
from company_lab.company.statements import readings


@pytest.mark.fault("B19")
@pytest.mark.parametrize(
    ("raw", "format", "currency", "found"),
    [
        ("-7,00", "de", "EUR", {-700}),
        ("7,00", "de", "EUR", {700}),
        ("1.234,50-", "de", "EUR", {-123450}),
        ("1.234,50 -", "de", "EUR", {-123450}),
        ("1.234,50+", "de", "EUR", {123450}),
        ("+7,00", "de", "EUR", {700}),
        ("\N{MINUS SIGN}7,00", "de", "EUR", {-700}),
        ("2\N{RIGHT SINGLE QUOTATION MARK}481.30", "ch", "EUR", {248130}),
        ("(80.00", "en", "EUR", set()),
        ("80.00)", "en", "EUR", set()),
        ("80.-00", "en", "EUR", set()),
        ("-+7.00", "en", "EUR", set()),
        ("2.481,30", "de", "EUR", {248130}),
        ("2'481.30", "ch", "EUR", {248130}),
        ("1,00,000.00", "in", "INR", {10000000}),
        ("(80.00)", "en", "EUR", {-8000}),
        ("2.481", "unknown", "EUR", {248100}),
        ("2.481", "unknown", "KWD", {2481, 2481000}),
        ("2,481", "unknown", "JPY", {2481}),
        ("2.5", "en", "EUR", {250}),
        ("1,00,000.00", "en", "EUR", set()),
        ("24,81", "en", "EUR", set()),
        ("1.5", "en", "JPY", set()),
        ("1.505", "en", "EUR", set()),
        ("", "en", "EUR", set()),
        ("one", "unknown", "EUR", set()),
    ],
)
def test_a_printed_number_is_read_in_its_format(
    raw: str, format: str, currency: str, found: set[int]
) -> None:
    assert readings(raw, format, currency) == found


@given(st.integers(0, 10**9), st.sampled_from(["en", "de", "ch"]))
def test_what_was_printed_is_read_back(amount: int, format: str) -> None:
    group, point = {"en": (",", "."), "de": (".", ","), "ch": ("'", ".")}[format]
    printed = f"{amount // 100:,}".replace(",", group) + point + f"{amount % 100:02d}"
    assert readings(printed, format, "EUR") == {amount}
    assert amount in readings(printed, "unknown", "EUR")


def line(raw: str, format: str = "de", currency: str = "EUR") -> dict[str, Any]:
    return {"statement_lines": {"st-1": {"raw": raw, "format": format, "currency": currency}}}


def test_a_line_is_entered_once_as_it_is_printed() -> None:
    def do(session: Session) -> None:
        for amount in (2481, 24813000, -248130):
            error = failing(session, "statements.enter", id="st-1", amount_minor=amount)
            assert error.reason == "amount_mismatch"
        assert session.call("statements.enter", id="st-1", amount_minor=248130)["entered_minor"] == 248130
        again = failing(session, "statements.enter", id="st-1", amount_minor=248130)
        assert again.reason == "already_entered"

    work(do, tables=line("2.481,30"))


@pytest.mark.fault("B19")
def test_an_amount_that_reads_two_ways_waits_for_a_person() -> None:
    def do(session: Session) -> None:
        for amount in (2481, 2481000):
            error = failing(session, "statements.enter", id="st-1", amount_minor=amount)
            assert (error.code, error.reason) == ("held", "ambiguous_amount")
        error = failing(session, "statements.enter", id="st-1", amount_minor=5)
        assert (error.code, error.reason) == ("refused", "amount_mismatch")

    left = work(do, tables=line("2.481", "unknown", "KWD"))
    assert not any(name.startswith("statement_lines/") for name in left.changed)
