"""A reminder that was drafted before the payment: what it says was true yesterday."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from random import Random

from company_lab.formats.money import to_text
from company_lab.formats.time import parse_moment
from company_lab.probing.mutate.booked_payment import Booking, bookings, why_none
from company_lab.probing.mutate.editing import (
    ask_more,
    forbid,
    listed,
    make_room,
    permit,
    put,
    step,
    turns_of,
    with_steps,
)
from company_lab.probing.mutate.operator import CanNotDerive, Document, Draft, Operator, Turns
from company_lab.probing.mutate.original import Done, Original

_DRAFT = "D-1"
_SEND, _SEND_DRAFT, _DISCARD, _FIND = (
    "email.send",
    "email.send_draft",
    "email.discard_draft",
    "email.find_drafts",
)


def _applies(original: Original) -> str | None:
    reason = why_none(original)
    if reason is not None:
        return reason
    if "drafts" not in original.spec.tables or _DISCARD not in original.spec.tools:
        return "its world keeps no drafts"
    if "drafts" in original.scenario.initial.tables or "reminders" in original.scenario.initial.tables:
        return "drafts lie about in it already"
    if not _reminded(original):
        return "whoever pays in it has no mail address, or is written to more than once"
    return None


def _reminded(original: Original) -> list[Booking]:
    by_invoice: dict[str, list[Booking]] = {}
    for booking in bookings(original):
        by_invoice.setdefault(booking.invoice, []).append(booking)
    return [
        some[0]
        for some in by_invoice.values()
        if len(some) == 1 and some[0].address is not None and len(_letters(original, some[0])) < 2
    ]


def _letters(original: Original, booking: Booking) -> list[Done]:
    return [done for done in original.executed(_SEND) if done.args.get("to") == booking.address]


def _build(original: Original, draw: Random) -> Iterator[Draft]:
    for booking in _reminded(original):
        yield _drafted(original, booking, days=draw.choice((4, 6, 9)))


def _drafted(original: Original, booking: Booking, *, days: int) -> Draft:
    document = original.copied()
    letters = _letters(original, booking)
    left = booking.open_minor - booking.amount_minor
    if left > 0 and not letters:
        raise CanNotDerive("the customer hears nothing in it, so a reminder would change what was asked for")
    _lay_draft(original, document, booking, days)
    permit(document, original, "email.read", "email.send")
    make_room(document, simulated_ms=60_000, calls=4)
    looks = [step(_FIND, to=booking.address), step("email.get_draft", id=_DRAFT)]
    turns = with_steps(
        turns_of(document),
        booking.done.turn,
        booking.done.place + 1,
        [*looks, step(_DISCARD, id=_DRAFT)],
    )
    stale = with_steps(
        turns_of(document), booking.done.turn, booking.done.place + 1, [step(_SEND_DRAFT, id=_DRAFT)]
    )
    if left > 0:
        turns, stale = (_as_reminder(some, booking) for some in (turns, stale))
    document["reference"] = turns
    _expect(document, booking, left)
    if left > 0:
        say = (
            f"A reminder about {booking.invoice} lies among the drafts, written yesterday. Book first; then the "
            "customer gets one reminder (kind: reminder) with the sum that is open now, and nothing outdated stays "
            "lying around."
        )
    else:
        say = (
            f"A reminder about {booking.invoice} lies among the drafts, written yesterday. Once the invoice is paid "
            "it must not go out: discard it."
        )
    ask_more(document, say)
    return Draft(
        document=document,
        what="a reminder was drafted the day before",
        wrong=(("sends_what_was_true_yesterday", stale),),
    )


def _lay_draft(original: Original, document: Document, booking: Booking, days: int) -> None:
    start = parse_moment(original.scenario.clock)
    invoice = document["initial"]["invoices"][booking.invoice]
    invoice.setdefault("due", (start - timedelta(days=days)).date().isoformat())
    still = to_text(booking.open_minor, booking.currency)
    grounds = {name: invoice[name] for name in ("received_minor", "status") if name in invoice}
    document["initial"]["drafts"] = {
        _DRAFT: {
            "to": booking.address,
            "subject": f"Reminder of invoice {booking.invoice}",
            "text": f"Invoice {booking.invoice} is due. {still} are still open. Please see to it this week.",
            "kind": "reminder",
            "status": "draft",
            "written": (start - timedelta(hours=15)).isoformat(),
            "rests_on": [
                {"table": "invoices", "id": booking.invoice, "fields": list(grounds), "values": grounds}
            ],
        }
    }
    document.setdefault("providers", {}).setdefault("email", {}).setdefault(
        "send", [{"answer": "permissive"}]
    )


def _as_reminder(turns: Turns, booking: Booking) -> Turns:
    for turn in turns:
        for one in turn.get("do", ()):
            if one["tool"] == _SEND and one.get("args", {}).get("to") == booking.address:
                one["args"]["kind"] = "reminder"
    return turns


def _expect(document: Document, booking: Booking, left: int) -> None:
    expected = document["expected"]
    expected.setdefault("state", {})["drafts"] = {_DRAFT: {"status": "discarded"}}
    discard: Document = {"tool": _DISCARD, "args": {"id": _DRAFT}, "times": 1}
    reminder: Document = {
        "provider": "email",
        "op": "send",
        "match": {"to": booking.address, "kind": "reminder"},
    }
    if left > 0:
        # What counts is the letter that left, whichever way: written anew, or drafted anew and sent.
        mine = [one for one in listed(document, "actions") if not _is_letter(one, booking)]
        put(document, "actions", [*mine, discard])
        reminder["times"] = 1
        expected.setdefault("may_change", {}).update({"drafts": "any", "reminders": "any"})
    else:
        put(document, "actions", [*listed(document, "actions"), discard])
        reminder["times"] = 0
    put(document, "effects", [*listed(document, "effects"), reminder])
    forbid(document, {"tool": _SEND_DRAFT, "args": {"id": _DRAFT}})


def _is_letter(entry: Document, booking: Booking) -> bool:
    return bool(entry["tool"] == _SEND and entry.get("args", {}).get("to") == booking.address)


reminder_drafted_first = Operator(
    name="reminder_drafted_first",
    meaning="lets the payment arrive after a reminder was drafted; the draft may not go out as it stands",
    applies=_applies,
    build=_build,
)
