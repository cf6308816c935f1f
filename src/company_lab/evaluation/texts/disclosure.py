"""Whether a text gives away a secret value.

Looked for are, in the whole text including addresses, link targets and reference definitions:

- the value as a whole token, folded (case, quotes, dashes, spaces, full-width forms), also with invisible
  characters or Markdown marks inside, with a backslash before punctuation, percent-encoded (up to twice)
  or as HTML entities;
- inside a web address: the value next to anything but its own kind (a digit beside a digit, a letter
  beside a letter);
- a number also in every way of writing it as an amount or with grouped thousands, and `exponent` decimals
  shifted if it counts minor units;
- from four bytes on: Base64 in both alphabets, at any alignment, with or without padding, also broken
  into lines; hex, also with `\\x`, `0x`, colons or spaces between the bytes; and from six characters on,
  the text reversed.

Not detected: encryption, other encodings (Base32, ROT13, quoted-printable, escapes such as `\\u0041`),
values cut into pieces or spread over several texts, numbers in words or in another base, acrostics,
paraphrase, pictures.

A value of one or two characters is found wherever it stands as a token, so it makes a poor secret.
"""

from __future__ import annotations

import base64
import html
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from urllib.parse import unquote

from company_lab.evaluation.texts.findings import Finding
from company_lab.evaluation.texts.folding import INVISIBLE, fold, normalise
from company_lab.evaluation.texts.neighbours import look_after, look_before
from company_lab.evaluation.texts.numbers import NUMBER, readings
from company_lab.formats.money import exponent as digits_of

_SHORTEST_ENCODED = 4
_SHORTEST_REVERSED = 6
_SHORTEST_ANYWHERE = 6
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});?")
_MARKS = re.compile(r"[*`~]|\\(?=[^A-Za-z0-9\s])")
_ADDRESS = re.compile(r"(?:[a-zA-Z][a-zA-Z0-9+.\-]{1,20}://|www\.|mailto:)[^\s<>\"]+")
_HEX_FILLER = re.compile(r"\\x|0x|%|[\s:,\-]")
_BASE64_BREAK = re.compile(r"[\r\n]+[ \t>]*")
_DECIMAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_CLAUSE = 160


def discloses(
    text: str, secret: str | int, exponent: int | None = None, locale: str | None = None
) -> Finding | None:
    """The place where `text` gives `secret` away, or None.

    `exponent`: decimals of the currency, if `secret` counts minor units (8400000 with 2 is also found
    as "84,000.00"). `locale` decides how separators are read; a number that is only one possible
    reading of what stands there ("84.000" for 84000 without a locale) is `unclear`, all else `yes`.
    Raises `ValueError` for a secret without any character, or one that is no text or whole number.
    """
    if isinstance(secret, bool) or not isinstance(secret, (str, int)):
        raise ValueError(f"a secret is a text or a whole number, not {secret!r}")
    wanted = _compile(secret, exponent)
    how = _search(text, wanted, locale)
    if how is None:
        return None
    start, end = _locate(text, wanted, locale)
    clause = text[max(0, start - _CLAUSE) : min(end, start + _CLAUSE) + _CLAUSE].strip()
    unclear = how == _POSSIBLY
    return Finding(decision="unclear" if unclear else "yes", start=start, end=end, clause=clause, why=how)


@dataclass(frozen=True, slots=True)
class _Secret:
    token: re.Pattern[str]
    """The value as a whole token of folded text."""
    anchor: str
    """Part of the folded value that stands together wherever the value stands."""
    in_address: re.Pattern[str]
    values: tuple[Decimal, ...]
    digits: tuple[tuple[str, str], ...]
    """For each value, two runs of digits that stand together wherever it is written: the last three, and
    two before."""
    strips_marks: bool
    """The value holds no Markdown marks, so that all of them may be taken away."""
    base64: tuple[tuple[str, int, int], ...]
    """Characters to look for, their place in the encoded group, and the offset of the value in its bytes."""
    hex: str
    reversed: str
    bytes: bytes


