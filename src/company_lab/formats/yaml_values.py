"""Plain values from YAML nodes, by the core schema of YAML 1.2, and what is wrong with the nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from company_lab.formats.canonical import MAX_DEPTH, MAX_INTEGER, Json
from company_lab.formats.errors import Problem
from company_lab.formats.shapes import shown

MAX_ALIASED = 100_000
"""Values that aliases may add to a document. Documents without aliases may have any size."""

_FAR_TOO_LARGE = 10**15

PLAIN = (True, False)
"""The tag that the composer gives to an untagged, unquoted scalar."""

_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_A_NUMBER = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_MAY_BE_NUMBER = frozenset("+-.0123456789")
_CORE = "tag:yaml.org,2002:"
_COLLECTIONS = {MappingNode: _CORE + "map", SequenceNode: _CORE + "seq"}


def path_text(path: Sequence[str | int]) -> str:
    """A path as people write it: ("expected", "actions", 0, "tool") is "expected.actions[0].tool"."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part.isprintable() and part and not re.search(r"[.\s\[\]\"]", part):
            text += f".{part}" if text else part
        else:
            text += f"[{shown(part)}]"
    return text


def problem_at(node: Node, file: str, message: str, **details: str) -> Problem:
    """A problem where `node` begins."""
    mark = node.start_mark
    return Problem(message=message, file=file, line=mark.line + 1, column=mark.column + 1, **details)


class ValueReader:
    """Builds the value of one document and notes what is wrong with it."""

    __slots__ = ("_refused", "floats")

    def __init__(self) -> None:
        self._refused: list[tuple[Node, str, dict[str, str]]] = []
        self.floats = False

    def problems(self, root: Node, file: str) -> Iterator[Problem]:
        """What was refused, in the order in which it was read."""
        if self._refused:
            wanted = {id(node) for node, _, _ in self._refused}
            paths = {id(node): path for node, path in _places(root) if id(node) in wanted}
            for node, message, details in self._refused:
                yield problem_at(node, file, message, path=path_text(paths[id(node)]), **details)

    def refuse(self, node: Node, message: str, **details: str) -> None:
        self._refused.append((node, message, details))

    def value(self, node: Any, depth: int = 0) -> Json:
        kind = type(node)
        # The composer leaves its plain/quoted flag where there is no tag.
        tag = node.tag
        if kind is ScalarNode:
            # `! "5"` has the plain flag too, but not the style.
            if tag == PLAIN and not node.style:
                text: str = node.value
                if text in _WORDS:
                    return _WORDS[text]
                return self.number(node, text) if text[0] in _MAY_BE_NUMBER else text
            return self.tagged(node) if type(tag) is str else node.value
        if depth >= MAX_DEPTH:
            self.refuse(node, f"nested deeper than {MAX_DEPTH} levels")
            return None
        if type(tag) is str and tag != _COLLECTIONS[kind]:
            self.refuse_tag(node)
        if kind is SequenceNode:
            return [self.value(item, depth + 1) for item in node.value]
        return self.mapping(node, depth)

    def mapping(self, node: Node, depth: int) -> dict[str, Json]:
        found: dict[str, Json] = {}
        twice = False
        for key, item in node.value:
            tag = key.tag
            if type(key) is not ScalarNode:
                self.refuse(key, "a key must be text", found="a list or a mapping as a key")
                continue
            name: str = key.value
            if name in found:
                twice = True
            elif name == "<<" and tag == PLAIN:
                self.refuse(key, "YAML 1.2 has no merge keys", found="<<", fix="write out what it stands for")
                continue
            elif type(tag) is str and tag != _CORE + "str":
                self.refuse_tag(key)
            found[name] = self.value(item, depth + 1)
        if twice:
            self.refuse_repeated(node)
        return found

    def number(self, node: Node, text: str) -> Json:
        if _INTEGER.fullmatch(text):
            # int() itself refuses very long decimal digits, so they are measured before.
            if len(text) > 64 or abs(number := _whole(text)) > MAX_INTEGER:
                self.refuse(node, "an integer beyond 64 bit", found=shown(text), fix="quote it if it is text")
                return 0
            return number
        if _FLOAT.fullmatch(text):
            self.floats = True
            decimal = float(text)
            if not isfinite(decimal):
                self.refuse(node, "too large for a number", found=shown(text), fix="quote it if it is text")
                return 0
            return decimal
        if _NOT_A_NUMBER.fullmatch(text):
            self.refuse(node, "not a finite number", found=text, fix="quote it if it is text")
            return 0
        return text

    def tagged(self, node: Node) -> Json:
        text: str = node.value
        name = node.tag.removeprefix(_CORE) if node.tag.startswith(_CORE) else ""
        if name == "str":
            return text
        if name in ("null", "bool") and text in _WORDS and (_WORDS[text] is None) == (name == "null"):
            return _WORDS[text]
        if (name == "int" and _INTEGER.fullmatch(text)) or (name == "float" and _FLOAT.fullmatch(text)):
            self.floats = self.floats or name == "float"
            number = self.number(node, text)
            return float(number) if name == "float" and isinstance(number, int) else number
        self.refuse_tag(node)
        return text

    def refuse_tag(self, node: Node) -> None:
        tag = node.tag.replace(_CORE, "!!", 1)
        self.refuse(node, "a tag that is unknown or does not fit", found=tag, fix="remove the tag")

    def refuse_repeated(self, node: Node) -> None:
        first: dict[str, int] = {}
        for key, _ in node.value:
            if type(key) is not ScalarNode:
                continue
            if key.value in first:
                self.refuse(
                    key,
                    f"the key {key.value} stands twice in one mapping, first in line {first[key.value]}",
                    fix="keep one of them",
                )
            else:
                first[key.value] = key.start_mark.line + 1


