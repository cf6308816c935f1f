"""Where things stand in a JSON text: looked up only when something has to be complained about."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import NoReturn, TypeAlias

Place: TypeAlias = tuple[str | int, ...]
"""Keys and indices from the top: ("episodes", 3, "stop")."""

_BLANK = re.compile(r"[ \t\r\n]*")


class Misplaced(Exception):
    """Something in the text that strict JSON does not allow, and its place."""

    def __init__(self, place: Place, line: int, message: str) -> None:
        self.place = place
        self.line = line
        self.message = message
        super().__init__(message)


def lines_of(text: str) -> Mapping[Place, int]:
    """The line, from 1, on which every value of a JSON text begins.

    Raises `Misplaced` at the first duplicate key, number that is not finite, or fault of syntax.
    """
    reader = _Reader(text)
    end = reader.skip(reader.read(reader.skip(0), ()))
    if end != len(text):
        reader.complain((), end, "more text after the end of the JSON value")
    return reader.lines


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: dict[Place, int] = {}
        self._line, self._counted = 1, 0

    def skip(self, at: int) -> int:
        match = _BLANK.match(self.text, at)
        return match.end() if match else at

    def complain(self, place: Place, at: int, message: str) -> NoReturn:
        cut_off = at >= len(self.text) or message.startswith("Unterminated")
        line = self.text.count("\n", 0, at) + 1
        raise Misplaced(place, line, f"the file is cut off: {message}" if cut_off else message)

    def read(self, at: int, place: Place) -> int:
        self._line += self.text.count("\n", self._counted, at)
        self._counted = at
        self.lines[place] = self._line
        opening = self.text[at : at + 1]
        if opening == "{":
            return self._object(at + 1, place)
        if opening == "[":
            return self._array(at + 1, place)
        return self._scalar(at, place)[1]

    def _object(self, at: int, place: Place) -> int:
        keys: set[str] = set()
        at = self.skip(at)
        if self.text.startswith("}", at):
            return at + 1
        while True:
            at = self.skip(at)
            if not self.text.startswith('"', at):
                self.complain(place, at, "a key in double quotes was due")
            key, end = self._scalar(at, place)
            if str(key) in keys:
                self.complain((*place, str(key)), at, f"the key {key!r} stands twice in one object")
            keys.add(str(key))
            at = self.skip(end)
            if not self.text.startswith(":", at):
                self.complain((*place, str(key)), at, "a colon was due")
            at = self.skip(self.read(self.skip(at + 1), (*place, str(key))))
            if self.text.startswith("}", at):
                return at + 1
            if not self.text.startswith(",", at):
                self.complain(place, at, "a comma or a closing brace was due")
            at += 1

    def _array(self, at: int, place: Place) -> int:
        at = self.skip(at)
        if self.text.startswith("]", at):
            return at + 1
        index = 0
        while True:
            at = self.skip(self.read(self.skip(at), (*place, index)))
            if self.text.startswith("]", at):
                return at + 1
            if not self.text.startswith(",", at):
                self.complain(place, at, "a comma or a closing bracket was due")
            at, index = at + 1, index + 1

    def _scalar(self, at: int, place: Place) -> tuple[object, int]:
        try:
            value, end = json.JSONDecoder().raw_decode(self.text, at)
        except json.JSONDecodeError as error:
            self.complain(place, at, error.msg)
        except ValueError as error:  # an integer with more digits than Python reads
            self.complain(place, at, str(error))
        if isinstance(value, float) and not isfinite(value):
            self.complain(place, at, f"{self.text[at:end]} is not a JSON number")
        return value, end
