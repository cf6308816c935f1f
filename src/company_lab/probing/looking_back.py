"""Looking back: a reference that looks, after a crash, whether it had done a thing before it does it once more.

A reference is a list of steps. One whose answer was lost is done again, which is wrong where the tool has no
idempotency key and a repeat is not the same as no repeat. Whoever works like this in earnest looks first, and so does
`careful`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType

from company_lab.agents.conducts import position
from company_lab.agents.protocol import Agent, Session, Task, ToolError
from company_lab.formats.canonical import Json, same
from company_lab.scenarios.model import Scenario, Step

Args = Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How to find out whether a step was done: a read, and what a record it shows has in common with the step."""

    tool: str
    about: Mapping[str, str]
    """Arguments of the read, each with the argument of the step it is taken from."""
    shows: Mapping[str, str] = field(default_factory=dict)
    """Fields of the record, each with the argument of the step it equals, or has among its entries."""
    is_: Mapping[str, Json] = field(default_factory=dict)
    """Fields of the record with the values they have once it is done."""


_MAIL = ("to", "subject", "text")

COMPANY: Mapping[str, Look] = MappingProxyType(
    {
        "quotes.revise": Look(
            tool="quotes.get", about={"id": "id"}, shows={"total_minor": "total_minor", "note": "note"}
        ),
        "quotes.send": Look(tool="quotes.get", about={"id": "id"}, is_={"status": "sent"}),
        "email.send": Look(tool="email.list_sent", about={"to": "to"}, shows={name: name for name in _MAIL}),
        "deliveries.ship": Look(
            tool="deliveries.list", about={"order": "order"}, shows={"item": "item", "quantity": "quantity"}
        ),
        "invoices.create": Look(
            tool="invoices.find",
            about={"order": "order"},
            shows={"total_minor": "total_minor", "order": "order"},
        ),
        "invoices.record_payment": Look(
            tool="payments.list_received", about={}, shows={"id": "payment", "booked_to": "id"}
        ),
        "cases.create": Look(
            tool="cases.find", about={"contact": "contact"}, shows={"subject": "subject", "order": "order"}
        ),
        "cases.add_message": Look(tool="cases.get", about={"id": "id"}, shows={"messages": "text"}),
        "cases.escalate": Look(tool="cases.get", about={"id": "id"}, is_={"status": "escalated"}),
    }
)
"""Look-ups for tools of the company that take no key and whose repeat changes something."""


def careful(scenario: Scenario, looks: Mapping[str, Look] = COMPANY) -> Agent:
    """The reference of a scenario, which looks before it repeats a step that may have been done.

    With its checkpoint or the transcript that is the step after the last one it knows of; with its task alone, every
    step of the turn.
    """

    def act(task: Task, session: Session) -> str:
        if task.turn > len(scenario.reference):
            return ""
        turn = scenario.reference[task.turn - 1]
        begin = position(task, session.memory, turn.do)
        for place, step in enumerate(turn.do[begin:], start=begin):
            alone = task.restart is not None and task.restart.mode == "task"
            doubt = task.restart is not None and (alone or place == begin)
            if not (doubt and _was_done(step, session, looks)):
                with suppress(ToolError):  # as with any conduct, a refused or failed step does not end it
                    session.attempt(step.tool, step.args)
            session.memory = {"turn": task.turn, "done": place + 1}
        return turn.reply or ""

    return Agent(name="careful reference", kind="conduct", act=act)


def _was_done(step: Step, session: Session, looks: Mapping[str, Look]) -> bool:
    look = looks.get(step.tool)
    if look is None:
        return False
    try:
        answer = session.attempt(look.tool, {name: step.args[taken] for name, taken in look.about.items()})
    except (ToolError, KeyError):
        return False
    return any(_fits(record, look, step.args) for record in _records(answer))


def _records(answer: Json) -> Iterator[Args]:
    listed = answer.get("items", [answer]) if isinstance(answer, dict) else answer
    for record in listed if isinstance(listed, list) else ():
        if isinstance(record, dict):
            yield record


def _fits(record: Args, look: Look, args: Args) -> bool:
    if any(not same(record.get(name), value) for name, value in look.is_.items()):
        return False
    return all(_has(record.get(name), args.get(taken)) for name, taken in look.shows.items() if taken in args)


def _has(found: Json, wanted: Json) -> bool:
    if not isinstance(found, list):
        return same(found, wanted)
    return any(same(entry.get("text") if isinstance(entry, dict) else entry, wanted) for entry in found)