def refuse_aliases(root: Node, file: str) -> Problem | None:
    """The reason why the aliases of a document can not be followed, or None where they can."""
    sizes: dict[int, int] = {}
    unfinished: set[int] = set()
    pending: list[tuple[Node, bool]] = [(root, False)]
    while pending:
        node, done = pending.pop()
        if done:
            unfinished.discard(id(node))
            # Whatever is far too large is equally bad, and numbers that double with every line have no end.
            size = 1 + sum(sizes[id(child)] for child in _children(node))
            sizes[id(node)] = min(size, _FAR_TOO_LARGE)
        elif id(node) in unfinished:
            return problem_at(node, file, "an alias contains itself", fix="write the value out")
        elif id(node) not in sizes:
            unfinished.add(id(node))
            pending.append((node, True))
            pending.extend((child, False) for child in _children(node))
    added = sizes[id(root)] - len(sizes)
    if added <= MAX_ALIASED:
        return None
    return problem_at(
        root,
        file,
        "aliases make this document too large",
        found=f"{added} values more than are written",
        expected=f"at most {MAX_ALIASED}",
    )


def _places(root: Node) -> Iterator[tuple[Node, tuple[str | int, ...]]]:
    pending: list[tuple[Node, tuple[str | int, ...]]] = [(root, ())]
    seen: set[int] = set()
    while pending:
        node, path = pending.pop()
        yield node, path
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, SequenceNode):
            pending.extend((item, (*path, index)) for index, item in enumerate(node.value))
        elif isinstance(node, MappingNode):
            for key, value in node.value:
                name = key.value if isinstance(key, ScalarNode) else "?"
                yield key, (*path, name)
                pending.append((value, (*path, name)))


def _children(node: Node) -> Iterator[Node]:
    if isinstance(node, SequenceNode):
        yield from node.value
    elif isinstance(node, MappingNode):
        for key, value in node.value:
            yield key
            yield value


def _whole(text: str) -> int:
    if text.startswith("0o"):
        return int(text[2:], 8)
    if text.startswith("0x"):
        return int(text[2:], 16)
    return int(text)
