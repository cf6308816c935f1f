"""Remembered: a text is read once. Trials of one scenario often say the same words again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")

_MANY = 512
_LONG = 20_000


class Remembered(Generic[Answer]):
    """A pure function of a text with a bounded memory; long texts are read anew each time."""

    __slots__ = ("_known", "_read")

    def __init__(self, read: Callable[[str], Answer]) -> None:
        self._read = read
        self._known: dict[str, Answer] = {}

    def __call__(self, text: str) -> Answer:
        known = self._known.get(text)
        if known is not None:
            return known
        answer = self._read(text)
        if len(text) <= _LONG:
            if len(self._known) >= _MANY:
                self._known.clear()
            self._known[text] = answer
        return answer
