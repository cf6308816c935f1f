"""Files of other people as JSON values, each with the lines its parts stand on.

JSON, JSON Lines and YAML are told apart by what a file holds, so that a wrong ending does no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from company_lab.formats.canonical import Json, NotJson, parse
from company_lab.formats.errors import Problem, Problems
from company_lab.formats.yaml import Document as YamlDocument
from company_lab.formats.yaml import path_text, read_yaml
from company_lab.interop.positions import Misplaced, Place, lines_of

YAML_ENDINGS = frozenset({".yaml", ".yml"})
JSON_LINES_ENDINGS = frozenset({".jsonl", ".ndjson"})
ENDINGS = YAML_ENDINGS | JSON_LINES_ENDINGS | {".json"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One value of a file and where it stands."""

    file: str
    value: Json
    line_of: Callable[[Place], int]
    """The line, from 1, of the part at a place, or of the nearest part around it."""

    def problem(
        self,
        place: Place,
        message: str,
        *,
        found: str | None = None,
        expected: str | None = None,
        nearest: str | None = None,
        fix: str | None = None,
    ) -> Problem:
        """A problem with the part at `place`."""
        return Problem(
            message=message,
            file=self.file,
            line=self.line_of(place),
            path=path_text(place),
            found=found,
            expected=expected,
            nearest=nearest,
            fix=fix,
        )


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, without its byte order mark. Raises `Problems`, also where it is empty."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refused(path, f"not UTF-8 (byte {error.start})") from None
    except OSError as error:
        raise _refused(path, f"can not be read: {error.strerror}") from None
    if not text.strip():
        raise _refused(path, "the file is empty")
    return text


def _refused(path: Path, message: str) -> Problems:
    return Problems([Problem(message=message, file=str(path))])


def read_documents(path: Path) -> Iterator[Document]:
    """Every value of a file, in order. Damage, NaN and keys that stand twice raise `Problems`.

    Of JSON Lines every damaged line is in it, once the good ones have been given.
    """
    text = read_text(path)
    file = str(path)
    if path.suffix in YAML_ENDINGS or text.lstrip()[0] not in "{[":
        for document in read_yaml(text, file=file):
            yield Document(file=file, value=document.value, line_of=partial(_yaml_line, document))
    elif path.suffix in JSON_LINES_ENDINGS or _is_json_lines(text):
        lines = text.split("\n")
        problems: list[Problem] = []
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                read = json_document(line, file, first_line=number, cut_off=number == len(lines))
            except Problems as error:
                problems += error.problems
            else:
                yield read
        if problems:
            raise Problems(problems)
    else:
        yield json_document(text, file)


def _is_json_lines(text: str) -> bool:
    first, _, rest = text.strip().partition("\n")
    if not rest.strip():
        return False
    try:
        parse(first)
    except NotJson:
        return False
    return True


def json_document(text: str, file: str, *, first_line: int = 1, cut_off: bool = False) -> Document:
    """A strict JSON text as a document. `cut_off`: a last line without a line end. Raises `Problems`."""
    try:
        value = parse(text)
    except NotJson as error:
        raise Problems([_complaint(text, file, first_line, str(error), cut_off)]) from None
    return Document(file=file, value=value, line_of=_JsonLines(text, first_line))


def _yaml_line(document: YamlDocument, place: Place) -> int:
    return document.position(place)[0] or document.line


class _JsonLines:
    """Lines of a JSON text, looked through once, when somebody asks for a part of it."""

    __slots__ = ("_first", "_lines", "_text")

    def __init__(self, text: str, first_line: int) -> None:
        self._text = text
        self._first = first_line
        self._lines: Mapping[Place, int] | None = None

    def __call__(self, place: Place) -> int:
        if not place:
            return self._first
        if self._lines is None:
            self._lines = lines_of(self._text)
        while place not in self._lines:
            place = place[:-1]
        return self._first - 1 + self._lines[place]


def _complaint(text: str, file: str, first_line: int, message: str, cut_off: bool) -> Problem:
    try:
        lines_of(text)
    except Misplaced as found:
        message = found.message
        if cut_off and "cut off" not in message and "number" not in message:
            message = f"the last line has no end and is damaged: {message}"
        line = first_line + found.line - 1
        return Problem(message=message, file=file, line=line, path=path_text(found.place))
    except RecursionError:
        pass
    return Problem(message=message, file=file, line=first_line)
