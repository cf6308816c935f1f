"""Text written by others, made harmless for a terminal."""

from __future__ import annotations

import unicodedata

_JOINERS = frozenset("\u200c\u200d")
"""Needed to spell some languages and emoji; they neither move nor hide anything."""


def printable(text: str) -> str:
    """`text` with everything that could steer a terminal spelled out, line ends kept.

    Escape sequences, C0 and C1 controls, bidi controls, other invisible characters, line separators and
    lone surrogates appear as `\\x1b`, `\\u202e` and so on, so that a reader sees that something was there. A
    carriage return before a line end is dropped; a tab becomes four spaces.
    """
    if text.isprintable():
        return text
    return "".join(_harmless(character) for character in text.replace("\r\n", "\n"))


def _harmless(character: str) -> str:
    if character.isprintable() or character == "\n" or character in _JOINERS:
        return character
    if character == "\t":
        return "    "
    if unicodedata.category(character) == "Zs":
        return " "
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def one_line(text: str) -> str:
    """As `printable`, on a single line: a line end is spelled out too."""
    return printable(text).replace("\n", "\\n")


def cut(text: str, length: int) -> str:
    """At most `length` characters of `text`, and how many were left out."""
    if len(text) <= length:
        return text
    return f"{text[:length]}… ({len(text) - length:,} more characters)"
