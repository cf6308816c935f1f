"""B1: expectations that could say anything, as the same conduct passes whatever they say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from company_lab.formats.canonical import Json, canonical
from company_lab.formats.yaml import path_text
from company_lab.probing.audit.finding import Found, Mutants
from company_lab.probing.audit.leaves import mutants, put, way_taken
from company_lab.probing.audit.subject import Subject


def vacuous_leaves(subject: Subject) -> Iterator[Found]:
    """Change every expected leaf and judge the reference again: it must not pass any more."""
    if not subject.reference.passed:
        return
    expected, inside = way_taken(subject)
    for path, value in mutants(subject, expected):
        survived = subject.judged_by(put(expected, path, value)).passed
        yield Mutants(killed=not survived, total=1)
        if survived:
            place = path[1:] if path[0] == "facts" else path
            yield subject.finding(
                "B1",
                "block",
                "the reference passes just as well when this is changed into something it does not meet",
                "take the expectation out, or make it one that the verdict depends on",
                path=path_text(("expected", *inside, *place)),
            )
    yield from _easier_ways(subject)


def _easier_ways(subject: Subject) -> Iterator[Found]:
    """Alternatives that ask for a part of the main expectation: whatever else stands there decides nothing."""
    expected = subject.expected_document
    main = _demands(expected)
    for position, alternative in enumerate(subject.scenario.expected.alternatives):
        written = expected.get("alternatives")
        other = written[position] if isinstance(written, list) else None
        easier = isinstance(other, dict) and _demands(other) < main
        yield Mutants(killed=not easier, total=1)
        if easier:
            yield subject.finding(
                "B1",
                "block",
                f"whoever meets a part of the main expectation passes by {alternative.id}, so the rest has no effect",
                "ask for something in the alternative that the main expectation does not ask for, or take it out",
                path=f"expected.alternatives[{position}]",
            )


def _demands(section: Mapping[str, Json]) -> frozenset[str]:
    """Everything a way to be right asks for, each in one spelling."""
    told = section.get("told")
    words = told if isinstance(told, dict) else {}
    parts = [
        *_leaves(section.get("state"), "state"),
        *_leaves(section.get("created"), "created"),
        *_leaves(section.get("deleted"), "deleted"),
    ]
    for key, entries in (
        *((key, section.get(key)) for key in ("actions", "effects", "evidence")),
        *((key, words.get(key)) for key in ("states", "asks")),
    ):
        parts += [canonical([key, entry]) for entry in entries] if isinstance(entries, list) else []
    return frozenset(parts)


def _leaves(value: Json | None, path: str) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}")
    elif value is not None:
        yield f"{path}={canonical(value)}"
