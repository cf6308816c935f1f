"""Renaming: the reference as it would have been had the world given its new records other ids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from company_lab.probing.audit.finding import Found
from company_lab.probing.audit.subject import Subject
from company_lab.probing.audit.wording import wording
from company_lab.traces.record import Record

_ELSEWHERE = 700
"""How much further the counters of a world stand that gave out many ids before."""
_GENERATED = re.compile(r"[A-Za-z][A-Za-z_]*_([1-9][0-9]*)")
_JUDGING = ("expected", "reference", "wrong", "audit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """The ids that the world gave out while the reference was played, by table and in their order."""

    tables: Mapping[str, tuple[str, ...]]
    spelled: frozenset[str]
    """Those that the scenario's expectation spells out."""

    def elsewhere(self, *, spelled: bool) -> dict[str, str]:
        """New names as from counters that stand elsewhere; with `spelled` also for what the expectation spells out."""
        return {
            id: _moved(id) for ids in self.tables.values() for id in ids if spelled or id not in self.spelled
        }

    def in_another_order(self) -> dict[str, str]:
        """New names as if the records of each table had been created the other way round."""
        return {
            id: other
            for ids in self.tables.values()
            for id, other in zip(ids, reversed(ids), strict=True)
            if id != other
        }


def renamed_ids(subject: Subject) -> Iterator[Found]:
    """Judge the reference under other generated ids; the verdict must be the same.

    An expectation may spell out the one id that a table gives out: an agent that does what is expected gets just that
    one. It is only told. To hang on which of several records came first is too strict.
    """
    generated = generated_ids(subject)
    for new, why in (
        (generated.elsewhere(spelled=False), "when the ids of new records are numbered from elsewhere"),
        (generated.in_another_order(), "when its new records are created in another order"),
    ):
        failure = _failure(subject, new)
        if failure:
            yield subject.finding(
                "B4",
                "warn",
                f"the reference does not pass {why} ({_shown(new)}): {failure}",
                "describe a new record by what it holds rather than by the id the world gave it",
                path="expected",
            )
    if generated.spelled and _failure(subject, generated.elsewhere(spelled=True)):
        names = ", ".join(sorted(generated.spelled))
        yield subject.finding(
            "B4",
            "info",
            f"the expectation spells out {names}, which the world gives out: somebody who had created another "
            "record before would get another id",
            "describe a new record by what it holds rather than by the id the world gave it",
            path="expected",
        )


def generated_ids(subject: Subject) -> Generated:
    """The ids that new records were given; an id that stands in the task or the initial state is nobody's to rename."""
    document = subject.scenario.document
    told = wording({name: part for name, part in document.items() if name not in _JUDGING})
    tables: dict[str, dict[str, None]] = {}
    for record in subject.reference.trace.records:
        for change in record.get("changes") or ():
            id = change["id"]
            if change["op"] == "create" and _GENERATED.fullmatch(id) and not _names(id).search(told):
                tables.setdefault(change["table"], {}).setdefault(id)
    expected = wording(subject.expected_document)
    return Generated(
        tables={table: tuple(ids) for table, ids in tables.items()},
        spelled=frozenset(id for ids in tables.values() for id in ids if _names(id).search(expected)),
    )


def renamed(records: list[Record], new: Mapping[str, str]) -> list[Record]:
    """Records with ids replaced wherever they stand: as keys, as values, and inside texts."""
    if not new:
        return records
    pattern = _names(*sorted(new, key=len, reverse=True))

    def again(value: Any) -> Any:
        if isinstance(value, str):
            return pattern.sub(lambda found: new[found[0]], value)
        if isinstance(value, dict):
            return {again(key): again(item) for key, item in value.items()}
        return [again(item) for item in value] if isinstance(value, (list, tuple)) else value

    return [again(record) for record in records]


def _failure(subject: Subject, new: Mapping[str, str]) -> str:
    """What speaks against the renamed reference; empty where nothing does."""
    if not new:
        return ""
    played = subject.judged(renamed(subject.reference.trace.records, new))
    return "" if played.passed else played.why[0]


def _names(*ids: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, ids))})(?![\w-])")


def _moved(id: str) -> str:
    stem, _, number = id.rpartition("_")
    return f"{stem}_{int(number) + _ELSEWHERE}"


def _shown(new: Mapping[str, str]) -> str:
    pairs = [f"{old} as {now}" for old, now in new.items()]
    return ", ".join(pairs[:3]) + (", ..." if len(pairs) > 3 else "")
