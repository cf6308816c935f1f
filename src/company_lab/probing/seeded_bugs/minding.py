"""Agents that mind the shop's events: a correct one, and others with one bug each, which their docstrings name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from company_lab.agents.protocol import Session, Task, ToolError, declare
from company_lab.probing.seeded_bugs.asking import PATIENCE, Record, answer_of, once, pause, read

_LOOKS = 3
"""How often the shop's books are asked before an event that they do not bear out is taken for made up."""


@declare(kind="scripted")
def correct(task: Task, session: Session) -> str:
    """Takes an event for a hint: reads the books, ships under a key after a look, and writes down the latest count."""
    for event in task.events:
        data = _data(event)
        if event["type"] == "order.paid":
            _ship_if_paid(session, str(data["order"]))
        elif event["type"] == "shelf.counted":
            _note_count(session, str(data["shelf"]), at_least=int(data["count"]))
        session.memory = {"event": event["id"]}
    return "Noted."


@declare(kind="scripted")
def memory_only(task: Task, session: Session) -> str:
    """Remembers which events it has dealt with, and has no keys for what it does about them."""
    kept = session.memory
    seen = [str(id) for id in kept] if isinstance(kept, list) else []
    for event in task.events:
        if event["id"] in seen:
            continue
        data = _data(event)
        if event["type"] == "order.paid":
            _try_until_answered(session, "shop.ship", order=data["order"])
        elif event["type"] == "shelf.counted":
            _note_count(session, str(data["shelf"]), at_least=int(data["count"]))
        seen.append(str(event["id"]))
        session.memory = list(seen)
    return "Noted."


@declare(kind="scripted")
def order_ignored(task: Task, session: Session) -> str:
    """Writes down whatever count arrived last."""
    for event in task.events:
        data = _data(event)
        if event["type"] == "order.paid":
            _ship_if_paid(session, str(data["order"]))
        elif event["type"] == "shelf.counted":
            _try_until_answered(
                session, "shop.set_shelf", shelf=data["shelf"], pieces=data["pieces"], count=data["count"]
            )
        session.memory = {"event": event["id"]}
    return "Noted."


def _ship_if_paid(session: Session, order: str) -> None:
    for _ in range(_LOOKS):
        found = read(session, "shop.get_order", lambda answer: "status" in answer, order=order)
        if found is None:
            return
        if found["status"] == "paid":
            once(
                session,
                "shop.ship",
                key=f"ship-{order}",
                look_up="shop.find_parcels",
                name="parcels",
                doubt=True,
                order=order,
            )
            return


def _note_count(session: Session, shelf: str, *, at_least: int) -> None:
    latest: Record | None = None
    for looks in range(1, _LOOKS + 1):
        found = read(session, "shop.get_count", lambda answer: {"pieces", "count"} <= {*answer}, shelf=shelf)
        if found is not None and (latest is None or found["count"] > latest["count"]):
            latest = found
        # One answer may be of yesterday, also where it bears the event out.
        if looks > 1 and latest is not None and latest["count"] >= at_least:
            break
    if latest is None or not latest["count"]:
        return
    for duration in PATIENCE:
        written = answer_of(
            session, "shop.set_shelf", shelf=shelf, pieces=latest["pieces"], count=latest["count"]
        )
        if written is not None:
            return
        pause(session, duration)


def _try_until_answered(session: Session, tool: str, **args: Any) -> None:
    for duration in PATIENCE:
        try:
            session.call(tool, **args)
        except ToolError:
            pause(session, duration)
        else:
            return


def _data(event: Mapping[str, Any]) -> dict[str, Any]:
    return dict(event["data"])
