"""Phrases as somebody would say them."""

from __future__ import annotations

import re

_CHOICE = re.compile(r"\(([^()|]*)[^()]*\)")
_OPTION = re.compile(r"\[[^\[\]]*\]")


def spoken(phrase: str) -> str:
    """One wording that a phrase of a world covers: the first of each choice, nothing optional."""
    plain = _CHOICE.sub(r"\1", _OPTION.sub("", phrase)).replace("...", " ").replace("*", "")
    return " ".join(plain.split())
