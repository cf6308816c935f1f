"""Money is whole minor units; exponents come from ISO 4217; nothing is ever rounded."""

from __future__ import annotations

import decimal
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.formats.money import BadAmount, UnknownCurrency, currencies, exponent, to_minor, to_text

codes = st.sampled_from(sorted(currencies()))
amounts = st.integers(min_value=-(10**30), max_value=10**30)


@given(amounts, codes)
def test_an_amount_survives_being_written_for_people(amount: int, currency: str) -> None:
    number, code = to_text(amount, currency).split(" ")
    assert code == currency
    assert to_minor(number.replace(",", ""), currency) == amount


@given(st.integers(min_value=0, max_value=10**30), codes)
def test_an_amount_for_people_has_the_decimals_of_its_currency(amount: int, currency: str) -> None:
    number = to_text(amount, currency).split(" ")[0]
    assert len(number.partition(".")[2]) == exponent(currency)
    assert all(len(group) == 3 for group in number.partition(".")[0].split(",")[1:])


@pytest.mark.fault("B07")
@given(st.decimals(min_value=-(10**9), max_value=10**9, places=2))
def test_minor_units_are_exact(amount: Decimal) -> None:
    text = f"{amount:f}"
    if text.startswith("-0.00"):
        text = "0.00"
    assert to_minor(text, "EUR") == int(amount * 100)


def test_the_precision_of_the_callers_decimals_does_not_matter() -> None:
    with decimal.localcontext() as context:
        context.prec = 2
        assert to_minor("123456.78", "EUR") == 12345678
        assert to_text(12345678, "EUR") == "123,456.78 EUR"


@pytest.mark.fault("B07")
@pytest.mark.parametrize(
    ("amount", "currency", "minor"),
    [
        ("19.99", "EUR", 1999),
        ("19.9", "EUR", 1990),
        ("19", "EUR", 1900),
        ("-0.05", "EUR", -5),
        ("0", "EUR", 0),
        ("1000", "JPY", 1000),
        ("1.234", "KWD", 1234),
        ("12345678901234567890123456789.01", "EUR", 1234567890123456789012345678901),
    ],
)
def test_plain_decimal_text_becomes_minor_units(amount: str, currency: str, minor: int) -> None:
    assert to_minor(amount, currency) == minor


@pytest.mark.fault("B05")
@pytest.mark.parametrize(
    ("amount", "currency"),
    [
        ("41,00", "EUR"),
        ("1,234.50", "EUR"),
        ("1.999", "EUR"),
        ("1.000", "JPY"),  # a German thousand, not one yen
        ("1.230", "EUR"),
        ("+1", "EUR"),
        (" 1", "EUR"),
        ("1.", "EUR"),
        (".5", "EUR"),
        ("01", "EUR"),
        ("1e2", "EUR"),
        ("NaN", "EUR"),
        ("Infinity", "EUR"),
        ("", "EUR"),
        ("१", "EUR"),
        ("1\n", "EUR"),
        ("9" * 5000, "EUR"),
    ],
)
def test_any_other_spelling_is_no_amount(amount: str, currency: str) -> None:
    with pytest.raises(BadAmount) as refused:
        to_minor(amount, currency)
    assert len(str(refused.value)) < 200


@pytest.mark.fault("B05")
@pytest.mark.parametrize(
    ("currency", "decimals"), [("EUR", 2), ("JPY", 0), ("KWD", 3), ("CLF", 4), ("HUF", 2)]
)
def test_exponents_are_those_of_iso_4217(currency: str, decimals: int) -> None:
    assert exponent(currency) == decimals


@pytest.mark.parametrize("currency", ["eur", "EUX", "XAU", "XXX", "", "€"])
def test_what_has_no_minor_units_is_no_currency(currency: str) -> None:
    with pytest.raises(UnknownCurrency):
        exponent(currency)
    assert currency not in currencies()


def test_an_unknown_currency_names_the_nearest() -> None:
    with pytest.raises(UnknownCurrency, match="did you mean EUR"):
        exponent("EURO")


def test_a_negative_amount_keeps_its_sign_below_one_unit() -> None:
    assert to_text(-5, "EUR") == "-0.05 EUR"
    assert to_text(400000, "EUR") == "4,000.00 EUR"
    assert to_text(-1234567, "JPY") == "-1,234,567 JPY"
