"""Numbers as people write them, and what they can mean in a locale.

A convention is a decimal mark with a grouping mark. A locale names the conventions that hold in it; a
spelling that is impossible in the locale is read by any convention, so that 2.500,00 in an English text
is still two and a half thousand. Where several readings remain, all are given and nobody guesses.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

GROUP_SPACES = " \u00a0\u2009\u202f"
NUMBER = re.compile(
    r"(?<![0-9])(?:(?<![A-Za-z_])(?<![0-9A-Za-z_][-\u2010\u2011/_.#])"
    rf"[0-9]{{1,3}}(?:[{GROUP_SPACES}][0-9]{{3}}(?![0-9]))++(?:[.,][0-9]++)?+"
    r"|[0-9]++(?:[.,'\u2019][0-9]++)*+)"
)
"""A run of ASCII digits with separators inside; groups set off by a space have three digits.

The digits of an id begin no group: "I-620 770.00 EUR" is an id and an amount.
"""

LONGEST = 40
"""Characters of the longest number that is read; longer ones have no reading."""

_PLAIN_SPACES = str.maketrans({"\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u2019": "'"})

_Convention = tuple[re.Pattern[str], str, str]


def _convention(decimal: str, group: str, *, indian: bool = False) -> _Convention:
    grouped = (
        rf"[1-9][0-9]?(?:{group}[0-9]{{2}})*{group}[0-9]{{3}}"
        if indian
        else rf"[1-9][0-9]{{0,2}}(?:{group}[0-9]{{3}})+"
    )
    return re.compile(rf"(?:{grouped}|[0-9]+)(?:{re.escape(decimal)}[0-9]+)?"), decimal, group.strip("\\")


_POINT_COMMA = _convention(".", ",")
_POINT_SPACE = _convention(".", " ")
_POINT_QUOTE = _convention(".", "'")
_INDIAN = _convention(".", ",", indian=True)
_COMMA_POINT = _convention(",", r"\.")
_COMMA_SPACE = _convention(",", " ")
_COMMA_QUOTE = _convention(",", "'")
_ALL = (_POINT_COMMA, _POINT_SPACE, _POINT_QUOTE, _INDIAN, _COMMA_POINT, _COMMA_SPACE, _COMMA_QUOTE)

_ENGLISH = (_POINT_COMMA,)
_GERMAN = (_COMMA_POINT, _COMMA_SPACE)
_FRENCH = (_COMMA_SPACE,)
_SWISS = (_POINT_QUOTE, _POINT_SPACE)
_LANGUAGES = {
    **dict.fromkeys(("en", "ja", "zh", "ko", "th", "he"), _ENGLISH),
    **dict.fromkeys(("de", "es", "it", "nl", "pt", "da", "tr", "id", "el", "ro", "hr", "sl"), _GERMAN),
    **dict.fromkeys(("fr", "sv", "nb", "nn", "no", "fi", "pl", "cs", "sk", "hu", "ru", "uk", "bg"), _FRENCH),
    **dict.fromkeys(("ch", "gsw"), _SWISS),
    **dict.fromkeys(("in", "hi"), (_INDIAN, _POINT_COMMA)),
}
_REGIONS = {"CH": _SWISS, "LI": _SWISS, "IN": (_INDIAN, _POINT_COMMA), "MX": _ENGLISH, "ZA": ()}


@lru_cache(maxsize=256)
def language_and_region(locale: str | None) -> tuple[str, str]:
    """("de", "CH") of "de-CH" or "de_ch"; empty texts for what is not said."""
    parts = re.split(r"[-_.@]", locale or "")
    return parts[0].lower(), next((part.upper() for part in parts[1:] if len(part) == 2), "")


@lru_cache(maxsize=256)
def _conventions(locale: str | None) -> tuple[_Convention, ...]:
    language, region = language_and_region(locale)
    return _REGIONS.get(region, _LANGUAGES.get(language, ()))


def groups_by_space(locale: str | None) -> bool:
    """Whether an ordinary space separates thousands in this locale."""
    return any(group == " " for _, _, group in _conventions(locale))


def readings(number: str, locale: str | None) -> tuple[Decimal, ...]:
    """What an unsigned number can mean: one value is decided, two are ambiguous, none is unreadable.

    Decimals are kept as written: 2.500 with a decimal point has three. A missing or unknown locale makes
    every convention possible.
    """
    if len(number) > LONGEST:
        return ()
    if number.isdigit():
        return (Decimal(number),)
    plain = number.translate(_PLAIN_SPACES)
    return _read(plain, _conventions(locale)) or _read(plain, _ALL)


def _read(number: str, conventions: tuple[_Convention, ...]) -> tuple[Decimal, ...]:
    values: list[Decimal] = []
    for pattern, decimal, group in conventions:
        if pattern.fullmatch(number):
            value = Decimal(number.replace(group, "").replace(decimal, "."))
            if value not in values:
                values.append(value)
    return tuple(values)
