from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.evaluation.texts.dates import states_date
from company_lab.evaluation.texts.findings import Decision


@pytest.mark.parametrize(
    ("text", "locale", "expected"),
    [
        ("It arrives on 14 March.", "en", "yes"),
        ("It arrives on March 14th, 2026.", "en", "yes"),
        ("on the 14th of March", "en", "yes"),
        ("14 Mar 26", "en", "yes"),
        ("14-Mar-2026", "en", "yes"),
        ("2026-03-14", None, "yes"),
        ("2026-03-14T09:00:00Z", None, "yes"),
        ("14.03.2026", "de", "yes"),
        ("am 14.3.", "de", "yes"),
        ("am 14. März", "de", "yes"),
        ("am 14. Ma\u0308rz 2026", "de", "yes"),
        ("le 14 mars 2026", "fr", "yes"),
        ("14/03/2026", "en", "yes"),
        ("03/14/2026", None, "yes"),
        ("14\u201316 March", "en", "yes"),
        ("13 and 14 March", "en", "yes"),
        ("14 March 2025", "en", "no"),
        ("March 14, 2025", "en", "no"),
        ("15 March", "en", "no"),
        ("114 March", "en", "no"),
        ("14 April", "en", "no"),
        ("at 14:03", "en", "no"),
        ("14.03 EUR", "en", "no"),
        ("version 14.03.2", "de", "no"),
        ("O-14 March", "en", "no"),
        ("14 March 25 people came", "en", "unclear"),
        ("in March 2026", "en", "no"),
        ("soon", "en", "no"),
    ],
)
def test_the_fourteenth_of_march(text: str, locale: str | None, expected: Decision) -> None:
    assert states_date(text, "2026-03-14", locale) == expected


@pytest.mark.parametrize(
    ("locale", "third_of_april", "fourth_of_march"),
    [
        ("en-US", "no", "yes"),
        ("en-GB", "yes", "no"),
        ("de", "yes", "no"),
        ("en", "unclear", "unclear"),
        (None, "unclear", "unclear"),
    ],
)
def test_slashes_are_read_by_the_region(
    locale: str | None, third_of_april: Decision, fourth_of_march: Decision
) -> None:
    assert states_date("due 03/04/2026", "2026-04-03", locale) == third_of_april
    assert states_date("due 03/04/2026", "2026-03-04", locale) == fourth_of_march


def test_may_is_a_month_only_with_a_capital() -> None:
    assert states_date("Only 10 may attend.", "2026-05-10", "en") == "no"
    assert states_date("On 10 May.", "2026-05-10", "en") == "yes"


def test_a_date_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="month"):
        states_date("any", "2026-13-01", "en")


@given(st.dates(date(2001, 1, 1), date(2098, 12, 31)), st.dates(date(2001, 1, 1), date(2098, 12, 31)))
def test_a_written_date_is_that_date_and_no_other(day: date, other: date) -> None:
    forms = [
        f"{day:%Y-%m-%d}",
        f"{day:%d.%m.%Y}",
        f"{day.day} {day:%B} {day.year}",
        f"{day:%B} {day.day}, {day.year}",
    ]
    for form in forms:
        text = f"It is due on {form}."
        assert states_date(text, day.isoformat(), "en") == "yes"
        assert (states_date(text, other.isoformat(), "en") == "yes") == (day == other)
