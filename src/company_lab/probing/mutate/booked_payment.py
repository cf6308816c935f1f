"""Booked payments: money that arrives as an event and that the reference books on an invoice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from company_lab.formats.canonical import Json
from company_lab.probing.mutate.original import Done, Original

EVENT, BOOK = "payment.succeeded", "invoices.record_payment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """A payment that arrives, and the step that books it."""

    position: int
    """Of its event in the document."""
    event: str
    done: Done
    invoice: str
    payment: str
    amount_minor: int
    currency: str
    open_minor: int
    """What is open on the invoice at the start."""
    contact: str
    address: str | None


def bookings(original: Original) -> list[Booking]:
    """Every payment that arrives as an event and is booked whole, in the order of the events."""
    found = []
    for position, event in enumerate(original.scenario.events):
        data = event.data
        if event.type != EVENT or "original_minor" in data:
            continue
        for done in original.executed(BOOK):
            invoice = original.record("invoices", str(done.args.get("id")))
            whole = done.args.get("amount_minor") == data["amount_minor"] and "credit_minor" not in done.args
            if done.args.get("payment") == data["payment"] and invoice is not None and whole:
                found.append(_booking(original, position, event.id, data, done, invoice))
    return found


def why_none(original: Original) -> str | None:
    """Why there is no payment to change, or None."""
    if BOOK not in original.spec.tools or EVENT not in original.spec.events:
        return "its world books no payments"
    if original.scenario.is_contract:
        return "its request goes straight to the guard, so nobody books what arrives"
    if not bookings(original):
        return "its reference books no payment that arrives as an event"
    return None


def _booking(
    original: Original,
    position: int,
    event: str,
    data: Mapping[str, Json],
    done: Done,
    invoice: Mapping[str, Json],
) -> Booking:
    contact = str(invoice.get("contact"))
    address = (original.record("contacts", contact) or {}).get("email")
    return Booking(
        position=position,
        event=event,
        done=done,
        invoice=str(done.args["id"]),
        payment=str(data["payment"]),
        amount_minor=int(str(data["amount_minor"])),
        currency=str(data["currency"]),
        open_minor=sum(int(str(invoice.get(name, 0))) * sign for name, sign in _OPEN),
        contact=contact,
        address=address if isinstance(address, str) else None,
    )


_OPEN = (("total_minor", 1), ("received_minor", -1), ("credited_minor", -1), ("written_off_minor", -1))
