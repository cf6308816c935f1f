"""A payment in two parts: both arrive, both are booked, and only together are they what was paid."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from company_lab.probing.mutate.booked_payment import BOOK, Booking, bookings, why_none
from company_lab.probing.mutate.editing import fresh_name, listed, make_room, put, step, turns_of, with_steps
from company_lab.probing.mutate.operator import Document, Draft, Operator
from company_lab.probing.mutate.original import Original
from company_lab.probing.mutate.withholding import fits


def _applies(original: Original) -> str | None:
    return why_none(original)


def _build(original: Original, draw: Random) -> Iterator[Draft]:
    for booking in bookings(original):
        first = booking.amount_minor * draw.choice((30, 40, 60, 70)) // 100
        if booking.amount_minor >= 10_000:
            first -= first % 100
        if 0 < first < booking.amount_minor:
            yield _split(original, booking, first)


def _split(original: Original, booking: Booking, first: int) -> Draft:
    document = original.copied()
    events = document["events"]
    second = fresh_name(f"{booking.payment}_rest", (str(event["data"].get("payment")) for event in events))
    parts = ((booking.payment, first), (second, booking.amount_minor - first))
    arrives = events[booking.position]
    arrives["data"]["amount_minor"] = first
    rest: Document = {
        "at": arrives["at"],
        "id": fresh_name(f"{booking.event}_rest", (event["id"] for event in events)),
        "type": arrives["type"],
        "data": {**arrives["data"], "payment": second, "amount_minor": parts[1][1]},
    }
    # It stands before the one that may wake the agent, so that both are there when the agent looks.
    events.insert(booking.position, rest)
    make_room(document, simulated_ms=60_000, calls=2)
    done = booking.done
    books = [
        step(BOOK, **{**done.args, "payment": payment, "amount_minor": amount}) for payment, amount in parts
    ]
    turns = turns_of(document)
    document["reference"] = with_steps(turns, done.turn, done.place, books, without=1)
    actions: list[Document] = []
    for entry in listed(document, "actions"):
        args = entry.get("args", {})
        if entry["tool"] == BOOK and args.get("payment") == booking.payment and fits(args, done.args):
            actions += [
                {**entry, "args": {**args, "payment": payment, "amount_minor": amount}, "times": 1}
                for payment, amount in parts
            ]
        else:
            actions.append(entry)
    put(document, "actions", actions)
    half = with_steps(turns, done.turn, done.place, books[:1], without=1)
    return Draft(
        document=document,
        what="it arrives in two parts",
        wrong=(("books_the_first_part_alone", half),),
    )


split_payment = Operator(
    name="split_payment",
    meaning="lets a payment arrive in two parts; both are booked, each once",
    applies=_applies,
    build=_build,
)
