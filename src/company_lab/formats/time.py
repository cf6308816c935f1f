"""Moments with a zone, and durations; simulated time is counted in milliseconds."""

from __future__ import annotations

import re
from datetime import datetime
from fractions import Fraction

from company_lab.formats.errors import CompanyLabError
from company_lab.formats.shapes import shown


class BadTime(CompanyLabError):
    """A text that is no moment with a zone, or no duration."""


_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?"
)
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d)")
_LONGEST = 100
_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def parse_moment(text: str) -> datetime:
    """A moment such as 2026-03-05T08:00:00+01:00 or ...Z. Raises `BadTime`, also where the zone is missing."""
    match = _MOMENT.fullmatch(text)
    if match is None:
        raise BadTime(f"{shown(text)} is no moment such as 2026-03-05T08:00:00+01:00")
    if match[1] is None:
        raise BadTime(f"{text!r} has no zone; write an offset such as +01:00, or Z")
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise BadTime(f"{text!r}: {error}") from None


def parse_duration(text: str) -> int:
    """Milliseconds of a duration such as 20s, 1h30m, 500ms, 3d; a leading + is allowed. Raises `BadTime`."""
    body = text[1:] if text.startswith("+") else text
    total = Fraction(0)
    end = 0
    for match in _PART.finditer(body, 0, _LONGEST):
        if match.start() != end:
            break
        total += Fraction(match[1]) * _UNITS[match[2]]
        end = match.end()
    if not body or end != len(body):
        raise BadTime(f"{shown(text)} is no duration such as 20s, 10m, 1h30m, 3d")
    return round(total)


def format_duration(milliseconds: int) -> str:
    """The shortest spelling that `parse_duration` reads back: 5400000 is "1h30m"."""
    if milliseconds == 0:
        return "0s"
    text = ""
    rest = milliseconds
    for unit in ("d", "h", "m", "s", "ms"):
        count, rest = divmod(rest, _UNITS[unit])
        if count:
            text += f"{count}{unit}"
    return text
