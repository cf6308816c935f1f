"""What stands directly before and after a number: sign, bracket, currency, or something that makes it no
amount."""

from __future__ import annotations

import re
from dataclasses import dataclass

from company_lab.evaluation.texts.currencies import Mark, mark_after, mark_before
from company_lab.evaluation.texts.numbers import GROUP_SPACES

_HYPHENS = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2212")
_MINUS = frozenset("-\u2010\u2011\u2012\u2013\u2212")
_GLUE = frozenset(GROUP_SPACES + "\t*_`\\~")
_ENDS = _GLUE | frozenset("\n\r.,;!?)]}>\"'|\u201d\u2019\u00bb")
_NO_MONEY_AFTER = re.compile(
    r"[*_]{0,2}[ \u00a0\u202f]?(?:%|\u2030|percent\b|per cent\b|[Pp]rozent\b|pct\b)"
    r"|[:/\u00d7][0-9]"
)
_WHOLE_AFTER = re.compile("[.,](?:--?|[\u2013\u2014])(?!\\w)")
_TIMES = re.compile(
    r"[ \u00a0\u202f]?"
    r"(?:(k|thousand|tsd|tausend|mille)|(mn|mio|millions?|millionen|m)|(bn|billions?|mrd))\b\.?",
    re.IGNORECASE,
)
_TIMES_START = re.compile(r"[ \u00a0\u202f]?[ktmbKTMB]")
_FACTORS = (1_000, 1_000_000, 1_000_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of a number that may be an amount."""

    mark: Mark | None = None
    edge: int
    """Where the amount ends on this side, brackets left out."""
    minus: bool = False
    bracket: int | None = None
    """Where a bracket stands on this side."""
    bracket_is_near: bool = False
    """The bracket stands between number and currency."""
    factor: int = 1
    """1000 after "k" or "thousand", and so on."""


def _skip(text: str, position: int, step: int, floor: int = 0) -> int:
    """Past spaces and emphasis, at most four characters."""
    for _ in range(4):
        at = position - 1 if step < 0 else position
        if at < floor or at >= len(text) or text[at] not in _GLUE:
            break
        position += step
    return position


def look_before(text: str, start: int, floor: int) -> Side | None:
    """The left side of the number at `start`, not reaching below `floor`; None where it is glued to
    something."""
    if start <= floor:
        return Side(edge=start)
    character = text[start - 1]
    minus = False
    if character.isalnum():
        mark = mark_before(text, start, floor)
        return Side(mark=mark, edge=mark.start) if mark else None
    if character in _MINUS:
        if start > 1 and (text[start - 2].isalnum() or text[start - 2] in "_/"):
            return None
        minus, start = True, start - 1
    elif _forbids(text, start, character):
        return None
    edge = start
    bracket: int | None = None
    position = _skip(text, start, -1, floor)
    near = position > floor and text[position - 1] == "("
    if near:
        bracket = position - 1
        position = _skip(text, bracket, -1, floor)
    mark = mark_before(text, position, floor)
    if mark is not None:
        edge = mark.start
        if edge > floor and text[edge - 1] in _MINUS and not text[max(0, edge - 2) : edge - 1].isalnum():
            minus, edge = True, edge - 1
        if bracket is None and edge > floor and text[edge - 1] == "(":
            bracket = edge - 1
    return Side(mark=mark, edge=edge, minus=minus, bracket=bracket, bracket_is_near=near)


def _forbids(text: str, start: int, character: str) -> bool:
    """Whether the mark just before a number makes it part of something else."""
    previous = text[start - 2 : start - 1] if start > 1 else ""
    if character in ".,":
        return not previous.isalpha()  # "Rs.500" is a number, ".50" only the end of one
    if character in ":/":
        return character == "/" or previous.isdigit()
    if character == "=":
        return previous != "" and not previous.isspace()
    if character == "_":
        return text[max(0, start - 8) : start].rstrip("_")[-1:].isalnum()
    return character in "#@'\u2019&"


def look_after(text: str, end: int, before: Mark | None) -> Side | None:
    """The right side of the number that ends at `end`; None where it is a percentage, a time, a range or
    a word."""
    if end >= len(text):
        return Side(edge=end)
    if _NO_MONEY_AFTER.match(text, end):
        return None
    whole = _WHOLE_AFTER.match(text, end)
    if whole:
        end = whole.end()
    factor = 1
    if _TIMES_START.match(text, end) and (times := _TIMES.match(text, end)) and times.lastindex:
        end, factor = times.end(), _FACTORS[times.lastindex - 1]
    character = text[end : end + 1]
    if character in _HYPHENS:
        return _after_hyphen(text, end, before, factor)
    if character and character not in _ENDS:
        mark = mark_after(text, end)
        if mark is None:
            return None if character.isalnum() or character == "_" else Side(edge=end, factor=factor)
        return Side(mark=mark, edge=mark.end, bracket=_closing(text, mark.end), factor=factor)
    position = _skip(text, end, 1)
    near = text[position : position + 1] == ")"
    bracket = position if near else None
    mark = mark_after(text, _skip(text, position + 1, 1) if near else position)
    if mark is not None and before is not None:
        following = _skip(text, mark.end, 1)
        if text[following : following + 1].isdigit():
            mark = None  # it belongs to the next number
    if mark is None:
        return Side(edge=end, bracket=bracket, bracket_is_near=near, factor=factor)
    return Side(
        mark=mark,
        edge=mark.end,
        bracket=bracket if near else _closing(text, mark.end),
        bracket_is_near=near,
        factor=factor,
    )


def _closing(text: str, position: int) -> int | None:
    position = _skip(text, position, 1)
    return position if text[position : position + 1] == ")" else None


def _after_hyphen(text: str, end: int, before: Mark | None, factor: int) -> Side | None:
    following = text[end + 1 : end + 2]
    if following.isalnum() or following == "$":
        mark = mark_after(text, end + 1)
        if mark is not None:
            return Side(mark=mark, edge=mark.end, factor=factor)
        return Side(edge=end, factor=factor) if before is not None and following.isalpha() else None
    return Side(edge=end, minus=following == "" or following in _ENDS, factor=factor)
