"""Case: one trace under one set of expectations, and what checks learn from each other about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

from company_lab.evaluation.findings import Findings
from company_lab.evaluation.index import Index, Record
from company_lab.evaluation.matching import ABSENT

Key: TypeAlias = tuple[str, str]
"""Table and id of a record of the role's own tenant."""


class Case:
    """What a check is given. Checks of one branch run in order and share what they established."""

    __slots__ = ("_net", "created", "findings", "index", "named", "timings")

    def __init__(self, index: Index, findings: Findings, timings: Mapping[str, Any] | None) -> None:
        self.index = index
        self.findings = findings
        self.timings = timings
        self.named: set[str] = set()
        """Ids of executed calls that an expected action, or the request itself, names."""
        self.created: set[Key] = set()
        """New records that an expected one was paired with."""
        self._net: dict[Key, Record] | None = None

    @property
    def net(self) -> dict[Key, Record]:
        """Net changes to the role's own records, by table and id; empty where nothing was settled."""
        if self._net is None:
            settled = self.index.settled
            changes = settled.get("changes") or () if settled is not None else ()
            self._net = {
                (change["table"], change["id"]): change for change in changes if not change.get("tenant")
            }
        return self._net

    def writers(self, table: str, record: str, field: str | None = None) -> tuple[int, ...]:
        """`seq` of the results and outside records that wrote to a record, or to one field of it."""
        found: list[int] = []
        for attempt in self.index.attempts:
            if attempt.result_seq is not None and _touches(attempt.changes, table, record, field):
                found.append(attempt.result_seq)
        for other in self.index.outside:
            if _touches(other["changes"], table, record, field):
                found.append(other.get("seq", -1))
        return tuple(found)

    def calls_that_wrote(self, table: str, record: str, field: str | None) -> list[str]:
        """Ids of the agent's calls in which a record, or one field of it, was written."""
        return [
            attempt.call for attempt in self.index.attempts if _touches(attempt.changes, table, record, field)
        ]


class Check(Protocol):
    """One expectation, compiled. Adds to the case's findings; never changes the trace."""

    def __call__(self, case: Case) -> None: ...


def is_absent(value: object) -> bool:
    """Whether a value of a change says that the field is not there."""
    return type(value) is dict and len(value) == 1 and value.get("is") == "absent"


def record_after(change: Record, before: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A record as a net change leaves it; None where it is gone."""
    if change.get("op") == "delete":
        return None
    record = dict(before) if before is not None and change.get("op") != "create" else {}
    for field, (_, value) in change["fields"].items():
        if is_absent(value):
            record.pop(field, None)
        else:
            record[field] = value
    return record


def look_up(record: object, path: tuple[str, ...]) -> object:
    """The value at a path inside a record, or `ABSENT`."""
    for step in path:
        if not isinstance(record, Mapping) or step not in record:
            return ABSENT
        record = record[step]
    return record


def _touches(changes: Any, table: str, record: str, field: str | None) -> bool:
    return any(
        change.get("id") == record
        and change.get("table") == table
        and not change.get("tenant")
        and (field is None or field in change.get("fields", ()))
        for change in changes
    )
