"""Amounts of money in a text.

An amount is a number with a currency before or after it, or a bare number that is shaped like money: with
a separator inside, or the only thing in the text. Not amounts are digits glued to letters or hyphens
(A-104, v2), ordinary counts ("Ticket 1010"), dates, times, ranges, fractions and percentages. A sign,
accounting brackets, Markdown emphasis and a backslash before a currency sign belong to the writing, not
to the value; nothing inside a number is ever deleted.

Not read: numbers in words, digits of other scripts, amounts that begin with a decimal mark (.50) or are
split by a line end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from company_lab.evaluation.texts.currencies import Mark, resolve
from company_lab.evaluation.texts.neighbours import Side, look_after, look_before
from company_lab.evaluation.texts.numbers import NUMBER, groups_by_space, readings
from company_lab.formats.money import exponent

MOST_NUMBERS = 20_000
"""Numbers of one text that are looked at; a text with more is hostile."""

_AND_CENTS = re.compile(r"\s*(?:and|und|et|,)?\s*[0-9]{1,2}\s?(?:cents?|ct|pence)\b")
_DATE_BEFORE = re.compile(
    r"\b(?:on|am|vom|bis|by|since|until|till|zum|ab|seit|le|du|au|dated)\s\Z", re.IGNORECASE
)
_DAY_AND_MONTH = re.compile(r"[0-3]?[0-9][.,][01]?[0-9]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """One amount as written."""

    start: int
    end: int
    raw: str
    """The characters from bracket, sign or currency to the last digit, currency or bracket."""
    currency: str | None
    """ISO code, or None where none is written or several remain possible."""
    candidates: tuple[str, ...]
    """Every currency the sign or word next to the number can mean; empty where none is written."""
    readings: tuple[Decimal, ...]
    """Possible values: one is decided, two or more are ambiguous in the locale, none is unreadable."""
    minor: bool = False
    """The readings count minor units ("2500 cents")."""

    def matches(self, amount_minor: int, currency: str) -> tuple[bool, ...]:
        """For each reading, whether it is exactly this many minor units; the currency written is not
        looked at.

        A reading with more decimals than the currency has is never that amount, not even with zeros.
        """
        digits = 0 if self.minor else exponent(currency)
        return tuple(_in_minor_units(reading, digits) == amount_minor for reading in self.readings)


def _in_minor_units(value: Decimal, digits: int) -> int | None:
    sign, figures, power = value.as_tuple()
    if not isinstance(power, int) or -power > digits:
        return None
    whole: int = int("".join(map(str, figures))) * 10 ** (digits + power)
    return -whole if sign else whole


def find_amounts(text: str, locale: str | None) -> list[Amount]:
    """Every amount among the first `MOST_NUMBERS` numbers of `text`, in order.

    `locale` is a language with an optional region ("en", "de-CH", also the short "ch" and "in") and
    decides how separators are read; None or an unknown one leaves an ambiguous number with both readings.
    """
    return read_amounts(text, locale)[0]


def read_amounts(text: str, locale: str | None) -> tuple[list[Amount], bool]:
    """As `find_amounts`, and whether the whole text was read."""
    amounts: list[Amount] = []
    floor = position = 0
    for _ in range(MOST_NUMBERS):
        number = NUMBER.search(text, position)
        if number is None:
            return amounts, True
        position = number.end()
        found = _amount_at(text, number, floor, locale)
        if found is not None:
            floor = found.end
            position = max(position, found.end)
            amounts.append(found)
    return amounts, False


def _amount_at(text: str, number: re.Match[str], floor: int, locale: str | None) -> Amount | None:
    before = look_before(text, number.start(), floor)
    if before is None:
        return None
    after = look_after(text, number.end(), before.mark)
    if after is None:
        return None
    marks = [side.mark for side in (before, after) if side.mark is not None]
    if not marks and after.factor != 1:
        return None
    values = _values(number.group(), locale, before.mark, after.mark)
    if not marks and not _shaped_like_money(text, number, values, locale):
        return None
    if after.factor != 1:
        values = tuple(value * after.factor for value in values)
    start, end = before.edge, after.edge
    if before.bracket is not None and after.bracket is not None:
        start, end = min(start, before.bracket), max(end, after.bracket + 1)
    if marks and not marks[-1].minor and _AND_CENTS.match(text, end):
        values = ()
    candidates = _candidates(marks)
    return Amount(
        start=start,
        end=end,
        raw=text[start:end],
        currency=resolve(candidates, locale) if candidates else None,
        candidates=candidates,
        readings=tuple(value * sign for sign in _signs(text, before, after, start, end) for value in values),
        minor=any(mark.minor for mark in marks),
    )


def _values(raw: str, locale: str | None, before: Mark | None, after: Mark | None) -> tuple[Decimal, ...]:
    """The readings; where an ordinary space is no separator of the locale, the near part alone is another."""
    values = readings(raw, locale)
    if " " not in raw or groups_by_space(locale):
        return values
    near = raw.partition(" ")[0] if before is not None and after is None else raw.rpartition(" ")[2]
    return tuple(dict.fromkeys((*values, *readings(near, locale))))


def _candidates(marks: list[Mark]) -> tuple[str, ...]:
    if not marks:
        return ()
    if len(marks) == 1:
        return marks[0].candidates
    return tuple(code for code in marks[0].candidates if code in marks[1].candidates) or marks[0].candidates


def _shaped_like_money(
    text: str, number: re.Match[str], values: tuple[Decimal, ...], locale: str | None
) -> bool:
    raw = number.group()
    if raw.isdigit():
        return len(text) < 60 and text.strip(" \t\n()-+\u2212") == raw
    if not values or (" " in raw and not groups_by_space(locale) and not any(mark in raw for mark in ".,'")):
        return False
    before = text[max(0, number.start() - 8) : number.start()]
    return not (_DAY_AND_MONTH.fullmatch(raw) and _DATE_BEFORE.search(before))


def _signs(text: str, before: Side, after: Side, start: int, end: int) -> tuple[int, ...]:
    """The signs an amount can have.

    Brackets around the number alone, or around everything there is, are accounting for minus. Around an
    amount with its currency in a sentence they are only an aside; after a colon, in a table, or around a
    bare number in a sentence nobody can tell.
    """
    if before.minus:
        return (-1,)
    if after.minus:
        return (1, -1)
    if before.bracket is None or after.bracket is None:
        return (1,)
    if len(text) < 200 and text[start:end] == text.strip():
        return (-1,)
    marked = before.mark is not None or after.mark is not None
    if marked and before.bracket_is_near and after.bracket_is_near:
        return (-1,)
    neighbours = text[max(0, start - 2) : start].strip()[-1:] + text[end : end + 2].strip()[:1]
    return (1, -1) if not marked or ":" in neighbours or "|" in neighbours else (1,)
