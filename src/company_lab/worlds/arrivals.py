"""Arrivals: how events and named happenings reach the records, and the agent's eyes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from company_lab.formats.canonical import Json, boundary
from company_lab.formats.errors import WrongUse
from company_lab.worlds.broken import blaming
from company_lab.worlds.inbox import Delivery
from company_lab.worlds.state import Change

if TYPE_CHECKING:
    from company_lab.worlds.live import LiveWorld


class Arrivals:
    """What reaches the company during one episode."""

    __slots__ = ("_live", "_unseen", "settling", "stopped_ms", "waking")

    def __init__(self, live: LiveWorld) -> None:
        self._live = live
        self._unseen: list[dict[str, Json]] = []
        self.waking = False
        """Whether an event that wakes the agent has arrived which it has not looked at."""
        self.settling = False
        """Whether the agent has stopped and only what is queued is still delivered."""
        self.stopped_ms = 0
        """When the agent stopped, once it has."""

    def happen(self, name: str, value: Json, position: int) -> None:
        """Apply a named happening of the short form."""
        live = self._live
        id = f"{name}_{position}"
        live.acting(f"event:{id}")
        with blaming(f"the stimulus {name}"):
            live.world.happenings[name].happen(live.writing, boundary(value))
        self._record(
            id, name, {"value": value}, count=1, visible=False, sender=None, changes=live.take_changes()
        )

    def deliver_due(self) -> None:
        """Deliver every event that is due by now, in order."""
        live = self._live
        if live.inbox.next_due_ms <= live.clock.elapsed_ms:
            for delivery, count in live.inbox.due(live.clock.elapsed_ms):
                self._deliver(delivery, count)

    def _deliver(self, delivery: Delivery, count: int) -> None:
        live = self._live
        kind = live.world.events.get(delivery.type)
        if kind is None:
            raise WrongUse(f"this world has no event {delivery.type}")
        if delivery.treatment == "lost":
            self._fire(delivery, [])
            return
        changes: list[Change] = []
        # What somebody made up reaches the agent and changes no books: its provider knows nothing of it.
        if delivery.treatment == "delivered":
            live.acting(f"event:{delivery.id}")
            data: Any = boundary(delivery.data)
            with blaming(f"the event {delivery.type}"):
                kind.handle(live.writing, data)
            changes = live.take_changes()
        if delivery.faults:
            self._fire(delivery, changes)
        may_read = live.role_permissions
        visible = kind.read is None or may_read is None or kind.read in may_read
        self._record(
            delivery.id,
            delivery.type,
            delivery.data,
            count=count,
            visible=visible,
            sender=delivery.sender,
            changes=changes,
        )
        self.waking = self.waking or delivery.wakes
        if visible:
            event: dict[str, Json] = {
                "id": delivery.id,
                "type": delivery.type,
                "at": live.clock.at,
                "data": boundary(delivery.data),
            }
            if delivery.sender is not None:
                event["from"] = delivery.sender
            self._unseen.append(event)

    def _fire(self, delivery: Delivery, changes: list[Change]) -> None:
        live = self._live
        for index in delivery.faults:
            kind = live.faults.scheduled[index].kind
            live.fire(index, kind=kind, event=delivery.id, changed=self._mattered(kind, delivery, changes))

    def _mattered(self, kind: str, delivery: Delivery, changes: list[Change]) -> bool:
        """Whether it made a difference: what comes after the agent stopped has tested nothing but the books."""
        if not self.settling:
            return True
        if kind == "late":
            return delivery.due_before_ms is not None and delivery.due_before_ms <= self.stopped_ms
        if kind == "reorder":
            before = next(reversed(list(self._live.trace.by_kind("event"))), {"changes": ()})
            touched = {(change["table"], change["id"]) for change in before["changes"]}
            return any((change["table"], change["id"]) in touched for change in changes)
        return kind == "duplicate" and bool(changes)

    def _record(
        self,
        id: str,
        type: str,
        data: object,
        *,
        count: int,
        visible: bool,
        sender: str | None,
        changes: list[Change],
    ) -> None:
        self._live.trace.add(
            "event",
            self._live.clock.at,
            id=id,
            type=type,
            data=data,
            delivery=count,
            visible=visible,
            sender=sender,
            changes=changes,
        )

    def take_unseen(self) -> list[dict[str, Json]]:
        """Events the agent has not observed yet; they count as observed from now on."""
        taken, self._unseen = self._unseen, []
        self.waking = False
        return taken
