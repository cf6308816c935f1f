"""Folding: which differences of spelling do not matter in prose.

Folded are, in this order:

1. invisible format characters (soft hyphen, zero-width characters, bidi marks, variation selectors): dropped;
2. the quote families: every single quote becomes `'`, every double quote and guillemet `"`;
3. the dash family (hyphens, en and em dash, minus): `-`;
4. the space family (no-break, narrow no-break, thin, ideographic and the like): an ordinary space;
5. composed and decomposed letters: NFC;
6. case, by case folding, so that "Straße" equals "STRASSE";
7. runs of white space: one space, none at the ends.

Nothing else: full-width letters, ligatures, look-alikes of other scripts and accents stay what they are (`reading`
goes further, for statements in prose).
Ids, amounts and the local parts of addresses are never folded.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Literal

_FAMILIES = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u00b4\u02b9\u02bc\u2039\u203a\uff07",
    '"': "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u301d\u301e\uff02",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\uff0d",
    " ": "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
}
INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2065\u2066\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f\u3164"
    "\ufe00\ufe01\ufe02\ufe03\ufe04\ufe05\ufe06\ufe07\ufe08\ufe09\ufe0a\ufe0b\ufe0c\ufe0d\ufe0e\ufe0f\ufeff\uffa0"
    + "".join(map(chr, (*range(0xE0000, 0xE0080), *range(0xE0100, 0xE01F0))))
)
"""Characters that show nothing; a text that differs only in them reads the same."""

PLAIN_MARKS: dict[int, str | None] = {
    **{ord(member): plain for plain, members in _FAMILIES.items() for member in members},
    **{ord(member): None for member in INVISIBLE},
}
"""Steps 1 to 4, for `str.translate`."""

# Canonical ordering takes quadratic time on a long run of combining marks, so longer runs go in slices.
_SLICE = 256
_LONG_RUN = re.compile(rf"\S{{{_SLICE + 1},}}")
_PIECE = re.compile(r"\S+|\s+")


def normalise(text: str, form: Literal["NFC", "NFKC"] = "NFC") -> str:
    """Unicode normalisation in linear time; a run without white space is normalised 256 characters at a
    time."""
    if text.isascii():
        return text
    if len(text) <= _SLICE:
        return unicodedata.normalize(form, text)
    parts: list[str] = []
    done = 0
    for run in _LONG_RUN.finditer(text):
        parts.append(text[done : run.start()])
        parts.extend(text[start : min(start + _SLICE, run.end())] for start in range(*run.span(), _SLICE))
        done = run.end()
    parts.append(text[done:])
    return "".join(unicodedata.normalize(form, part) for part in parts)


def fold_characters(text: str) -> str:
    """Steps 1 to 6; white space stays as it is."""
    if text.isascii():
        return text.lower()
    return normalise(normalise(text.translate(PLAIN_MARKS)).casefold())


def fold(text: str) -> str:
    """`text` without the differences of spelling listed above."""
    return " ".join(fold_characters(text).split())


def origins(
    text: str, positions: Sequence[int], folding: Callable[[str], str] = fold_characters
) -> list[int]:
    """Where ascending positions in `folding(text)` lie in `text` itself.

    `folding` keeps white space and lets no run between white space change another one.
    """
    if text.isascii():
        return list(positions)
    found: list[int] = []
    folded_end = 0
    pieces = _PIECE.finditer(text)
    piece = next(pieces, None)
    folded_length = 0 if piece is None else len(folding(piece.group()))
    for position in positions:
        while piece is not None and folded_end + folded_length < position:
            folded_end += folded_length
            piece = next(pieces, None)
            folded_length = 0 if piece is None else len(folding(piece.group()))
        if piece is None:
            found.append(len(text))
        else:
            found.append(piece.start() + _shortest_prefix(piece.group(), position - folded_end, folding))
    return found


def _shortest_prefix(piece: str, folded_length: int, folding: Callable[[str], str]) -> int:
    """How many characters of `piece` it takes to fold to `folded_length` characters."""
    low, high = 0, len(piece)
    while low < high:
        middle = (low + high) // 2
        if len(folding(piece[:middle])) < folded_length:
            low = middle + 1
        else:
            high = middle
    return low


def contains_phrase(text: str, phrase: str) -> bool:
    """Whether `phrase` stands in `text` as whole words, both folded.

    A number is whole only with its sign-free digits, separators and decimals ("10" is not in "10.50" or
    "100"), and "can" is not in "can't". A phrase without any character is in no text.
    """
    wanted = fold(phrase)
    if not wanted:
        return False
    folded = fold(text)
    start = folded.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not (_goes_on(folded, start - 1, start, -1) or _goes_on(folded, end, end - 1, 1)):
            return True
        start = folded.find(wanted, start + 1)
    return False


def _goes_on(folded: str, outside: int, edge: int, step: int) -> bool:
    """Whether the word at `edge` goes on at `outside`, one character further in direction `step`."""
    if not 0 <= outside < len(folded) or not folded[edge].isalnum():
        return False
    character = folded[outside]
    if character.isalnum() or unicodedata.combining(character):
        return True
    beyond = outside + step
    if not 0 <= beyond < len(folded) or not folded[beyond].isalnum():
        return False
    if character == "_":
        return True
    if character == "'" and step > 0 and folded[beyond] == "t":
        return True
    return character in ".,'" and folded[edge].isdigit() and folded[beyond].isdigit()
