"""Transitions: along which ways a status may move, and how an illegal move is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from company_lab.formats.canonical import Json
from company_lab.worlds import Failed


@dataclass(frozen=True, slots=True)
class Transitions:
    """The moves a status may make: from each status to those that may follow it."""

    moves: Mapping[str, tuple[str, ...]]

    def allow(self, before: str, after: str) -> bool:
        """Whether a record may go from one status to another."""
        return after in self.moves.get(before, ())

    def pairs(self) -> Iterator[tuple[str, str, bool]]:
        """Every pair of statuses with whether the move is legal."""
        for before in self.moves:
            for after in self.moves:
                yield before, after, self.allow(before, after)

    def check(
        self, id: str, record: Mapping[str, Json], after: str, *, reason: str = "illegal_status"
    ) -> None:
        """Raise `Failed` where the record may not go to `after`, naming what it may become instead."""
        before = str(record["status"])
        if not self.allow(before, after):
            ways = ", ".join(self.moves.get(before, ()))
            possible = f"it can become {ways}" if ways else "that is final"
            raise Failed(reason, f"{id} is {before} and can not become {after}; {possible}")
