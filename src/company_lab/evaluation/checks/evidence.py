"""Evidence: what the agent had looked at before it acted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from company_lab.evaluation.arguments import Arguments
from company_lab.evaluation.case import Case
from company_lab.evaluation.findings import Place
from company_lab.evaluation.index import Attempt
from company_lab.formats.canonical import Json
from company_lab.formats.shapes import shown


@dataclass(frozen=True, slots=True)
class EvidenceBeforeAction:
    """A read succeeded, reached the agent before the first call it supports, and was not outdated by then.

    The first call is the first attempt with readable arguments, whatever came of it: acting first and looking
    afterwards is no evidence. Where that call never comes, the read must still have taken place.
    """

    place: Place
    tool: str
    args: Arguments
    written: Mapping[str, Json]
    before: str
    tables: Mapping[str, str]
    """Arguments of the read that name records, with their tables."""
    department: frozenset[str]
    """Tables the read may have returned records of, where no argument names one."""

    def __call__(self, case: Case) -> None:
        index = case.index
        first = self._first(case)
        limit = first.seq if first is not None else None
        too_late: list[Attempt] = []
        outdated: list[Attempt] = []
        failed: list[Attempt] = []
        for attempt in index.attempts:
            if attempt.tool != self.tool or not self.args.match(attempt.args or {}):
                continue
            if attempt.outcome != "executed" or not attempt.delivered or attempt.result_seq is None:
                failed.append(attempt)
            elif limit is not None and attempt.result_seq > limit:
                too_late.append(attempt)
            elif limit is not None and index.outside and self._outdated(case, attempt, limit):
                outdated.append(attempt)
            else:
                if case.findings.explaining:
                    seqs = (*attempt.seqs, *(first.seqs if first is not None else ()))
                    case.findings.hold(self.place, f"{self.tool} was read before it mattered", seqs)
                return
        if outdated:
            why, seen = "somebody else changed the record after it was read", outdated
        elif too_late:
            why, seen = f"it was read only after {self.before}", too_late
        elif failed:
            why, seen = "the read did not succeed or its answer did not arrive", failed
        else:
            why, seen = "it was never read", []
        case.findings.fail(
            self.place,
            "missing_evidence",
            f"{self.tool} {shown(dict(self.written), 80)} had to be read before {self.before}, but {why}",
            (
                *(seq for attempt in seen for seq in attempt.seqs),
                *(first.seqs if first is not None else (index.end,)),
            ),
            found=why,
            expected=dict(self.written),
        )

    def _first(self, case: Case) -> Attempt | None:
        for attempt in case.index.attempts:
            if attempt.tool == self.before and attempt.args is not None:
                return attempt
        return None

    def _outdated(self, case: Case, read: Attempt, limit: int) -> bool:
        since = read.result_seq if read.result_seq is not None else read.seq
        keys: set[tuple[str, str]] | None = None
        for record in case.index.outside:
            if not since < record.get("seq", -1) < limit:
                continue
            if keys is None:
                keys = set(self._records(read))
            # another tenant's record may have the same id
            if any(
                (change.get("table"), change.get("id")) in keys and not change.get("tenant")
                for change in record["changes"]
            ):
                return True
        return False

    def _records(self, read: Attempt) -> Iterator[tuple[str, str]]:
        args = read.args or {}
        if self.tables:
            for name, table in self.tables.items():
                value = args.get(name)
                for id in value if isinstance(value, list) else (value,):
                    if isinstance(id, str):
                        yield table, id
        else:
            for id in _ids(read.value):
                for table in self.department:
                    yield table, id


def _ids(value: object, depth: int = 0) -> Iterator[str]:
    """Every text that may be a record's id in what a read returned."""
    if depth > 8:
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(item, Mapping):
                yield str(key)
            if key == "id" and isinstance(item, str):
                yield item
            yield from _ids(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _ids(item, depth + 1)
