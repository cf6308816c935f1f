"""What reading a text yields: a decision in three values, and the place it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Decision = Literal["yes", "no", "unclear"]
"""Whether a text does something. What can not be decided is `unclear`, never guessed."""

Ruling = tuple[Decision, str]
"""A decision about one place, and the reason in words."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters `start` up to, not including, `end` of the text as it was written."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A decision with its evidence; both offsets are 0 and `clause` is empty where nothing was found."""

    decision: Decision
    start: int = 0
    end: int = 0
    clause: str = ""
    """The sentence around the place, as it was written, at most a few hundred characters."""
    why: str
    """The rule that decided, in words."""
    about: str = ""
    """The part of the sentence that may name what the place is about: a further statement after it is left out."""
