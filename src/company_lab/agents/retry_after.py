"""Retry-After: how long a host asks to be left alone, in every form hosts have been seen to send."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite, nan

MOST_S = 120.0
"""However long a host asks for, nobody waits longer than this, in seconds."""

_SECONDS = re.compile(r"[0-9]{1,300}(?:\.[0-9]{1,300})?", re.ASCII)


def seconds_to_wait(asked: object, *, now: datetime | None = None) -> float | None:
    """Seconds from 0 to `MOST_S`, or None where nothing usable was said.

    Takes a number, the text of a number, or an HTTP date (RFC 9110, section 10.2.3). What is negative, in the past, not
    finite or no such form says nothing usable: whoever retries falls back on a delay of their own.
    """
    if isinstance(asked, bytes):
        asked = asked.decode("latin-1")
    if isinstance(asked, str):
        asked = _of_text(asked.strip(), now or datetime.now(UTC))
    if isinstance(asked, bool) or not isinstance(asked, (int, float)):
        return None
    if isinstance(asked, float) and not isfinite(asked):
        return None
    return None if asked < 0 else float(min(asked, MOST_S))


def asked_in(headers: Mapping[str, str]) -> str | None:
    """How long the headers of an answer ask for, as text: the finer of the two that hosts send goes first.

    Unless it says nothing usable.
    """
    try:
        seconds = float(headers.get("retry-after-ms") or "nan") / 1000
    except ValueError:
        seconds = nan
    return str(seconds) if isfinite(seconds) and seconds >= 0 else headers.get("retry-after")


def _of_text(text: str, now: datetime) -> float | None:
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - now).total_seconds()
