"""Leaves: every value an expectation is made of, each changed into one that must not hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from company_lab.evaluation.index import Index
from company_lab.evaluation.texts.phrases import compile_phrases
from company_lab.evaluation.texts.questions import asks
from company_lab.formats.canonical import Json
from company_lab.formats.yaml import Path
from company_lab.probing.audit.subject import Subject
from company_lab.scenarios.matchers import matcher_of

STRANGE = "audit-mutant"
"""Stands in no scenario."""
_FAR = 10**9
_OPPOSITE = {"absent": "present", "present": "absent"}


def otherwise(wanted: Json) -> Json:
    """An expectation that nothing meets which met this one."""
    matcher = matcher_of(wanted)
    if matcher is None:
        return _other_value(wanted)
    name, operand = matcher
    if name == "is":
        return {"is": _OPPOSITE[str(operand)]} if operand in _OPPOSITE else {"equals": STRANGE}
    if name == "any":
        return {"is": "absent"}
    if name in ("at_least", "at_most"):
        sign = 1 if name == "at_least" else -1
        if isinstance(operand, str):
            return {name: "\U0010ffff" if sign == 1 else ""}
        return {name: sign * _FAR}
    if name == "one_of":
        return {name: [STRANGE]}
    if name == "regex":
        return {name: r"(?!)"}
    if name == "contains" and isinstance(operand, str):
        return {name: operand + STRANGE}
    return {name: _other_value(operand)}


def _other_value(value: Json) -> Json:
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, str):
        return f"{value}{STRANGE}"
    if isinstance(value, list):
        return [*value, STRANGE]
    if isinstance(value, dict):
        return {**value, STRANGE: 1}
    return STRANGE


def put(document: Any, path: Path, value: Json) -> Any:
    """A document with one value replaced; what is not on the path is shared."""
    if not path:
        return value
    head, rest = path[0], path[1:]
    if isinstance(document, list):
        changed = list(document)
        changed[head] = put(document[head], rest, value)  # type: ignore[index]
        return changed
    return {**document, head: put(document.get(head), rest, value)}


_OF_A_WAY = ("state", "created", "deleted", "actions", "effects", "evidence")


def way_taken(subject: Subject) -> tuple[dict[str, Json], Path]:
    """What is expected of the way to be right that the reference takes, alone, and where that stands."""
    expected = subject.expected_document
    alone: dict[str, Json] = {key: value for key, value in expected.items() if key != "alternatives"}
    taken = subject.reference.verdict.alternative
    alternatives = expected.get("alternatives")
    for place, other in enumerate(alternatives if isinstance(alternatives, list) else ()):
        if isinstance(other, dict) and taken is not None and other.get("id") == taken:
            told, own = alone.get("told"), other.get("told")
            kept = (
                {key: value for key, value in told.items() if key not in ("states", "asks", "turn")}
                if isinstance(told, dict)
                else {}
            )
            alone = {key: value for key, value in alone.items() if key not in _OF_A_WAY}
            alone |= {key: value for key, value in other.items() if key in _OF_A_WAY}
            alone["told"] = {**kept, **(own if isinstance(own, dict) else {})}
            return alone, ("alternatives", place)
    return alone, ()


def mutants(subject: Subject, expected: Mapping[str, Json]) -> Iterator[tuple[Path, Json]]:
    """Places of an expectation, each with a value that the reference can not meet.

    Only what must happen, as it stands outside alternatives. What must not happen is tried by doing it, and an
    advisory entry fails nobody.
    """
    yield from _records(expected.get("state"), ("state",))
    created = expected.get("created")
    for table, partials in created.items() if isinstance(created, dict) else ():
        for place, partial in enumerate(partials if isinstance(partials, list) else ()):
            yield from _inside(partial, ("created", table, place))
    yield from _deleted(subject, expected.get("deleted"))
    yield from _actions(subject, expected)
    yield from _effects(expected)
    yield from _evidence(expected)
    yield from _told(subject, expected)
    facts = expected.get("facts")
    for name, value in facts.items() if isinstance(facts, dict) else ():
        yield ("facts", name), otherwise(value)


def _records(tables: Json | None, path: Path) -> Iterator[tuple[Path, Json]]:
    for table, records in tables.items() if isinstance(tables, dict) else ():
        for id, patch in records.items() if isinstance(records, dict) else ():
            yield from _inside(patch, (*path, table, id))


def _inside(patch: Json, path: Path) -> Iterator[tuple[Path, Json]]:
    if isinstance(patch, dict) and matcher_of(patch) is None and patch:
        for field, wanted in patch.items():
            yield from _inside(wanted, (*path, field))
    else:
        yield path, otherwise(patch)


def _deleted(subject: Subject, tables: Json | None) -> Iterator[tuple[Path, Json]]:
    """Another record of the same table, which is still there in the end."""
    gone = {
        (change["table"], change["id"])
        for change in subject.reference.settled.get("changes") or ()
        if change["op"] == "delete"
    }
    for table, ids in tables.items() if isinstance(tables, dict) else ():
        others = [id for id in subject.scenario.initial.tables.get(table, {}) if (table, id) not in gone]
        for place in range(len(ids) if isinstance(ids, list) else 0):
            if others:
                yield ("deleted", table, place), others[0]


def _entries(section: Mapping[str, Json], key: str) -> Iterator[tuple[Path, dict[str, Json]]]:
    found = section.get(key)
    for place, entry in enumerate(found if isinstance(found, list) else ()):
        if isinstance(entry, dict) and entry.get("advisory") is not True:
            yield (key, place), entry


def _args(entry: Mapping[str, Json], key: str, path: Path) -> Iterator[tuple[Path, Json]]:
    args = entry.get(key)
    for name, wanted in args.items() if isinstance(args, dict) else ():
        if wanted == {"any": True}:  # says that anything will do
            continue
        yield (*path, key, name), otherwise(wanted)


def _times(entry: Mapping[str, Json], path: Path) -> Iterator[tuple[Path, Json]]:
    """Counts that the reference, which meets the written ones, does not meet."""
    times = entry.get("times")
    if isinstance(times, int):
        yield (*path, "times"), times + 1
    elif isinstance(times, dict) and times.get("at_least"):
        yield (*path, "times", "at_least"), _FAR


def _demands(entry: Mapping[str, Json]) -> bool:
    """Whether an entry asks for anything: what need not happen is tried by doing too much of it."""
    times = entry.get("times")
    if isinstance(times, dict):
        return bool(times.get("at_least"))
    return times != 0


def _actions(subject: Subject, expected: Mapping[str, Json]) -> Iterator[tuple[Path, Json]]:
    unused = next(
        (name for name in subject.spec.tools if all(name != step.tool for _, _, step in subject.steps)), None
    )
    for path, entry in _entries(expected, "actions"):
        if not _demands(entry):
            continue
        if unused is not None:
            yield path, {"tool": unused}
        yield from _args(entry, "args", path)
        yield from _times(entry, path)


def _effects(expected: Mapping[str, Json]) -> Iterator[tuple[Path, Json]]:
    for path, entry in _entries(expected, "effects"):
        if not _demands(entry):
            continue
        yield (*path, "op"), STRANGE
        yield from _args(entry, "match", path)
        yield from _times(entry, path)
        total = entry.get("sum_minor")
        if isinstance(total, int):
            yield (*path, "sum_minor"), total + 1


def _evidence(expected: Mapping[str, Json]) -> Iterator[tuple[Path, Json]]:
    for path, entry in _entries(expected, "evidence"):
        yield (*path, "tool"), STRANGE
        yield from _args(entry, "args", path)


def _told(subject: Subject, expected: Mapping[str, Json]) -> Iterator[tuple[Path, Json]]:
    told = expected.get("told")
    section = told if isinstance(told, dict) else {}
    for path, entry in _entries(section, "states"):
        for name in ("literal", "id"):
            if name in entry:
                yield ("told", *path, name), f"{entry[name]}{STRANGE}"
        for name in ("amount_minor", "number"):
            value = entry.get(name)
            if isinstance(value, (int, float)):
                yield ("told", *path, name), value + 1_000_003
        if "date" in entry:
            yield ("told", *path, "date"), "1999-01-07"
        if "currency" in entry:
            yield ("told", *path, "currency"), "ISK" if entry["currency"] == "JPY" else "ZAR"
        yield from _where(entry, ("told", *path))
    for path, entry in _entries(section, "asks"):
        other = _unasked(subject)
        if other is not None:
            yield ("told", *path, "question"), other
        yield from _where(entry, ("told", *path))


def _unasked(subject: Subject) -> str | None:
    """A question that no text of the reference asks."""
    said = [text.text for text in Index(subject.reference.trace.records).texts]
    for name, question in subject.spec.questions.items():
        phrases = compile_phrases(question.phrases)
        if all(asks(text, phrases, question.languages).decision == "no" for text in said):
            return name
    return None


def _where(entry: Mapping[str, Json], path: Path) -> Iterator[tuple[Path, Json]]:
    if "to" in entry:
        yield (*path, "to"), f"{STRANGE}@nowhere.example.test"
    if "turn" in entry:
        yield (*path, "turn"), _FAR
