"""Trace: a list of plain records, append-only, with one spelling on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, TypeAlias

from company_lab.traces.spelling import lines

FORMAT = 1
REPLAYED = "replayed model traffic"
"""The evidence of an episode whose model's answers came from a recording: no trial of the model."""

Record: TypeAlias = dict[str, Any]
"""One JSON object with `seq` (from 0), `at` (simulated moment), `kind` and the fields of its kind."""


class Trace:
    """Everything that happened in one episode, in order.

    Holds no wall time: two episodes with the same seed give the same bytes.
    """

    def __init__(self, records: list[Record] | None = None) -> None:
        self.records: list[Record] = [] if records is None else records

    def add(self, kind: str, at: str, **fields: Any) -> Record:
        """Append one record and return it."""
        record: Record = {"seq": len(self.records), "at": at, "kind": kind, **fields}
        self.records.append(record)
        return record

    @property
    def header(self) -> Mapping[str, Any]:
        """The `started` record, or an empty mapping where the trace lacks one."""
        if self.records and self.records[0].get("kind") == "started":
            return self.records[0]
        return {}

    def by_kind(self, kind: str) -> Iterator[Record]:
        """The records of one kind, in order."""
        return (record for record in self.records if record.get("kind") == kind)

    @property
    def stop(self) -> str | None:
        """The stop reason, or None where the trace ends before one."""
        for record in reversed(self.records):
            if record.get("kind") == "stopped":
                return str(record["reason"])
        return None

    def text(self) -> str:
        """JSON lines in canonical spelling; the same episode gives the same text."""
        return lines(self.records)

    def bytes(self) -> bytes:
        """`text` as it is stored."""
        return self.text().encode("ascii")

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the stored bytes. Ask for it only when the trace is complete."""
        return hashlib.sha256(self.bytes()).hexdigest()

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        header = self.header
        return (
            f"Trace(scenario={header.get('scenario')!r}, trial={header.get('trial')!r}, records={len(self)})"
        )
