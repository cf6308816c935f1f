from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from company_lab.evaluation.texts.findings import Decision
from company_lab.evaluation.texts.phrases import BadPhrase
from company_lab.evaluation.texts.stated import states_amount, states_literal, states_number, tells_literal
from company_lab.formats.money import UnknownCurrency, exponent


@pytest.mark.parametrize(
    ("text", "minor", "currency", "locale", "expected"),
    [
        ("We refunded 100 EUR.", 1_000, "EUR", "en", "no"),
        ("Ticket 1010 is closed.", 1_000, "EUR", "en", "no"),
        ("We refunded 10 EUR.", 1_000, "EUR", "en", "yes"),
        ("We refunded €10.00 of your €100.00.", 1_000, "EUR", "en", "yes"),
        ("Total: 2,500 EUR", 250_000, "EUR", "en", "yes"),
        ("Total: 2.500,00 EUR", 250_000, "EUR", "de", "yes"),
        ("Total: 2\u202f500,00 €", 250_000, "EUR", "fr", "yes"),
        ("Total: 2.500 EUR", 250_000, "EUR", "en", "no"),
        ("Total: 2.500 EUR", 250_000, "EUR", None, "unclear"),
        ("Total: 25.00 EUR", 250_000, "EUR", "en", "no"),
        ("We will credit you (25.00) USD.", 250_000, "USD", "en", "no"),
        ("The credit is USD 25.00.", 250_000, "USD", "en", "no"),
        ("The credit is USD 2500.", 250_000, "USD", "en", "yes"),
        ("The credit is USD 2,500.00!", 250_000, "USD", "en", "yes"),
        ("The credit is USD 2,500.00!", 250_001, "USD", "en", "no"),
        ("You owe 80 EUR.", 8_000, "EUR", "en", "yes"),
        ("You owe 180 EUR.", 8_000, "EUR", "en", "no"),
        ("1300.00 EUR are open", 30_000, "EUR", "en", "no"),
        ("Order 300 is open, in EUR", 30_000, "EUR", "en", "no"),
        ("84.50 EUR", 4_850, "EUR", "en", "no"),
        ("4,000.00 EUR remain open", 400_000, "EUR", "en", "yes"),
    ],
)
def test_an_amount_is_compared_as_a_whole_number_of_minor_units(
    text: str, minor: int, currency: str, locale: str | None, expected: Decision
) -> None:
    assert states_amount(text, amount_minor=minor, currency=currency, locale=locale) == expected


@pytest.mark.parametrize(
    ("text", "minor", "currency", "locale", "expected"),
    [
        ("The same 10 USD", 1_000, "EUR", "en", "no"),
        ("Your balance is 372.50.", 37_250, "USD", "en", "unclear"),
        ("Your balance is 372.51.", 37_250, "USD", "en", "no"),
        ("$40 remain", 4_000, "USD", "en", "yes"),
        ("$40 remain", 4_000, "CAD", "en", "yes"),
        ("$40 remain", 4_000, "CAD", "en-US", "unclear"),
        ("$40 remain", 4_000, "EUR", "en", "no"),
        ("2500 cents", 2_500, "EUR", "en", "unclear"),
        ("2500 cents", 2_500, "USD", "en-US", "yes"),
        ("25 euro cents", 25, "EUR", "en", "yes"),
        ("2500 cents", 250_000, "EUR", "en", "no"),
        ("JPY 2,500", 2_500, "JPY", "en", "yes"),
        ("JPY 2,500", 250_000, "JPY", "en", "no"),
        ("2500.00 JPY", 2_500, "JPY", "en", "no"),
        ("KWD 2.500", 2_500, "KWD", "en", "yes"),
        ("KWD 2.50", 2_500, "KWD", "en", "yes"),
        ("2.500 EUR", 250, "EUR", "en", "no"),
        ("0.50 EUR", 50, "EUR", "en", "yes"),
        ("-40 EUR", 4_000, "EUR", "en", "no"),
        ("-40 EUR", -4_000, "EUR", "en", "yes"),
        ("€1.2 million", 120_000_000, "EUR", "en", "yes"),
        ("5k EUR", 500_000, "EUR", "en", "yes"),
        ("ten euros", 1_000, "EUR", "en", "unclear"),
        ("ten apples", 1_000, "EUR", "en", "no"),
        ("2 500 EUR", 250_000, "EUR", "fr", "yes"),
        ("2 500 EUR", 250_000, "EUR", "en", "unclear"),
        ("Order 2 500 EUR", 50_000, "EUR", "en", "unclear"),
        ("> you owe me 40 EUR\nWe see that.", 4_000, "EUR", "en", "no"),
        ("We did not refund 10 EUR.", 1_000, "EUR", "en", "yes"),
        ("not 10 EUR but 20 EUR", 1_000, "EUR", "en", "unclear"),
        ("not 10 EUR but 20 EUR", 2_000, "EUR", "en", "yes"),
        ("about 10 EUR", 1_000, "EUR", "en", "unclear"),
        ("10 euros and 50 cents", 1_000, "EUR", "en", "unclear"),
    ],
)
def test_currency_units_signs_and_wording_decide_too(
    text: str, minor: int, currency: str, locale: str | None, expected: Decision
) -> None:
    assert states_amount(text, amount_minor=minor, currency=currency, locale=locale) == expected


