from __future__ import annotations

from decimal import Decimal

import pytest

from company_lab.evaluation.texts.amounts import MOST_NUMBERS, find_amounts, read_amounts
from company_lab.evaluation.texts.numbers import readings
from company_lab.evaluation.texts.stated import states_amount


def values(text: str, locale: str | None) -> list[list[str]]:
    return [[str(reading) for reading in amount.readings] for amount in find_amounts(text, locale)]


@pytest.mark.parametrize(
    ("raw", "locale", "expected"),
    [
        ("-7,00", "de", ["-7.00"]),
        ("2.481,30", "de", ["2481.30"]),
        ("2'481.30", "ch", ["2481.30"]),
        ("2\u2019481.30", "de-CH", ["2481.30"]),
        ("1,00,000.00", "in", ["100000.00"]),
        ("2.481", None, ["2.481", "2481"]),
        ("(80.00)", "en", ["-80.00"]),
        ("\u2212$5.00", "en", ["-5.00"]),
        ("$-5.00", "en", ["-5.00"]),
        ("CHF 50.\u2013", "de-CH", ["50"]),
        ("50,- EUR", "de", ["50"]),
        ("€1.2 million", "en", ["1200000.0"]),
        ("5k EUR", "en", ["5000"]),
        ("2\u202f500,00 €", "fr", ["2500.00"]),
        ("2.500,00 EUR", "en", ["2500.00"]),
        ("7,00 EUR", "en", ["7.00"]),
        ("1.2.3 EUR", "en", []),
        ("10 euros and 50 cents", "en", []),
    ],
)
def test_a_lone_amount_is_read(raw: str, locale: str | None, expected: list[str]) -> None:
    assert values(raw, locale)[0] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Ticket 1010 is closed.",
        "A-104 and I-400",
        "version v2.50 of it",
        "at 08:45 on 14.03.2026",
        "2026-03-14",
        "on 14.03. we met",
        "34.5 % off",
        "ten percent, 10 percent",
        "10-20 EUR",
        "3 days of review",
        "pay_40 EUR",
        "call +49 30 123456",
        "no digits at all",
        ".50 EUR",
        "$.50",
        "https://x.test/?q=84000",
    ],
)
def test_what_is_no_amount(text: str) -> None:
    assert find_amounts(text, "en") == []


@pytest.mark.parametrize(
    ("text", "locale", "currency", "candidates"),
    [
        ("40 EUR", "en", "EUR", ("EUR",)),
        ("EUR40", "en", "EUR", ("EUR",)),
        ("40 eur", "en", "EUR", ("EUR",)),
        ("40 euros", "en", "EUR", ("EUR",)),
        ("US$40", "en", "USD", ("USD",)),
        ("A$40", "en", "AUD", ("AUD",)),
        ("40 kr", "sv", "SEK", ("SEK", "NOK", "DKK", "ISK")),
        ("Rs. 500", "en-IN", "INR", ("INR", "PKR", "LKR", "NPR", "MUR", "SCR")),
        ("$40", "en-CA", "CAD", None),
        ("$40", "en", None, None),
        ("$40 USD", "en", "USD", ("USD",)),
        ("40 US dollars", "en", "USD", ("USD",)),
        ("25 euro cents", "en", "EUR", ("EUR",)),
        ("372.50", "en", None, ()),
        ("40 PDF files for 3.50", "en", None, ()),
    ],
)
def test_the_currency_of_an_amount(
    text: str, locale: str, currency: str | None, candidates: tuple[str, ...] | None
) -> None:
    (amount,) = find_amounts(text, locale)
    assert amount.currency == currency
    if candidates is None:
        assert len(amount.candidates) > 1
    else:
        assert amount.candidates == candidates


@pytest.mark.parametrize(
    ("text", "raws"),
    [
        ("We refunded €10.00 of your €100.00.", ["€10.00", "€100.00"]),
        ("USD 40 EUR 50", ["USD 40", "EUR 50"]),
        ("EUR 40 EUR 50", ["EUR 40", "EUR 50"]),
        ("40 EUR 50 USD", ["40 EUR", "50 USD"]),
        ("Refund: **$372.50**", ["$372.50"]),
        (r"is \$372.50.", ["$372.50"]),
        ("a 40-euro voucher", ["40-euro"]),
        ("_40.00 EUR_", ["40.00 EUR"]),
        ("The deposit (40.00 EUR) came", ["(40.00 EUR)"]),
        ("40 EUR, then 50 EUR", ["40 EUR", "50 EUR"]),
    ],
)
def test_where_amounts_begin_and_end(text: str, raws: list[str]) -> None:
    found = find_amounts(text, "en")
    assert [amount.raw for amount in found] == raws
    assert all(text[amount.start : amount.end] == amount.raw for amount in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You get (25.00) USD.", ["-25.00"]),
        ("The deposit (40.00 EUR) came.", ["40.00"]),
        ("Refund: ($40.00)", ["40.00", "-40.00"]),
        ("The sum (25.00) is open.", ["25.00", "-25.00"]),
        ("($40.00)", ["-40.00"]),
        ("- 40 EUR", ["40"]),
        ("paid -40 EUR", ["-40"]),
    ],
)
def test_signs_and_brackets(text: str, expected: list[str]) -> None:
    assert values(text, "en") == [expected]


def test_a_number_far_too_long_is_unreadable_and_nothing_raises() -> None:
    assert readings("1" * 5_000, "en") == ()
    (amount,) = find_amounts("EUR " + "1" * 5_000, "en")
    assert amount.readings == ()


def test_reading_stops_at_the_limit_and_says_so() -> None:
    text = "1 EUR, " * (MOST_NUMBERS + 1)
    amounts, complete = read_amounts(text, "en")
    assert not complete
    assert len(amounts) == MOST_NUMBERS
    assert read_amounts("1 EUR", "en")[1]


@pytest.mark.parametrize(
    ("number", "locale", "expected"),
    [
        ("2,500", "en", ["2500"]),
        ("2,500", "de", ["2.500"]),
        ("2.500", "de", ["2500"]),
        ("2,500", None, ["2500", "2.500"]),
        ("2,500", "xx", ["2500", "2.500"]),
        ("0.500", None, ["0.500"]),
        ("1234.56", None, ["1234.56"]),
        ("1.234.567", None, ["1234567"]),
        ("2 500", None, ["2500"]),
        ("1,2,3", "en", []),
    ],
)
@pytest.mark.fault("A05")
def test_readings_of_a_number(number: str, locale: str | None, expected: list[str]) -> None:
    assert sorted(readings(number, locale)) == sorted(Decimal(value) for value in expected)
    assert [str(value) for value in readings(number, locale)] == expected or len(expected) > 1


@pytest.mark.parametrize(
    ("text", "amount_minor", "glued_minor"),
    [
        ("On invoice I-620 770.00 EUR are open", 77_000, 62_077_000),
        ("For A104 500.00 EUR came in", 50_000, 10_450_000),
        ("Case K/12 100.00 EUR", 10_000, 1_210_000),
    ],
)
def test_an_id_before_an_amount_is_no_thousands_group(text: str, amount_minor: int, glued_minor: int) -> None:
    assert states_amount(text, amount_minor=amount_minor, currency="EUR", locale="en") == "yes"
    assert states_amount(text, amount_minor=glued_minor, currency="EUR", locale="en") == "no"
