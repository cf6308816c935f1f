"""Retelling changes everything that is meant, and says so where it can not be certain."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.formats.canonical import Json
from company_lab.formats.money import to_text
from company_lab.probing.recast import NotFitting, Recast, Uncertain
from company_lab.probing.retelling import Retelling

WEEKS = timedelta(weeks=3)
YEARS = timedelta(weeks=574)


def retelling(
    *, factor: Fraction | int = 2, shift: timedelta = WEEKS, majors: tuple[int, ...] = (), **more: object
) -> Retelling:
    return Retelling(
        Recast(
            words={"ida": "Vera", "holm": "Lange"},
            ids={"I-400": "I-731", "m_44": "m_91"},
            currencies={"EUR": "CHF"},
            factor=Fraction(factor),
            shift=shift,
            clock=date(2026, 3, 5),
            majors=frozenset(majors),
            **more,  # type: ignore[arg-type]
        )
    )


@pytest.mark.parametrize(
    ("told", "retold"),
    [
        ("4,000.00 EUR remain open", "8,000.00 CHF remain open"),
        ("1 210.00 EUR", "2 420.00 CHF"),
        ("EUR 12.50", "CHF 25.00"),
        ("35 euros", "70 francs"),
        ("Of I-400, due on 10 March, 75.50 EUR are open.", "Of I-731, due on 31 March, 151.00 CHF are open."),
        ("on 27 February 2026", "on 20 March 2026"),
        ("due on the 10th", "due on the 31st"),
        ("March 10", "March 31"),
        ("16.03.", "06.04."),
        ("2026-03-05T08:00:00+01:00", "2026-03-26T08:00:00+01:00"),
        ("Ida Holm <IDA@Holm.example.test>", "Vera Lange <VERA@Lange.example.test>"),
        ("ida.holm@holm-design.example.test", "vera.lange@lange-design.example.test"),
        ("idaholm@example.test", "veralange@example.test"),
        ("Ida's invoice I-400, mail m_44", "Vera's invoice I-731, mail m_91"),
        ("invoices.I-400.total_minor", "invoices.I-731.total_minor"),
        ("pay-I-400", "pay-I-731"),
        ("I-4001 and XI-400", "I-4001 and XI-400"),
        ("300 flyers A5, 20 % off, 48 hours", "300 flyers A5, 20 % off, 48 hours"),
        ("at 12:30, version 2", "at 12:30, version 2"),
        ("a rate of 1.062", "a rate of 1.062"),
        ("holmium", "holmium"),
    ],
)
def test_texts_are_retold(told: str, retold: str) -> None:
    assert retelling().text(told) == retold


def test_a_bare_number_is_an_amount_where_the_story_knows_it_as_one() -> None:
    known = retelling(majors=(160,))
    assert known.text("I paid 160 for it") == "I paid 320 for it"
    assert known.text("160 flyers") == "160 flyers"
    assert known.text("I paid 170 for it") == "I paid 170 for it"
    with pytest.raises(Uncertain, match="160 may be an amount or a number of things"):
        retelling(majors=(160,), things=frozenset({160})).text("I counted 160 of it")


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("about 1.250,00 EUR", "not written like 1,234.50"),
        ("sixty euros", "not written like 1,234.50"),
        ("on 5/3/2026", "can be read in two ways"),
        ("on 31 February", "there is no day 31"),
    ],
)
def test_what_is_not_certain_is_refused(told: str, why: str) -> None:
    with pytest.raises(Uncertain, match=why):
        retelling().text(told)


def test_a_month_alone_moves_by_whole_years_only() -> None:
    with pytest.raises(NotFitting, match="May stands alone"):
        retelling().text("a banner in May")
    moved = retelling(shift=YEARS)
    assert moved.text("a banner in May, by 20 March 2026") == "a banner in May, by 20 March 2037"
    assert moved.text("in 2026") == "in 2037"


def test_amounts_stay_whole() -> None:
    with pytest.raises(NotFitting, match="no whole number of minor units"):
        retelling(factor=Fraction(1, 2)).value({"total_minor": 1001})
    assert retelling(factor=Fraction(6, 5)).text("42 euros") == "50.40 francs"


def test_a_bound_just_beyond_an_amount_stays_just_beyond_it() -> None:
    scaled = retelling(factor=Fraction(11, 10), majors=(12000,))
    assert scaled.value({"amount_minor": {"at_least": 12001}}) == {"amount_minor": {"at_least": 13201}}
    assert scaled.value({"amount_minor": {"at_most": 12000}}) == {"amount_minor": {"at_most": 13200}}


def test_only_amounts_are_multiplied_and_only_ids_and_currencies_are_renamed_as_keys() -> None:
    record: dict[str, Json] = {
        "I-400": {"total_minor": 100, "version": 3, "lines": [{"quantity": 4, "price_minor": 25}]},
        "limits": {"amounts": {"EUR": 5000}},
        "times": {"at_least": 1},
        "tool": "ida.holm",
    }
    assert retelling().value(record) == {
        "I-731": {"total_minor": 200, "version": 3, "lines": [{"quantity": 4, "price_minor": 50}]},
        "limits": {"amounts": {"CHF": 10000}},
        "times": {"at_least": 1},
        "tool": "ida.holm",
    }


@given(st.integers(0, 10**9), st.sampled_from([2, 3, 7]))
def test_an_amount_in_prose_becomes_what_the_amount_in_the_books_becomes(minor: int, factor: int) -> None:
    told = retelling(factor=factor)
    assert told.text(to_text(minor, "EUR")) == to_text(told.minor(minor), "CHF")


@given(st.dates(date(2026, 1, 1), date(2026, 12, 31)), st.sampled_from([WEEKS, YEARS, -WEEKS]))
def test_a_day_in_words_becomes_what_the_day_in_the_books_becomes(day: date, shift: timedelta) -> None:
    told = retelling(shift=shift)
    moved = day + shift
    assert told.text(day.isoformat()) == moved.isoformat()
    written = f"{day.day} {day:%B} {day.year}"
    assert told.text(written) == f"{moved.day} {moved:%B} {moved.year}"
    assert day.weekday() == moved.weekday()


@given(st.text(max_size=60))
def test_whatever_stands_in_a_text_it_is_retold_or_refused(text: str) -> None:
    try:
        told = retelling().text(text)
    except (Uncertain, NotFitting):
        return
    assert isinstance(told, str)


def test_nothing_changes_where_nothing_is_to_change() -> None:
    same = Retelling(Recast())
    text = "Ida Holm paid 12.50 EUR for I-400 on 10 March, 30 flyers."
    assert same.text(text) == text
