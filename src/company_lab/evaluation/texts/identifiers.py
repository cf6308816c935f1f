"""Identifiers in prose: whole tokens, never folded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

# Hyphens that join; en dash and em dash may stand for a hyphen inside an identifier but end one outside it.
_JOINING = "\\-\u2010\u2011\u2012\u2212\ufe63\uff0d"
_INSIDE = f"[{_JOINING}\u2013\u2014]"
_LETTER = r"\w\u0300-\u036f"
_MONEY_SIGNS = "$\u00a2\u00a3\u00a5\u20a0-\u20cf%\u2030"
_MONEY_AFTER = re.compile(
    r"[ \u00a0\u202f]?(?:[A-Z]{3}\b|%|percent\b|[Ee]uros?\b|[Dd]ollars?\b|[Pp]ounds?\b|[Cc]ents?\b)"
)
_DIGIT = re.compile("[0-9]")
_MONEY_BEFORE = re.compile(r"\b[A-Z]{3}[ \u00a0\u202f]?\Z")


@lru_cache(maxsize=4096)
def _token(identifier: str) -> re.Pattern[str]:
    body = "".join(_INSIDE if character == "-" else re.escape(character) for character in identifier)
    before = [rf"[{_LETTER}@]", rf"[{_LETTER}][{_JOINING}]"]
    after = [rf"[{_LETTER}@]", rf"[{_JOINING}][{_LETTER}]"]
    if identifier[0].isdigit():
        before.append(r"[0-9][.,:/']")
    if identifier[-1].isdigit():
        after.append(r"[.,:/'][0-9]")
    if "@" in identifier or "." in identifier:
        before.append(rf"[{_LETTER}][.+]")
        after.append(rf"\.[{_LETTER}]")
    if identifier.isdigit():
        before.append(f"[{_MONEY_SIGNS}]")
        after.append(f"[{_MONEY_SIGNS}]")
    looks_behind = "".join(f"(?<!{condition})" for condition in before)
    return re.compile(f"{looks_behind}{body}(?!{'|'.join(after)})")


def mentions_identifier(text: str, identifier: str) -> bool:
    """Whether `identifier` stands in `text` as a whole token, in its own spelling and case.

    "10" is not in "100", "10.50", "10 EUR" or "#A-10", "I-4" is in neither "I-40" nor "I-4-2". Unicode
    hyphens in the text count as "-"; look-alike letters of other scripts are other letters. An empty
    identifier is nowhere.
    """
    if not identifier:
        return False
    if text.isascii() and identifier not in text:
        return False
    if not identifier.isdigit():
        return _token(identifier).search(text) is not None
    return any(
        _MONEY_AFTER.match(text, found.end()) is None
        and _MONEY_BEFORE.search(text[max(0, found.start() - 5) : found.start()]) is None
        for found in _token(identifier).finditer(text)
    )


def named_among(text: str, ids: Iterable[str]) -> list[str]:
    """Which of the records with these ids people take `text` to name.

    An id stands there in its own spelling; where none of them does, "i-400" names I-400, too. Ids without a digit
    are never read so: they may be words.
    """
    known = [str(id) for id in ids]
    exact = [id for id in known if mentions_identifier(text, id)]
    if exact:
        return exact
    lowered = text.lower()
    return [id for id in known if _DIGIT.search(id) and mentions_identifier(lowered, id.lower())]
