"""Spellings: an amount as people of other languages and habits write it, and amounts that only look like it."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from company_lab.formats.money import exponent, to_text

_SIGNS = MappingProxyType({"EUR": "€", "USD": "$", "GBP": "£"})
_OTHER = MappingProxyType({"EUR": "CHF"})


def right_spellings(amount_minor: int, currency: str) -> Iterator[str]:
    """Other texts that state just this amount, and leave nobody in doubt.

    Of currencies without two decimals only the order of code and number is changed: with a single separator before
    three digits nobody can tell decimals from thousands.
    """
    plain = _number(amount_minor, currency)
    yield f"{currency} {plain}"
    if exponent(currency) != 2:
        return
    yield f"{_continental(plain)} {currency}"
    yield f"{plain.replace(',', '')} {currency}"
    if currency in _SIGNS:
        yield f"{_SIGNS[currency]}{plain}"
    if amount_minor % 100 == 0:
        yield f"{amount_minor // 100} {currency}"


def wrong_spellings(amount_minor: int, currency: str) -> Iterator[str]:
    """Texts in the same spellings that state another amount."""
    plain = _number(amount_minor, currency)
    other = _OTHER.get(currency, "EUR")
    yield f"{plain} {other}"
    if exponent(currency) != 2:
        yield to_text(amount_minor * 10, currency)
        return
    yield f"{_continental(plain)} {other}"
    yield f"{_continental(_number(amount_minor * 10, currency))} {currency}"
    yield f"{_continental(_number(amount_minor + 1, currency))} {currency}"
    if currency in _SIGNS:
        yield f"{_SIGNS[currency]}{_number(amount_minor * 100, currency)}"
    if amount_minor % 100 == 0:
        yield f"{amount_minor} {currency}"


def _number(amount_minor: int, currency: str) -> str:
    return to_text(amount_minor, currency).removesuffix(f" {currency}")


def _continental(plain: str) -> str:
    """A number with points between thousands and a comma before decimals."""
    return plain.translate(str.maketrans(",.", ".,"))
