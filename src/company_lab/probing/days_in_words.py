"""Days as they stand in texts, moved by whole weeks or whole years."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta

from company_lab.probing.recast import NotFitting, Recast, Uncertain

_YEAR = "January February March April May June July August September October November December"
MONTHS = _YEAR.split()
_ABBREVIATED = [month[:3] for month in MONTHS]
_MONTH = "|".join([*MONTHS, *(f"{short}\\b\\.?" for short in _ABBREVIATED)])
ISO = r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)"
PATTERNS: Mapping[str, str] = {
    "day": rf"(?<![\w.])\d{{1,2}}(?:\.|st|nd|rd|th)? (?:of )?(?:{_MONTH})(?![^\W\d_])(?:,? \d{{4}}(?!\d))?",
    "us_day": rf"(?<!\w)(?:{_MONTH}) \d{{1,2}}(?:st|nd|rd|th)?(?![\d:.])(?:,? \d{{4}}(?!\d))?",
    "short_day": r"(?<![\d.])\d{1,2}\.\d{2}\.(?:\d{4})?(?!\d)",
    "nth": r"(?<!\w)\d{1,2}(?:st|nd|rd|th)(?!\w)",
    "month": rf"(?<!\w)(?:{'|'.join(MONTHS).replace('|May|', '|')})(?!\w)|(?<=in )May(?!\w)",
}
"""Ways to name a day or a month, by name; the first that fits counts."""


class Days:
    """Moves the days that texts name; `rules` has one for each name in `PATTERNS`, and `iso`."""

    def __init__(self, recast: Recast) -> None:
        self._recast = recast
        self.rules: Mapping[str, Callable[[re.Match[str]], str]] = {
            "iso": self._iso,
            "day": self._day,
            "us_day": self._us_day,
            "short_day": self._short_day,
            "nth": self._nth,
            "month": self._month,
        }

    def _iso(self, found: re.Match[str]) -> str:
        try:
            moved = date.fromisoformat(found[0][:10]) + self._recast.shift
        except ValueError:
            return found[0]
        return moved.isoformat() + found[0][10:]

    def _moved(self, year: int, month: int, day: int) -> date:
        try:
            return date(year, month, day) + self._recast.shift
        except ValueError:
            raise Uncertain(f"there is no day {day} of month {month}") from None

    def _year_of(self, month: int) -> int:
        """The year in which a month without one is meant: the nearest to the beginning of the story."""
        clock = self._recast.clock
        return min(
            (clock.year - 1, clock.year, clock.year + 1),
            key=lambda year: abs((date(year, month, 15) - clock).days),
        )

    def _day(self, found: re.Match[str]) -> str:
        parts = re.fullmatch(r"(\d{1,2})(\.|st|nd|rd|th)?( (?:of )?)(\w+\.?)(?:(,? )(\d{4}))?", found[0])
        assert parts is not None
        month = _month_number(parts[4])
        year = int(parts[6]) if parts[6] else self._year_of(month)
        moved = self._moved(year, month, int(parts[1]))
        ending = _ordinal(moved.day) if parts[2] not in (None, ".") else parts[2] or ""
        return f"{moved.day}{ending}{parts[3]}{_month_like(parts[4], moved)}" + (
            f"{parts[5]}{moved.year}" if parts[6] else ""
        )

    def _us_day(self, found: re.Match[str]) -> str:
        parts = re.fullmatch(r"(\w+\.?) (\d{1,2})(st|nd|rd|th)?(?:(,? )(\d{4}))?", found[0])
        assert parts is not None
        month = _month_number(parts[1])
        year = int(parts[5]) if parts[5] else self._year_of(month)
        moved = self._moved(year, month, int(parts[2]))
        ending = _ordinal(moved.day) if parts[3] else ""
        return f"{_month_like(parts[1], moved)} {moved.day}{ending}" + (
            f"{parts[4]}{moved.year}" if parts[5] else ""
        )

    def _short_day(self, found: re.Match[str]) -> str:
        day, month, year = (found[0] + "..").split(".")[:3]
        if not 1 <= int(month) <= 12:
            return found[0]
        moved = self._moved(int(year) if year else self._year_of(int(month)), int(month), int(day))
        width = len(month)
        return f"{moved.day:0{len(day)}d}.{moved.month:0{width}d}.{moved.year if year else ''}"

    def _nth(self, found: re.Match[str]) -> str:
        clock, day = self._recast.clock, int(found[0][:-2])
        if self._recast.whole_years():
            return found[0]
        near = [
            clock + timedelta(days=away)
            for away in range(-31, 32)
            if (clock + timedelta(days=away)).day == day
        ]
        if not near or day > 31:
            return found[0]
        moved = min(near, key=lambda one: abs((one - clock).days)) + self._recast.shift
        return f"{moved.day}{_ordinal(moved.day)}"

    def _month(self, found: re.Match[str]) -> str:
        if not self._recast.whole_years():
            raise NotFitting(f"{found[0]} stands alone, so only whole years can be moved")
        return found[0]


def _month_number(word: str) -> int:
    return _ABBREVIATED.index(word[:3]) + 1


def _month_like(word: str, moved: date) -> str:
    name = MONTHS[moved.month - 1]
    if word in MONTHS:
        return name
    return name[:3] + ("." if word.endswith(".") else "")


def _ordinal(day: int) -> str:
    return "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
