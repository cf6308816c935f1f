"""YAML 1.2 (core schema) as plain values that remember where they stood.

PyYAML's C composer gives nodes with marks; values are built from them by the rules of YAML 1.2, so `no`, `on`
and `12:30` are text and keys are always text as written. Refused, each with its position: keys that stand
twice, merge keys (YAML 1.2 has none), tags beyond the core schema, NaN and infinity, integers beyond 64 bit,
aliases that contain themselves or blow a document up, nesting deeper than 64 levels, and other encodings than
UTF-8. Line breaks are LF, CRLF and CR; the three further ones of YAML 1.1 must be written as escapes.
"""

from __future__ import annotations

import gc
import operator
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

import yaml
from yaml._yaml import CParser
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from company_lab.formats.canonical import Json
from company_lab.formats.errors import Problem, Problems
from company_lab.formats.yaml_values import ValueReader, path_text, problem_at, refuse_aliases

__all__ = ["Document", "Path", "collection_paused", "path_text", "read_yaml", "scan_yaml"]

LARGE = 200_000
"""Characters from which on the garbage collector rests while nodes are built."""

Path: TypeAlias = tuple[str | int, ...]
"""Where something stands inside a document: keys and list positions."""


class _Composer(CParser):
    """Nodes without the resolution of YAML 1.1: an untagged node keeps the parser's plain/quoted flag."""

    @staticmethod
    def resolve(kind: object, value: object, implicit: object) -> object:
        return implicit

    # Called for every node with nothing to do: builtins of the right arity cost least.
    descend_resolver = staticmethod(operator.is_)
    ascend_resolver = staticmethod(tuple)


class Document:
    """One YAML document: its plain value, and the place of everything in it.

    `root` is the composed node; a value that never was a text has none.

    Places are looked up only when somebody asks, so a document without problems never pays for them.
    """

    __slots__ = ("_entries", "_root", "file", "floats", "value")

    def __init__(self, *, file: str, value: Json, root: Node | None = None, floats: bool = False) -> None:
        self.file = file
        self.value = value
        self.floats = floats
        """Whether a number was written with a point or an exponent anywhere."""
        self._root = root
        self._entries: dict[int, dict[str, tuple[Node, Node]]] = {}

    @property
    def line(self) -> int:
        """The line, from 1, where the document's content begins."""
        return int(self._root.start_mark.line) + 1 if self._root is not None else 1

    def position(
        self, path: Sequence[str | int], *, key: bool = False
    ) -> tuple[int, int] | tuple[None, None]:
        """Line and column, from 1, of the value at `path`, or with `key` of the key that leads to it.

        Where the path leaves the document, the last place on it counts. A document that never was a text
        has no lines.
        """
        if self._root is None:
            return None, None
        at = node = self._root
        for part in path:
            step = self._step(node, part)
            if step is None:
                break
            at, node = step
        place = at if key else node
        if isinstance(node, ScalarNode) and node.value == "" and not key:
            place = at
        return int(place.start_mark.line) + 1, int(place.start_mark.column) + 1

    def written(self, path: Sequence[str | int]) -> str | None:
        """The scalar at `path` as it was written, before it became a number or a boolean; or None."""
        node = self._root
        for part in path:
            step = self._step(node, part) if node is not None else None
            if step is None:
                return None
            node = step[1]
        return node.value if isinstance(node, ScalarNode) else None

    def _step(self, node: Node, part: str | int) -> tuple[Node, Node] | None:
        if isinstance(node, MappingNode):
            entries = self._entries.get(id(node))
            if entries is None:
                entries = {
                    key.value: (key, value)
                    for key, value in reversed(node.value)
                    if isinstance(key, ScalarNode)
                }
                self._entries[id(node)] = entries
            return entries.get(part) if isinstance(part, str) else None
        if isinstance(node, SequenceNode) and isinstance(part, int) and 0 <= part < len(node.value):
            item = node.value[part]
            return item, item
        return None


@contextmanager
def collection_paused(size: int) -> Iterator[None]:
    """Let the garbage collector rest while a text of `size` characters is read, if it is a large one.

    Nodes hold no cycles, and scanning millions of them again and again costs six times the reading itself.
    """
    pause = size > LARGE and gc.isenabled()
    if pause:
        gc.disable()
    try:
        yield
    finally:
        if pause:
            gc.enable()


