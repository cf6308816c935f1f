"""Money is a whole number of minor units and a currency; exponents come from ISO 4217."""

from __future__ import annotations

import re
from functools import lru_cache

from company_lab.formats.errors import CompanyLabError, nearest
from company_lab.formats.shapes import shown


class UnknownCurrency(CompanyLabError):
    """A currency code that ISO 4217 does not list, or one without minor units (gold, test codes)."""


class BadAmount(CompanyLabError):
    """A text that is no amount of its currency."""


@lru_cache(maxsize=1)
def _exponents() -> dict[str, int]:
    from iso4217 import Currency

    return {currency.code: currency.exponent for currency in Currency if currency.exponent is not None}


def currencies() -> frozenset[str]:
    """Every ISO 4217 code that has a number of decimals."""
    return frozenset(_exponents())


@lru_cache(maxsize=512)
def exponent(currency: str) -> int:
    """Decimals of a currency: 2 for EUR, 0 for JPY, 3 for KWD. Raises `UnknownCurrency`."""
    try:
        return _exponents()[currency]
    except KeyError:
        close = nearest(currency, _exponents())
        hint = f"; did you mean {close}?" if close else ""
        raise UnknownCurrency(f"{currency!r} is no ISO 4217 currency with minor units{hint}") from None


_PLAIN = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?")
_LONGEST = 40


def to_minor(amount: str, currency: str) -> int:
    """Minor units of a plain decimal text: ("19.99", "EUR") is 1999. No rounding, no separators.

    Raises `BadAmount` for other spellings and for more decimals than the currency has.
    """
    match = _PLAIN.fullmatch(amount) if len(amount) <= _LONGEST else None
    if match is None:
        raise BadAmount(f"{shown(amount)} is no plain decimal amount such as 1234.50")
    sign, whole, decimals = match[1], match[2], match[3] or ""
    digits = exponent(currency)
    if len(decimals) > digits:
        raise BadAmount(f"{amount} has more decimals than {currency} ({digits})")
    return int(sign + whole + decimals.ljust(digits, "0"))


def to_text(amount_minor: int, currency: str) -> str:
    """An amount for people: (400000, "EUR") is "4,000.00 EUR"."""
    digits = exponent(currency)
    whole, rest = divmod(abs(amount_minor), 10**digits)
    decimals = f".{rest:0{digits}d}" if digits else ""
    return f"{'-' if amount_minor < 0 else ''}{whole:,}{decimals} {currency}"
