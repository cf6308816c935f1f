from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.reports.wording import Currencies, fields, value


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (None, "null"),
        (True, "true"),
        ("", '""'),
        ({"is": "absent"}, "absent"),
        ([], "[]"),
        ({}, "{}"),
        (2.5, "2.5"),
        ([1, "a"], "[1, a]"),
        ({"a": {"b": 1}}, "(a (b 1))"),
        ("two\nlines", "two\\nlines"),
    ],
)
def test_absent_null_and_empty_are_told_apart(found: object, said: str) -> None:
    assert value(found) == said


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"total_minor": 450000, "currency": "EUR"}, "total 4,500.00 EUR (450000)"),
        ({"total_minor": 4500, "currency": "JPY"}, "total 4,500 JPY (4500)"),
        ({"total_minor": 4500, "currency": "KWD"}, "total 4.500 KWD (4500)"),
        ({"total_minor": 4500}, "total 4500 minor units"),
        ({"total_minor": 4500, "currency": "ZZZ"}, "total 4500 minor units, currency ZZZ"),
        ({"total_minor": True, "currency": "EUR"}, "total true, currency EUR"),
        ({"currency": "EUR"}, "currency EUR"),
        (
            {"lines": [{"price_minor": 100}], "currency": "EUR"},
            "lines [(price 1.00 EUR (100))], currency EUR",
        ),
    ],
)
def test_amounts_are_money_where_the_currency_is_near(record: dict[str, object], said: str) -> None:
    assert fields(record) == said


def test_the_currency_of_a_call_is_its_own_or_that_of_the_record_it_names() -> None:
    currencies = Currencies({"invoices": {"I-1": {"currency": "EUR"}, "I-2": {"currency": "JPY"}, "I-3": {}}})
    assert currencies.of_call({"id": "I-1"}) == "EUR"
    assert currencies.of_call({"id": "I-1", "currency": "SEK"}) == "SEK"
    assert currencies.of_call({"ids": ["I-1", "I-2"]}) is None
    assert currencies.of_call({"id": "I-3"}) is None


def test_an_id_that_means_two_records_of_different_currencies_says_nothing() -> None:
    currencies = Currencies(
        {"invoices": {"X-1": {"currency": "EUR"}}, "orders": {"X-1": {"currency": "JPY"}}}
    )
    assert currencies.of("X-1") is None


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=40,
)


@given(_values)
def test_any_value_is_one_harmless_line(found: object) -> None:
    said = value(found, currency="EUR")
    assert said.isprintable() or set(said) & {"\u200c", "\u200d"}
    assert "\n" not in said


def test_large_values_are_cut_and_say_so() -> None:
    assert value("x" * 1000).endswith("more characters)")
    assert value(list(range(100))).endswith("(92 more)]")
    assert fields({f"k{n}": n for n in range(100)}).endswith("(76 more)")
