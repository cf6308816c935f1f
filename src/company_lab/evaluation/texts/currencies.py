"""Which currency stands next to a number.

A sign such as "$" belongs to several currencies. It is resolved by the locale's region or language where
that has a currency written with it; otherwise all of them remain possible, and whoever expects one of
them may take it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from company_lab.evaluation.texts.numbers import language_and_region
from company_lab.formats.money import currencies

_DOLLARS = (
    "USD",
    "CAD",
    "AUD",
    "NZD",
    "SGD",
    "HKD",
    "TWD",
    "MXN",
    "ARS",
    "CLP",
    "COP",
    "BBD",
    "BSD",
    "JMD",
    "TTD",
    "NAD",
)
_POUNDS = ("GBP", "EGP", "LBP", "SYP", "FKP", "GIP", "SHP", "SDG", "SSP")
_CROWNS = ("SEK", "NOK", "DKK", "ISK")
_RUPEES = ("INR", "PKR", "LKR", "NPR", "MUR", "SCR")
_FRANCS = ("CHF", "XOF", "XAF", "XPF", "RWF", "BIF", "GNF", "DJF", "KMF")
_CENTS = ("EUR", *_DOLLARS)

_SIGNS: dict[str, tuple[str, ...]] = {
    "$": _DOLLARS, "\u00a3": _POUNDS, "\u20ac": ("EUR",), "\u00a5": ("JPY", "CNY"), "\u20b9": ("INR",),
    "\u20a9": ("KRW", "KPW"), "\u20bd": ("RUB",), "\u20ba": ("TRY",), "\u20b4": ("UAH",), "\u20aa": ("ILS",),
    "\u0e3f": ("THB",), "\u20ab": ("VND",), "\u20a6": ("NGN",), "\u20b1": ("PHP",),
}  # fmt: skip
_PREFIXED = {
    "US": ("USD",), "CA": ("CAD",), "C": ("CAD",), "AU": ("AUD",), "A": ("AUD",), "NZ": ("NZD",),
    "HK": ("HKD",), "SG": ("SGD",), "S": ("SGD",), "NT": ("TWD",), "MX": ("MXN",), "R": ("BRL",),
}  # fmt: skip
_ABBREVIATIONS = {
    "rs": _RUPEES, "fr": _FRANCS, "sfr": ("CHF",), "kr": _CROWNS, "z\u0142": ("PLN",), "k\u010d": ("CZK",),
    "ft": ("HUF",),
}  # fmt: skip
_WORDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("euro", "euros"), ("EUR",)),
    **dict.fromkeys(("dollar", "dollars"), _DOLLARS),
    **dict.fromkeys(("pound", "pounds"), _POUNDS),
    **dict.fromkeys(("yen",), ("JPY",)),
    **dict.fromkeys(("franc", "francs", "franken"), _FRANCS),
    **dict.fromkeys(("rupee", "rupees"), _RUPEES),
    **dict.fromkeys(("krona", "kronor", "krone", "kroner", "kronen"), _CROWNS),
    **dict.fromkeys(("zloty", "zlotys"), ("PLN",)),
}
_MINOR_WORDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("cent", "cents", "ct", "cts"), _CENTS),
    **dict.fromkeys(("eurocent", "eurocents"), ("EUR",)),
    **dict.fromkeys(("pence", "penny"), ("GBP",)),
    **dict.fromkeys(("rappen",), ("CHF",)),
}
# Written small only where no ordinary word is spelled like the code.
_SMALL_CODES = frozenset(
    (
        "eur",
        "usd",
        "gbp",
        "chf",
        "jpy",
        "sek",
        "nok",
        "dkk",
        "pln",
        "czk",
        "inr",
        "cad",
        "aud",
        "cny",
        "huf",
        "brl",
    )
)
_WORDLIKE = frozenset(("ALL", "TOP"))
_OWN = {
    "US": "USD", "CA": "CAD", "AU": "AUD", "NZ": "NZD", "SG": "SGD", "HK": "HKD", "TW": "TWD", "MX": "MXN",
    "GB": "GBP", "EG": "EGP", "JP": "JPY", "CN": "CNY", "SE": "SEK", "NO": "NOK", "DK": "DKK", "IS": "ISK",
    "IN": "INR", "PK": "PKR", "CH": "CHF", "LI": "CHF",
    "sv": "SEK", "nb": "NOK", "nn": "NOK", "no": "NOK", "da": "DKK", "is": "ISK", "ja": "JPY", "zh": "CNY",
    "hi": "INR", "in": "INR", "ch": "CHF",
}  # fmt: skip

_NAME = re.compile(r"(US|Canadian|Australian|Swiss|euro)[ -]([A-Za-z]{3,7})(?![A-Za-z])")
_ADJECTIVES = {"US": "USD", "Canadian": "CAD", "Australian": "AUD", "Swiss": "CHF", "euro": "EUR"}
_LETTERS = re.compile(r"[A-Za-z\u0142\u010d]{1,9}")
_PREFIXED_SIGN = re.compile(r"(US|CA|AU|NZ|HK|SG|NT|MX|[CASR])\$")


@dataclass(frozen=True, slots=True)
class Mark:
    """A currency as written: the currencies it can be, where it stands, and whether it counts minor units."""

    candidates: tuple[str, ...]
    start: int
    end: int
    minor: bool = False


@lru_cache(maxsize=1)
def _codes() -> frozenset[str]:
    return currencies()


def _code(letters: str) -> tuple[str, ...]:
    if len(letters) != 3:
        return ()
    upper = letters.upper()
    if letters != upper and letters.lower() not in _SMALL_CODES:
        return ()
    return (upper,) if upper in _codes() else ()


def resolve(candidates: tuple[str, ...], locale: str | None) -> str | None:
    """The one currency that is meant, or None where several remain."""
    if len(candidates) == 1:
        return candidates[0]
    language, region = language_and_region(locale)
    own = _OWN.get(region) or _OWN.get(language)
    return own if own in candidates else None


def mark_before(text: str, end: int, floor: int) -> Mark | None:
    """The currency whose last character is just before `end`, not reaching below `floor`."""
    if end <= floor:
        return None
    last = text[end - 1]
    if last in _SIGNS:
        if last == "$":
            prefixed = _PREFIXED_SIGN.match(text, max(floor, end - 3)) or _PREFIXED_SIGN.match(
                text, max(floor, end - 2)
            )
            if (
                prefixed
                and prefixed.end() == end
                and not text[max(floor, prefixed.start() - 1) : prefixed.start()].isalnum()
            ):
                return Mark(_PREFIXED[prefixed.group(1)], prefixed.start(), end)
        return Mark(_SIGNS[last], end - 1, end)
    letters_end = end - 1 if last == "." else end
    start = letters_end
    while start > floor and letters_end - start < 4 and text[start - 1].isalpha():
        start -= 1
    letters = text[start:letters_end]
    if not letters or (start > 0 and (text[start - 1].isalnum() or text[start - 1] in "-_")):
        return None
    if last != ".":
        candidates = _code(letters)
        if candidates and letters not in _WORDLIKE:
            return Mark(candidates, start, end)
    abbreviated = _ABBREVIATIONS.get(letters.lower())
    return Mark(abbreviated, start, end) if abbreviated else None


def mark_after(text: str, start: int) -> Mark | None:
    """The currency whose first character is at `start`."""
    if start >= len(text):
        return None
    first = text[start]
    if first in _SIGNS:
        return Mark(_SIGNS[first], start, start + 1)
    if first == "\u00a2":
        return Mark(_CENTS, start, start + 1, minor=True)
    found = _LETTERS.match(text, start)
    if found is None:
        return None
    end = found.end()
    if text[end : end + 1].isalnum() or (text[end : end + 1] == "_" and text[end + 1 : end + 2].isalnum()):
        return None
    letters = found.group()
    small = letters.lower()
    named = _NAME.match(text, start)
    if named:
        code, noun = _ADJECTIVES[named.group(1)], named.group(2).lower()
        if code in _MINOR_WORDS.get(noun, ()):
            return Mark((code,), start, named.end(), minor=True)
        if code in _WORDS.get(noun, ()):
            return Mark((code,), start, named.end())
    if small in _MINOR_WORDS:
        return Mark(_MINOR_WORDS[small], start, end, minor=True)
    prefixed = _PREFIXED_SIGN.match(text, start)
    if prefixed:
        return Mark(_PREFIXED[prefixed.group(1)], start, prefixed.end())
    candidates = _code(letters) or _WORDS.get(small) or _ABBREVIATIONS.get(small)
    return Mark(candidates, start, end) if candidates else None


@lru_cache(maxsize=256)
def spellings(currency: str) -> tuple[str, ...]:
    """Small-letter texts one of which must occur where this currency is written at all."""
    words = [
        word
        for table in (_SIGNS, _WORDS, _ABBREVIATIONS, _MINOR_WORDS)
        for word, codes in table.items()
        if currency in codes
    ]
    prefixed = [f"{prefix.lower()}$" for prefix, codes in _PREFIXED.items() if currency in codes]
    return tuple(sorted({currency.lower(), *words, *prefixed}, key=len))