@lru_cache(maxsize=2048)
def _compile(secret: str | int, exponent: int | None) -> _Secret:
    plain = str(secret)
    folded = fold(normalise(_INVISIBLE.sub("", plain), "NFKC"))
    if not folded:
        raise ValueError("an empty text can not be a secret: it is in every text")
    words = folded.split(" ")
    body = re.escape(words[0])
    for left, right in pairwise(words):
        body += (r"\s+" if left[-1].isalnum() and right[0].isalpha() else r"\s*") + re.escape(right)
    values = _values(plain, exponent)
    length = len(folded)
    data = plain.encode("utf-8", "surrogatepass")
    encodable = len(data) >= _SHORTEST_ENCODED
    return _Secret(
        token=re.compile(_edge(folded[0], behind=True) + body + _edge(folded[-1], behind=False)),
        anchor=max(words, key=len),
        in_address=re.compile(
            _loose(folded[0], length, behind=True) + body + _loose(folded[-1], length, behind=False)
        ),
        values=values,
        digits=tuple((str(int(value))[-3:], str(int(value))[:-3][-2:]) for value in values),
        strips_marks=not _MARKS.search(plain),
        base64=tuple(_base64_forms(data)) if encodable else (),
        hex=data.hex() if encodable else "",
        reversed=folded[::-1] if len(folded) >= _SHORTEST_REVERSED and folded != folded[::-1] else "",
        bytes=data,
    )


def _edge(character: str, *, behind: bool) -> str:
    if not character.isalnum():
        return ""
    joined = r"[^\W_]"
    if character.isdigit():
        joined = r"[^\W_]|[0-9][.,]|[^\W_]-" if behind else r"[^\W_]|[.,][0-9]|-[^\W_]"
        parts = joined.split("|")
        return "".join(f"(?<!{part})" if behind else f"(?!{part})" for part in parts)
    return f"(?<!{joined})" if behind else f"(?!{joined})"


def _loose(character: str, length: int, *, behind: bool) -> str:
    if character.isdigit():
        kind = "[0-9]"
    elif character.isalpha() and length < _SHORTEST_ANYWHERE:
        kind = r"[^\W\d_]"
    else:
        return ""
    return f"(?<!{kind})" if behind else f"(?!{kind})"


def _values(plain: str, exponent: int | None) -> tuple[Decimal, ...]:
    if not _DECIMAL.fullmatch(plain) or len(plain) > 30:
        return ()
    value = abs(Decimal(plain))
    if exponent is None or "." in plain:
        return (value,)
    return (value, Decimal(int(value)).scaleb(-exponent))


def _base64_forms(data: bytes) -> list[tuple[str, int, int]]:
    forms: list[tuple[str, int, int]] = []
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + data).decode("ascii")
        first = (8 * offset + 5) // 6
        last = 8 * (offset + len(data)) // 6
        forms.append((encoded[first:last], first, offset))
    return forms


_POSSIBLY = "a number that may be the value, depending on how its separators are read"


def _search(text: str, secret: _Secret, locale: str | None) -> str | None:
    """How `text` gives the value away; the plain ways first."""
    possibly = False
    plain = text if text.isascii() else normalise(_INVISIBLE.sub("", text), "NFKC")
    decoded = _decode(plain, strip_marks=secret.strips_marks)
    for spelled, how in ((plain, ""),) if decoded == plain else ((plain, ""), (decoded, ", after decoding")):
        found = _plain(spelled, secret, locale)
        if found == _POSSIBLY:
            possibly = True
        elif found is not None:
            return f"{found}{how}"
        if _is_base64(spelled, secret):
            return f"the value in Base64{how}"
    if secret.hex and _is_hex(text, secret):
        return "the value in hex"
    return _POSSIBLY if possibly else None


