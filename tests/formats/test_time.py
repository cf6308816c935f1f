"""Moments have a zone; durations are counted in whole milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.formats.time import BadTime, format_duration, parse_duration, parse_moment

zones = st.integers(min_value=-14 * 60, max_value=14 * 60)


@given(st.integers(min_value=0, max_value=10**18))
def test_a_duration_reads_back_from_its_spelling(milliseconds: int) -> None:
    assert parse_duration(format_duration(milliseconds)) == milliseconds


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)), zones)
def test_a_moment_reads_back_from_its_iso_spelling(local: datetime, minutes: int) -> None:
    sign = "-" if minutes < 0 else "+"
    text = f"{local.isoformat()}{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
    found = parse_moment(text)
    assert found.replace(tzinfo=None) == local
    assert found.utcoffset() == timedelta(minutes=minutes)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("20s", 20_000),
        ("+2h", 7_200_000),
        ("1h30m", 5_400_000),
        ("500ms", 500),
        ("3d", 259_200_000),
        ("1.5h", 5_400_000),
        ("0.1s", 100),
        ("0s", 0),
        ("1d1ms", 86_400_001),
        ("99999999999999999ms", 99_999_999_999_999_999),
    ],
)
def test_durations_are_exact(text: str, milliseconds: int) -> None:
    assert parse_duration(text) == milliseconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "+",
        "-5s",
        "5",
        "s",
        "5 s",
        "5S",
        "5sec",
        "1h 30m",
        "nan",
        "infs",
        "1e3s",
        "५s",
        "+-1s",
        "1.s",
        "20s\n",
        "1:30",
    ],
)
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(BadTime, match="no duration"):
        parse_duration(text)


@pytest.mark.parametrize("digits", [400, 5000, 100_000])
def test_an_endless_duration_is_refused_with_a_short_message(digits: int) -> None:
    with pytest.raises(BadTime) as refused:
        parse_duration("9" * digits + "d")
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    "text", ["2026-03-05T08:00:00Z", "2026-03-05 08:00Z", "2026-03-05T08:00:00.000000+00:00"]
)
def test_spellings_of_one_moment_agree(text: str) -> None:
    assert parse_moment(text) == datetime(2026, 3, 5, 8, tzinfo=UTC)


@pytest.mark.parametrize("text", ["2026-03-05T08:00:00", "2026-03-05 08:00"])
@pytest.mark.fault("E02")
def test_a_moment_without_a_zone_says_what_to_write(text: str) -> None:
    with pytest.raises(BadTime, match=r"has no zone; write an offset such as \+01:00"):
        parse_moment(text)


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-30T08:00:00Z",
        "2026-13-01T08:00:00Z",
        "0000-01-01T08:00:00Z",
        "2026-03-05T25:00:00Z",
        "2026-03-05T08:00:60Z",
        "2026-03-05T08:00:00+24:00",
        "2026-03-05T08:00:00z",
        "2026-03-05T08:00:00Z\n",
        "2026-03-05",
        "12:30",
        "1772697600",
        "20260305T080000Z",
        "२०२६-03-05T08:00:00Z",
        "x" * 10_000,
    ],
)
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(BadTime) as refused:
        parse_moment(text)
    assert len(str(refused.value)) < 250