def read_yaml(text: str | bytes, *, file: str = "") -> list[Document]:
    """Every document of a YAML text, in order. Raises `Problems` with all that is wrong with it."""
    documents, problems = scan_yaml(text, file=file)
    if problems:
        raise Problems(problems)
    return documents


def scan_yaml(text: str | bytes, *, file: str = "") -> tuple[list[Document], list[Problem]]:
    """What can be read of a YAML text, and everything that is wrong with it.

    A text that is no YAML at all, is empty, or holds an empty document is a problem too. Values in the place
    of refused ones are placeholders, so a document counts only where there are no problems.
    """
    decoded, problem = _decode(text, file)
    if problem is not None:
        return [], [problem]
    with collection_paused(len(decoded)):
        return _scan(decoded, file)


def _scan(text: str, file: str) -> tuple[list[Document], list[Problem]]:
    documents: list[Document] = []
    problems: list[Problem] = []
    try:
        for root in _compose(text):
            # An alias needs a star; most texts have none and are spared the search for cycles.
            problem = refuse_aliases(root, file) if "*" in text else None
            if problem is not None:
                problems.append(problem)
                continue
            reader = ValueReader()
            value = reader.value(root)
            problems.extend(reader.problems(root, file))
            if isinstance(root, ScalarNode) and value is None:
                problems.append(problem_at(root, file, "the document is empty", fix="write it or remove it"))
                continue
            documents.append(Document(file=file, value=value, root=root, floats=reader.floats))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = ", ".join(part for part in (error.context, error.problem) if part)
        line, column = (mark.line + 1, mark.column + 1) if mark else (None, None)
        problems.append(Problem(message=f"this is not YAML: {said}", file=file, line=line, column=column))
    except yaml.reader.ReaderError as error:
        problems.append(_unreadable(error, text, file))
    if not documents and not problems:
        problems.append(Problem(message="the file is empty", file=file, line=1, column=1))
    return documents, problems


def _decode(text: str | bytes, file: str) -> tuple[str, Problem | None]:
    if isinstance(text, bytes):
        try:
            decoded = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            return "", _not_utf8(text, error.start, file)
    else:
        decoded = text.removeprefix("\ufeff")
    # libyaml folds these as line breaks, as YAML 1.1 did; in YAML 1.2 they are ordinary characters. And half
    # a surrogate pair can not be handed to it at all.
    match = _UNFIT.search(decoded)
    return decoded, _unfit_character(decoded, match.start(), file) if match else None


_UNFIT = re.compile("[\x85\u2028\u2029\ud800-\udfff]")


def _not_utf8(text: bytes, start: int, file: str) -> Problem:
    # The decoder counts from behind the byte order mark.
    offset = start + (3 if text.startswith(b"\xef\xbb\xbf") else 0)
    return Problem(
        message=f"not UTF-8: no character begins with byte {offset} (0x{text[offset]:02X})",
        file=file,
        line=text.count(b"\n", 0, offset) + 1,
        found="UTF-16" if text[:2] in (b"\xff\xfe", b"\xfe\xff") else "another encoding",
        fix="save the file as UTF-8",
    )


def _unfit_character(text: str, offset: int, file: str) -> Problem:
    code = ord(text[offset])
    return Problem(
        message=f"the character U+{code:04X} may not stand here as it is",
        file=file,
        line=text.count("\n", 0, offset) + 1,
        column=offset - text.rfind("\n", 0, offset),
        fix=None if 0xD800 <= code <= 0xDFFF else f'write it as an escape in double quotes, "\\u{code:04x}"',
    )


def _compose(text: str) -> Iterator[Node]:
    parser = _Composer(text)
    try:
        while parser.check_node():
            root = parser.get_node()
            if root is not None:
                yield root
    finally:
        parser.dispose()


def _unreadable(error: yaml.reader.ReaderError, text: str, file: str) -> Problem:
    # The C reader counts bytes of UTF-8.
    before = text.encode("utf-8")[: error.position].decode("utf-8", "ignore")
    return _unfit_character(text, min(len(before), len(text) - 1), file)
