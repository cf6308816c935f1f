"""The inbox: events wait until they are due and come in order of (time, position)."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from company_lab.formats.canonical import Json


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Delivery:
    """One planned delivery of an event."""

    due_ms: int
    position: int
    id: str = field(compare=False)
    type: str = field(compare=False)
    data: Mapping[str, Json] = field(compare=False)
    sender: str | None = field(compare=False, default=None)
    wakes: bool = field(compare=False, default=False)
    faults: tuple[int, ...] = field(compare=False, default=())
    """The scheduled faults behind this delivery, by position in the schedule."""
    treatment: Literal["delivered", "forged", "lost"] = field(compare=False, default="delivered")
    """Delivered, or made up by somebody else so that nothing stands behind it, or lost on the way."""
    due_before_ms: int | None = field(compare=False, default=None)
    """When a late one was due."""


class Inbox:
    """Planned deliveries of one episode."""

    __slots__ = ("_counts", "_planned", "next_due_ms")

    def __init__(self, deliveries: Iterable[Delivery] = ()) -> None:
        self._planned = sorted(deliveries)
        self._counts: dict[str, int] = {}
        self._note_next()

    def _note_next(self) -> None:
        self.next_due_ms: float = self._planned[0].due_ms if self._planned else float("inf")

    def plan(self, delivery: Delivery) -> None:
        """Add a delivery."""
        insort(self._planned, delivery)
        self._note_next()

    def due(self, now_ms: int) -> Iterator[tuple[Delivery, int]]:
        """Take what is due, each with the number of times its event has now been delivered."""
        while self._planned and self._planned[0].due_ms <= now_ms:
            delivery = self._planned.pop(0)
            self._note_next()
            count = self._counts.get(delivery.id, 0) + 1
            self._counts[delivery.id] = count
            yield delivery, count

    def next_wake_ms(self) -> int | None:
        """When the next event that wakes the agent is due, or None."""
        return next((delivery.due_ms for delivery in self._planned if delivery.wakes), None)

    def __len__(self) -> int:
        return len(self._planned)
