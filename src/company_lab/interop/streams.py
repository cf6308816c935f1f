"""Reading a long JSON array one element at a time, so that memory holds one element and not the file."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path

from company_lab.formats.errors import Problem, Problems
from company_lab.interop.documents import Document, json_document

CHUNK = 1 << 20
"""Bytes read at once. An element longer than what is at hand is tried again with twice as much."""

_BLANK = re.compile(r"[ \t\r\n]*")


def read_array(path: Path) -> Iterator[Document]:
    """The elements of a file that is one JSON array, in order.

    Raises `Problems` with file and line where the file is empty, no array, cut off, or holds anything strict
    JSON refuses; what came before has been given out by then.
    """
    window = _Window(path)
    start = window.peek()
    if not start:
        raise window.refused("the file is empty")
    if start != "[":
        raise window.refused("the file must hold a JSON list of recorded runs", found=repr(start))
    window.advance(1)
    if window.peek() == "]":
        window.advance(1)
    else:
        while True:
            yield window.element()
            end = window.peek()
            window.advance(1)
            if end == "]":
                break
            if end != ",":
                raise window.refused("the file is cut off or damaged: a comma or a closing bracket was due")
    if window.peek():
        raise window.refused("more text after the end of the list")


class _Window:
    """The part of a file that is at hand, always beginning at what was not yet given out."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._line = 1
        self._text = ""
        self._at = 0
        self._chunks = self._read()

    def _read(self) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        offset = 0
        try:
            with self._path.open("rb") as file:
                while data := file.read(CHUNK):
                    yield decoder.decode(data)
                    offset += len(data)
                yield decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            raise self.refused(f"not UTF-8 (after byte {offset})") from None
        except OSError as error:
            raise self.refused(f"can not be read: {error.strerror}") from None

    def _more(self, characters: int) -> bool:
        """Have up to `characters` more at hand; False where the file is over."""
        parts = [self._text[self._at :]]
        self._at = 0
        added = 0
        for chunk in self._chunks:
            parts.append(chunk)
            added += len(chunk)
            if added >= characters:
                break
        self._text = "".join(parts)
        return added > 0

    def refused(self, message: str, *, found: str | None = None) -> Problems:
        return Problems([Problem(message=message, file=str(self._path), line=self._line, found=found)])

    def advance(self, characters: int) -> None:
        self._line += self._text.count("\n", self._at, self._at + characters)
        self._at += characters

    def peek(self) -> str:
        """The next character that is no blank, or nothing at the end of the file."""
        while True:
            match = _BLANK.match(self._text, self._at)
            self.advance(match.end() - self._at if match else 0)
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more(CHUNK):
                return ""

    def element(self) -> Document:
        self.peek()
        while True:
            try:
                _, end = json.JSONDecoder().raw_decode(self._text, self._at)
            except ValueError:
                end = None
            except RecursionError:
                raise self.refused("nested too deeply") from None
            # A number or a word that ends with the window may go on behind it.
            if end is not None and end < len(self._text):
                break
            if not self._more(max(CHUNK, len(self._text) - self._at)):
                end = len(self._text) if end is None else end
                break
        text = self._text[self._at : end]
        document = json_document(text, str(self._path), first_line=self._line)
        self.advance(len(text))
        return document