REFUND = ("refund*",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"After 3 days of review your refund is \$372.50.", "yes"),
        ("Your refund of $30 follows the charge of $372.50.", "no"),
        ("Refund: **$372.50**", "yes"),
        ("Your refund, as promised, is $372.50.", "yes"),
        ("$372.50 were refunded.", "yes"),
        ("The charge was $372.50, the refund $30.", "no"),
        ("Refund:\n- $372.50", "yes"),
        ("| Refund | $372.50 |", "yes"),
        ("Your refund of $3O follows the charge of $372.50.", "unclear"),
        ("Your refund is 30. The charge was $372.50.", "unclear"),
        ("The refund for the charge of $372.50 is $30.", "unclear"),
        ("We did not refund $372.50.", "unclear"),
        ("You get $372.50 back.", "unclear"),
        ("You get $37.25 back.", "no"),
        ("We refunded $372.50; shipping of $5 stays with us.", "yes"),
        ("We refunded your order with $372.50, and $5 remain.", "yes"),
        ("Your payment of $372.50 arrived and a refund of $30 was made.", "no"),
        ("The refund has been made.", "no"),
    ],
)
def test_the_amount_must_stand_beside_its_role(text: str, expected: Decision) -> None:
    found = states_amount(text, amount_minor=37_250, currency="USD", locale="en", role_phrases=REFUND)
    assert found == expected


def test_wrong_use_is_refused() -> None:
    with pytest.raises(UnknownCurrency):
        states_amount("1 EUR", amount_minor=100, currency="EURO", locale="en")
    with pytest.raises(BadPhrase, match=r"refund \("):
        states_amount("1 EUR", amount_minor=100, currency="EUR", locale="en", role_phrases=("refund (",))


# Decimal mark and grouping mark, and group sizes from the right, per locale.
WRITING = {
    "en": (".", ",", 3),
    "de": (",", ".", 3),
    "fr": (",", "\u202f", 3),
    "ch": (".", "'", 3),
    "in": (".", ",", 2),
}
FRAMES = [
    "We refunded {}.",
    "Total: **{}**",
    "We owe you {}, nothing else",
    "{} remain open",
    "(that is {}, as agreed)",
    "I-400: {}!",
    "{}",
]


def written(amount_minor: int, currency: str, locale: str, *, before: bool) -> str:
    decimal, group, size = WRITING[locale]
    digits = exponent(currency)
    major, minor = divmod(amount_minor, 10**digits)
    text = str(major)
    groups = [text[-3:]]
    rest = text[:-3]
    while rest:
        groups.insert(0, rest[-size:])
        rest = rest[:-size]
    number = group.join(groups) + (f"{decimal}{minor:0{digits}d}" if digits else "")
    return f"{currency} {number}" if before else f"{number} {currency}"


AMOUNTS = st.integers(0, 10**11)
CURRENCIES = st.sampled_from(["EUR", "USD", "CHF", "INR", "JPY", "KWD"])


