"""Rules of redaction in a file, YAML or TOML, and in a store."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from company_lab.formats.canonical import Json, canonical, digest, parse_own, same
from company_lab.formats.errors import Problem, Problems, nearest
from company_lab.formats.secrets import LOOKS_LIKE_A_KEY
from company_lab.formats.yaml import path_text, read_yaml
from company_lab.traces.redaction import Pattern, RecordPath, Redaction

FORMAT = 1
KNOWN: Mapping[str, re.Pattern[str]] = {
    # Bounded: in a long text without an @ each character would else be the beginning of another search to its end.
    "email": re.compile(r"[\w.%+-]{1,256}@[\w-]+(?:\.[\w-]+)+"),
    "phone": re.compile(r"(?<!\w)\+[0-9][0-9 ()/-]{6,}[0-9]"),
    "iban": re.compile(r"\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b"),
    "card": re.compile(r"(?<![\w-])(?:[0-9][ -]?){12,18}[0-9](?![\w-])"),
    "key": LOOKS_LIKE_A_KEY,
}
"""Patterns that a file may name instead of spelling them out."""

_KEYS = ("format", "patterns", "records")
_PATTERN_KEYS = ("name", "regex")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9 _.-]{0,40}")

_Place = tuple[str | int, ...]
_Complain = Callable[..., None]


def load_redaction(path: Path) -> Redaction:
    """The rules of a file. Raises `Problems` with everything that is wrong with it."""
    return read_redaction(*_document(path))


def kept_redaction(text: str) -> Redaction:
    """The rules that `spelled` wrote."""
    return read_redaction(parse_own(text), "stored redaction rules", lambda _: (None, None))


def spelled(rules: Redaction) -> str:
    """Rules as they are stored, under their digest."""
    return canonical(_plain(rules))


def read_redaction(
    document: Json, file: str, position: Callable[[_Place], tuple[int | None, int | None]]
) -> Redaction:
    """The rules a document holds. Raises `Problems`."""
    problems: list[Problem] = []

    def complain(place: _Place, message: str, **details: str | None) -> None:
        line, column = position(place)
        problems.append(
            Problem(message=message, file=file, line=line, column=column, path=path_text(place), **details)
        )

    patterns: list[Pattern] = []
    records: list[RecordPath] = []
    if not isinstance(document, dict):
        complain((), "rules of redaction are an object", expected="patterns, records or both")
    else:
        for key in document:
            if key not in _KEYS:
                complain((key,), f"there is no key {key}", nearest=nearest(key, _KEYS))
        if not same(document.get("format", FORMAT), FORMAT):
            complain(("format",), "another format", found=str(document["format"]), expected=str(FORMAT))
        patterns = list(_patterns(_listed(document, "patterns", complain), complain))
        records = list(_records(_listed(document, "records", complain), complain))
        if not patterns and not records and not problems:
            complain((), "there is no rule: nothing would be redacted")
    if problems:
        raise Problems(problems)
    rules = Redaction(patterns=tuple(patterns), records=tuple(records), digest="")
    return Redaction(patterns=rules.patterns, records=rules.records, digest=digest(_plain(rules)))


def _plain(rules: Redaction) -> dict[str, Json]:
    known = {regex.pattern: name for name, regex in KNOWN.items()}
    return {
        "format": FORMAT,
        "patterns": [
            pattern.name
            if known.get(pattern.regex.pattern) == pattern.name
            else {"name": pattern.name, "regex": pattern.regex.pattern}
            for pattern in rules.patterns
        ],
        "records": [f"{path.table}.{path.id or '*'}.{path.field}" for path in rules.records],
    }


def _listed(document: Mapping[str, Json], key: str, complain: _Complain) -> list[Json]:
    value = document.get(key, [])
    if not isinstance(value, list):
        complain((key,), f"{key} is a list", found=type(value).__name__)
        return []
    return value


def _patterns(listed: list[Json], complain: _Complain) -> Iterator[Pattern]:
    names: set[str] = set()
    for index, entry in enumerate(listed):
        place: _Place = ("patterns", index)
        if isinstance(entry, str):
            name, regex = entry, KNOWN.get(entry)
            if regex is None:
                message = f"there is no pattern {entry}; write {{name: ..., regex: ...}} for your own"
                complain(place, message, expected=f"one of {', '.join(KNOWN)}", nearest=nearest(entry, KNOWN))
                continue
        else:
            own = _own_pattern(entry, place, complain)
            if own is None:
                continue
            name, regex = own
        if name in names:
            complain(place, f"the name {name} stands twice")
        names.add(name)
        yield Pattern(name, regex)


def _own_pattern(entry: Json, place: _Place, complain: _Complain) -> tuple[str, re.Pattern[str]] | None:
    if not isinstance(entry, dict):
        complain(place, "a pattern is a known name, or an object with name and regex")
        return None
    for key in entry:
        if key not in _PATTERN_KEYS:
            complain((*place, key), f"there is no key {key}", nearest=nearest(key, _PATTERN_KEYS))
            return None
    name, regex = entry.get("name"), entry.get("regex")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        complain(
            (*place, "name"), "a name is up to 41 letters, digits, blanks, dots, dashes", found=str(name)
        )
        return None
    if not isinstance(regex, str):
        complain((*place, "regex"), "a regular expression is a text", found=str(regex))
        return None
    try:
        compiled = re.compile(regex)
    except re.error as error:
        complain((*place, "regex"), f"no regular expression: {error}", found=regex)
        return None
    if compiled.fullmatch(""):
        complain((*place, "regex"), "it matches nothing at all, so it would match everywhere", found=regex)
        return None
    return name, compiled


def _records(listed: list[Json], complain: _Complain) -> Iterator[RecordPath]:
    for index, entry in enumerate(listed):
        table, _, rest = entry.partition(".") if isinstance(entry, str) else ("", "", "")
        id, _, field = rest.rpartition(".")
        if not (table and id and field):
            message = "a place in the records is table.id.field, with * for every id"
            complain(("records", index), message, found=str(entry))
        else:
            yield RecordPath(table, None if id == "*" else id, field)


def _document(path: Path) -> tuple[Any, str, Callable[[_Place], tuple[int | None, int | None]]]:
    file = str(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Problems([Problem(message=f"can not be read: {error.strerror}", file=file)]) from None
    if path.suffix == ".toml":
        try:
            return tomllib.loads(data.decode("utf-8-sig")), file, lambda _: (None, None)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise Problems([Problem(message=f"no TOML: {error}", file=file)]) from None
    documents = read_yaml(data, file=file)
    if len(documents) != 1:
        raise Problems([Problem(message=f"{len(documents)} documents; expected one", file=file)])
    return documents[0].value, file, documents[0].position
