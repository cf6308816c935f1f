"""What hosts say about waiting, in every form they have been seen to send it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.agents.retry_after import MOST_S, asked_in, seconds_to_wait

NOW = datetime(2026, 3, 5, 8, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("5", 5),
        (" 5 ", 5),
        ("0", 0),
        ("1.5", 1.5),
        (7, 7),
        (0.25, 0.25),
        (b"3", 3),
        ("999999999", MOST_S),
        ("9" * 250, MOST_S),
        (10**400, MOST_S),
        ("Thu, 05 Mar 2026 08:00:10 GMT", 10),
        ("Thu, 05 Mar 2026 09:00:10 +0100", 10),
        ("Fri, 31 Dec 9999 23:59:59 GMT", MOST_S),
        # nothing usable
        ("-5", None),
        (-1, None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", None),
        ("", None),
        ("soon", None),
        ("٥", None),
        ("1e3", None),
        ("9" * 10_000, None),
        ("nan", None),
        (float("nan"), None),
        (float("inf"), None),
        (True, None),
        (None, None),
        ([5], None),
        (object(), None),
    ],
)
def test_what_a_host_asks_for(asked: object, seconds: float | None) -> None:
    assert seconds_to_wait(asked, now=NOW) == seconds


@given(st.text() | st.binary() | st.integers() | st.floats() | st.none())
@pytest.mark.fault("D15")
def test_whatever_is_said_nobody_waits_longer_than_the_bound(asked: object) -> None:
    seconds = seconds_to_wait(asked)
    assert seconds is None or 0 <= seconds <= MOST_S


@pytest.mark.parametrize(
    ("headers", "asked"),
    [
        ({"retry-after-ms": "400", "retry-after": "9"}, "0.4"),
        ({"retry-after-ms": "soon", "retry-after": "9"}, "9"),
        ({"retry-after-ms": "-5", "retry-after": "9"}, "9"),
        ({"retry-after-ms": "nan", "retry-after": "9"}, "9"),
        ({"retry-after-ms": "1e400", "retry-after": "9"}, "9"),
        ({"retry-after-ms": "0", "retry-after": "9"}, "0.0"),
        ({}, None),
    ],
)
def test_of_what_headers_ask_for_the_finer_counts(headers: dict[str, str], asked: str | None) -> None:
    assert asked_in(headers) == asked