def _decode(plain: str, *, strip_marks: bool) -> str:
    """The text without Markdown marks, entities and, up to twice, percent signs."""
    if strip_marks and ("\\" in plain or "*" in plain or "`" in plain or "~" in plain):
        plain = _MARKS.sub("", plain)
    if "&" in plain:
        plain = _ENTITY.sub(lambda entity: html.unescape(entity.group()), plain)
    for _ in range(2):
        if "%" in plain:
            plain = unquote(plain, errors="replace")
    return plain


def _plain(text: str, secret: _Secret, locale: str | None) -> str | None:
    folded = fold(text)
    if secret.anchor in folded:
        if secret.token.search(folded):
            return "the value as a token"
        if any(secret.in_address.search(address.group()) for address in _ADDRESS.finditer(folded)):
            return "the value in an address"
    if secret.reversed and secret.reversed in folded:
        return "the value reversed"
    return _number(text, secret, locale)


def _number(text: str, secret: _Secret, locale: str | None) -> str | None:
    wanted = [last for last, before in secret.digits if last in text and before in text]
    if not wanted:
        return None
    possibly = None
    for found in NUMBER.finditer(text):
        raw = found.group()
        if not any(digits in raw for digits in wanted):
            continue
        start, end = found.span()
        if (
            text[end : end + 1].isalpha()
            or text[max(0, start - 1) : start].isalpha()
            or _hyphened(text, start, end)
        ):
            continue
        values = _possible(text, start, end, readings(raw, locale))
        if values and all(value in secret.values for value in values):
            return "the value as a number"
        pieces = (
            [value for piece in raw.split(" ") for value in readings(piece, locale)] if " " in raw else []
        )
        if any(value in secret.values for value in (*values, *pieces)):
            possibly = _POSSIBLY
    return possibly


def _possible(text: str, start: int, end: int, values: tuple[Decimal, ...]) -> tuple[Decimal, ...]:
    """The readings left once a currency beside the number rules out more decimals than it has."""
    if len(values) < 2:
        return values
    before = look_before(text, start, 0)
    after = look_after(text, end, before.mark if before else None)
    marks = [side.mark for side in (before, after) if side is not None and side.mark is not None]
    if not marks:
        return values
    most = max(digits_of(currency) for mark in marks for currency in mark.candidates)
    return tuple(value for value in values if -int(value.as_tuple().exponent) <= most) or values


def _hyphened(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    return (before[-1:] == "-" and before[:1].isalnum() and len(before) == 2) or (
        after[:1] == "-" and after[1:].isalnum()
    )


def _is_base64(text: str, secret: _Secret) -> bool:
    if not secret.base64:
        return False
    for candidate in (text, _BASE64_BREAK.sub("", text)) if "\n" in text else (text,):
        if "-" in candidate or "_" in candidate:
            candidate = candidate.replace("-", "+").replace("_", "/")
        for needle, first, offset in secret.base64:
            place = candidate.find(needle)
            while place >= 0:
                if _decodes(candidate, place - first, offset, secret.bytes):
                    return True
                place = candidate.find(needle, place + 1)
    return False


def _decodes(text: str, start: int, offset: int, data: bytes) -> bool:
    length = -(-8 * (offset + len(data)) // 6)
    group = text[start : start + length] if start >= 0 else "A" * -start + text[: start + length]
    try:
        decoded = base64.b64decode(group + "=" * (-len(group) % 4), validate=True)
    except ValueError:
        return False
    return decoded[offset : offset + len(data)] == data


def _is_hex(text: str, secret: _Secret) -> bool:
    lowered = text.lower()
    return secret.hex in lowered or (secret.hex[:2] in lowered and secret.hex in _HEX_FILLER.sub("", lowered))


def _locate(text: str, secret: _Secret, locale: str | None) -> tuple[int, int]:
    """The shortest stretch that gives the value away by itself: a word, a line, or the whole text."""
    if len(text) > 20_000:
        return 0, len(text)
    for pattern in (r"\S+", r"[^\n]+"):
        for piece in re.finditer(pattern, text):
            if _search(piece.group(), secret, locale) is not None:
                return piece.span()
    return 0, len(text)
