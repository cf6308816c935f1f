"""Whether a text states a date.

Read are `2026-03-14`, numeric dates with points (day first), slashes or hyphens, and days with month
names in English, German and French: "14 March", "March 14th, 2026", "the 14th of March", "14. M\u00e4rz
2026", "le 14 mars", also in a list or at the ends of a range ("14-16 March"). The year may be missing; if
it is there, it must agree, two digits are enough.

With slashes or hyphens, American locales put the month first, other regions and languages the day; plain
"en" and no locale leave 03/04 open. Not read: weekdays, "tomorrow", months alone, dates in words.
"""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from company_lab.evaluation.texts.findings import Decision
from company_lab.evaluation.texts.folding import normalise
from company_lab.evaluation.texts.numbers import language_and_region

_MONTHS = (
    "january jan januar j\u00e4nner janvier janv",
    "february feb februar f\u00e9vrier f\u00e9vr",
    "march mar m\u00e4rz m\u00e4r mars",
    "april apr avril avr",
    "may mai",
    "june jun juni juin",
    "july jul juli juillet juil",
    "august aug ao\u00fbt",
    "september sep sept septembre",
    "october oct oktober okt octobre",
    "november nov novembre",
    "december dec dezember dez d\u00e9cembre d\u00e9c",
)
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th|er|\.)?"
_JOIN = r"[ ]?(?:-|\u2013|/|,|&|\+|and|or|to|und|oder|bis|et|au)[ ]?"
_DAYS = rf"{_DAY}(?:{_JOIN}{_DAY}){{0,5}}"
_YEAR = r"(?:19|20)[0-9]{2}|'?[0-9]{2}(?![\w.,:%]*[0-9])"
_NUMERIC = re.compile(
    r"(?<![\w./:\-])(?:(?P<y>[0-9]{4})([-/.])(?P<m>[0-9]{1,2})\2(?P<d>[0-9]{1,2})(?:T[0-9:]{4,8}[^\s,;]{0,12})?"
    r"|(?P<a>[0-9]{1,2})(?P<mark>[-/.])(?P<b>[0-9]{1,2})(?:(?P=mark)(?P<year>[0-9]{4}|[0-9]{2})?)?)(?![\w/]|[-.:][0-9])"
)
_ONE_DAY = re.compile(r"[0-9]{1,2}")
_SPACES = {0xA0: " ", 0x202F: " ", 0x2009: " ", 0x2011: "-", 0x2010: "-"}
_NEARBY = 40


@lru_cache(maxsize=16)
def _named(months: tuple[int, ...]) -> re.Pattern[str]:
    names = "|".join(
        sorted((name for month in months for name in _MONTHS[month - 1].split()), key=len, reverse=True)
    )
    return re.compile(
        rf"(?<![\w.,:/\-])(?P<days>{_DAYS})[ \-]?(?:of )?(?P<month>{names})(?!\w)\.?"
        rf"(?:[ ,\-]{{1,2}}(?P<year>{_YEAR})(?![0-9]))?"
        rf"|(?<!\w)(?P<month2>{names})\.?[ \-](?:the )?(?P<days2>{_DAYS})(?![\w:/%]|[.,][0-9])"
        r"(?:[ ,]{1,2}(?P<year2>(?:19|20)[0-9]{2})(?![0-9]))?",
        re.IGNORECASE,
    )


def states_date(text: str, iso_date: str, locale: str | None) -> Decision:
    """Whether `text` states the day `iso_date` (`YYYY-MM-DD`).

    `unclear` where the only agreement needs a guess about day and month. Raises `ValueError` for a date
    that is none.
    """
    wanted = date.fromisoformat(iso_date)
    if str(wanted.day) not in text:
        return "no"
    plain = text if text.isascii() else normalise(text).translate(_SPACES)
    decisions: set[Decision] = set()
    lowered = plain.lower()
    if any(name in lowered for name in _MONTHS[wanted.month - 1].split()):
        decisions.update(_named_agrees(found, wanted) for found in _named((wanted.month,)).finditer(plain))
    if str(wanted.month) in plain:
        decisions.update(_numeric_agrees(found, wanted, locale) for found in _NUMERIC.finditer(plain))
    return "yes" if "yes" in decisions else "unclear" if "unclear" in decisions else "no"


def _named_agrees(found: re.Match[str], wanted: date) -> Decision:
    name = found["month"] or found["month2"]
    days = _ONE_DAY.findall(found["days"] or found["days2"])
    if name == "may" or not any(int(day) == wanted.day for day in days):
        return "no"
    year = found["year"] or found["year2"]
    if _is_year(year, wanted):
        return "yes"
    return "unclear" if len(year) == 2 else "no"  # "14 March 25 people came"


def _is_year(written: str | None, wanted: date) -> bool:
    return not written or int(written.lstrip("'")) in (wanted.year, wanted.year % 100)


def _numeric_agrees(found: re.Match[str], wanted: date, locale: str | None) -> Decision:
    if found["y"]:
        return (
            "yes"
            if (int(found["y"]), int(found["m"]), int(found["d"])) == (wanted.year, wanted.month, wanted.day)
            else "no"
        )
    if found["mark"] == "." and not found["year"] and not found[0].endswith("."):
        return "no"
    if found["mark"] == "-" and not found["year"]:
        return "no"
    if not _is_year(found["year"], wanted):
        return "no"
    pair = int(found["a"]), int(found["b"])
    day_first = pair == (wanted.day, wanted.month)
    month_first = pair == (wanted.month, wanted.day)
    if found["mark"] == ".":
        return "yes" if day_first else "no"
    if not (day_first or month_first):
        return "no"
    if wanted.day == wanted.month or max(pair) > 12:
        return "yes"
    order = _day_comes_first(locale)
    if order is None:
        return "unclear"
    return "yes" if order == day_first else "no"


def _day_comes_first(locale: str | None) -> bool | None:
    language, region = language_and_region(locale)
    if region in ("US", "PH"):
        return False
    if region or language not in ("", "en"):
        return True
    return None


def is_in_date(text: str, position: int) -> bool:
    """Whether the number at `position` belongs to a date; a pair of numbers counts only with a year or a
    slash."""
    window = max(0, position - _NEARBY), position + _NEARBY
    for found in _named(tuple(range(1, 13))).finditer(text, *window):
        if found.start() <= position < found.end():
            return True
    return any(
        found.start() <= position < found.end() and (found["y"] or found["year"] or found["mark"] == "/")
        for found in _NUMERIC.finditer(text, *window)
    )