@given(AMOUNTS, CURRENCIES, st.sampled_from(sorted(WRITING)), st.booleans(), st.sampled_from(FRAMES))
def test_an_amount_written_in_its_locale_is_found(
    minor: int, currency: str, locale: str, before: bool, frame: str
) -> None:
    text = frame.format(written(minor, currency, locale, before=before))
    assert states_amount(text, amount_minor=minor, currency=currency, locale=locale) == "yes"


@given(
    AMOUNTS,
    st.one_of(AMOUNTS, st.integers(-3, 6)),
    CURRENCIES,
    st.sampled_from(sorted(WRITING)),
    st.sampled_from([*sorted(WRITING), None]),
    st.sampled_from(FRAMES),
)
def test_another_amount_is_never_stated_where_the_locale_is_right_or_unknown(
    minor: int, other: int, currency: str, locale: str, read_as: str | None, frame: str
) -> None:
    wanted = minor * 10**other if 0 <= other <= 6 else minor + other
    assume(wanted != minor)
    assume(read_as in (locale, None))
    text = frame.format(written(minor, currency, locale, before=False))
    assert states_amount(text, amount_minor=wanted, currency=currency, locale=read_as) != "yes"


@pytest.mark.parametrize(
    ("text", "literal", "found"),
    [
        ("That is 2500 cents in all.", "2500 cents", True),
        ("That is 2500\u00a0Cents in all.", "2500 cents", True),
        ("That is 12500 cents in all.", "2500 cents", False),
        ("That is 2500 centses in all.", "2500 cents", False),
        ("That is 2,500 cents in all.", "500 cents", False),
    ],
)
def test_a_literal_is_found_as_whole_tokens(text: str, literal: str, found: bool) -> None:
    assert states_literal(text, literal) is found


@pytest.mark.parametrize(
    ("text", "number", "found"),
    [
        ("3 items are left", 3, True),
        ("three items are left", 3, True),
        ("items left: 3.", 3, True),
        ("a discount of 20 %", 20, True),
        ("about I-3", 3, False),
        ("for $3", 3, False),
        ("for 3 EUR", 3, False),
        ("3.5 items", 3, False),
        ("13 items", 3, False),
        ("on 3 March 2026", 3, False),
        ("at 3:30", 3, False),
        ("-3 degrees", 3, False),
        ("-3 degrees", -3, True),
        ("3.5 items", Decimal("3.5"), True),
        ("no number", 3, False),
    ],
)
def test_a_number_is_a_token_of_its_own(text: str, number: int | Decimal, found: bool) -> None:
    assert states_number(text, number) is found


def test_grouped_thousands_are_a_number_where_the_locale_says_so() -> None:
    assert states_number("1,234 items", 1_234, "en")
    assert not states_number("1,234 items", 1_234, "de")
    assert not states_number("1,234 items", 1_234)


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("It goes to Lindenallee 17 now.", "yes"),
        ("We noted Lindenallee 17, 24837 Schleswig.", "yes"),
        ("It does not go to Deichweg 4, but to Lindenallee 17.", "yes"),
        ("It can not be Lindenallee 17.", "yes"),
        ("> Lindenallee 17\n\nIt goes to Lindenallee  17.", "yes"),
        ("Your order will not go to Lindenallee 17.", "unclear"),
        ("We can't deliver it to lindenallee 17.", "unclear"),
        ("Wir liefern nicht an Lindenallee 17.", "unclear"),
        ("> Please send it to Lindenallee 17.\n\nNo.", "unclear"),
        ("It goes to Lindenallee 71.", "no"),
    ],
)
def test_a_place_to_which_something_does_not_go_was_not_told(text: str, decision: str) -> None:
    assert tells_literal(text, "Lindenallee 17") == decision


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("860.00 EUR came in for 860.00 CHF.", "yes"),
        ("860.00 CHF came in for 860.00 EUR.", "no"),
    ],
)
def test_what_follows_for_is_another_thing(text: str, decision: str) -> None:
    found = states_amount(
        text, amount_minor=86000, currency="EUR", locale="en", role_phrases=("came in", "paid")
    )
    assert found == decision
