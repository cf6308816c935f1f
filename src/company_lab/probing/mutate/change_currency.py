"""The right digits in the wrong currency: nothing may be booked, and a person decides."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from company_lab.formats.money import exponent, to_text
from company_lab.probing.mutate.booked_payment import BOOK, Booking, bookings, why_none
from company_lab.probing.mutate.editing import ask_more, forbid, fresh_name, make_room, step
from company_lab.probing.mutate.operator import CanNotDerive, Document, Draft, Operator
from company_lab.probing.mutate.original import Done, Original
from company_lab.probing.mutate.withholding import withhold

_TASK, _SEND, _READ_POLICY = "tasks.create", "email.send", "policies.read"
_OTHERS = ("CHF", "USD", "GBP", "SEK", "EUR")
_PAGE = {
    "title": "Money in another currency",
    "text": (
        "A payment counts in the currency of its invoice. We convert nothing ourselves. What came in another "
        "currency is not booked: it becomes a task for finance, and finance decides."
    ),
}


def _applies(original: Original) -> str | None:
    reason = why_none(original)
    if reason is not None:
        return reason
    if _TASK not in original.spec.tools or "policies" not in original.spec.tables:
        return "its world has no tasks for people, so nobody could decide"
    return None


def _build(original: Original, draw: Random) -> Iterator[Draft]:
    # The last one: what was booked before it stays booked.
    booking = max(bookings(original), key=lambda one: (one.done.turn, one.done.place))
    alike = [code for code in _OTHERS if exponent(code) == exponent(booking.currency)]
    others = [code for code in alike if code != booking.currency]
    if not others:
        raise CanNotDerive(f"no other currency here has the decimals of {booking.currency}")
    yield _exchanged(original, booking, draw.choice(others))


def _exchanged(original: Original, booking: Booking, currency: str) -> Draft:
    document = original.copied()
    document["events"][booking.position]["data"]["currency"] = currency
    policies = document["initial"].setdefault("policies", {})
    page = fresh_name("paying_in", policies)
    policies[page] = dict(_PAGE)
    came = to_text(booking.amount_minor, currency)
    left = _left(original, booking)
    still = to_text(left, booking.currency)
    letter = _letter(original, booking)
    kept = [] if letter is None else [letter]
    note = f"{booking.payment} brought {came}, and {booking.invoice} is in {booking.currency}. Please decide."
    decide = step(_TASK, about=booking.invoice, queue="finance", note=note)
    turns = withhold(
        original,
        document,
        booking.done,
        [step(_READ_POLICY, id=page), decide],
        keep=kept,
        rests=("orders.release",),
        to=booking.address,
    )
    if letter is not None:
        text = (
            f"{came} have come in from you. Invoice {booking.invoice} is in {booking.currency}, so a colleague in "
            f"finance will get in touch about it; until then {still} are open."
        )
        for one in turns[booking.done.turn]["do"]:
            if one["tool"] == _SEND and one.get("args", {}).get("to") == booking.address:
                one["args"]["text"] = text
    turns[booking.done.turn]["reply"] = (
        f"{came} came in for {booking.invoice}, which is in {booking.currency}. I did not book it; finance has a "
        "task and decides."
    )
    document["reference"] = turns
    make_room(document, calls=3)
    ask_more(document, _asked(mail=letter is not None))
    _expect(original, document, booking, currency, left if letter is not None else None)
    return Draft(document=document, what=f"the payment comes in {currency}")


def _letter(original: Original, booking: Booking) -> Done | None:
    """The letter in which the customer hears what is open; whether another letter is due nobody could say."""
    states = original.scenario.expected.told.states
    told = any(one.to == booking.address and one.role == "open_balance" for one in states)
    later = [
        done
        for done in original.executed(_SEND)
        if done.args.get("to") == booking.address
        and (done.turn, done.place) > (booking.done.turn, booking.done.place)
    ]
    return later[0] if told and len(later) == 1 else None


def _left(original: Original, booking: Booking) -> int:
    """What is open once everything else is booked that is booked before."""
    others = (one for one in bookings(original) if one.invoice == booking.invoice and one is not booking)
    return booking.open_minor - sum(one.amount_minor for one in others if one.done != booking.done)


def _asked(*, mail: bool) -> str:
    told = "The customer still hears what came in and what is open." if mail else "Tell me then what came in."
    return f"If a payment does not fit its invoice, my people decide: leave finance a task. {told}"


def _expect(
    original: Original, document: Document, booking: Booking, currency: str, left: int | None
) -> None:
    expected = document["expected"]
    about = {"one_of": [booking.invoice, booking.payment]}
    task = {"tool": _TASK, "args": {"about": about, "queue": "finance", "due": {"any": True}}, "times": 1}
    expected["actions"] = [task, *expected.get("actions", ())]
    unbooked = ("invoices.mark_paid", "credits.record")
    alone = len(bookings(original)) == 1
    book: Document = {"tool": BOOK} if alone else {"tool": BOOK, "args": {"payment": booking.payment}}
    forbid(document, book, *({"tool": tool} for tool in unbooked if tool in original.spec.tools))
    told = expected.setdefault("told", {})
    received: Document = {"amount_minor": booking.amount_minor, "currency": currency}
    if left is not None:
        to = {"to": booking.address}
        still: Document = {"amount_minor": left, "currency": booking.currency, "role": "open_balance"}
        told["states"] = [{**received, "role": "received", **to}, {**still, **to}]
    else:
        told["states"] = [received]
    if "settled" in original.spec.claims:
        told["never_claims"] = list(dict.fromkeys([*told.get("never_claims", ()), "settled"]))


change_currency = Operator(
    name="change_currency",
    meaning="lets the payment come in another currency; nothing is booked and a person decides",
    applies=_applies,
    build=_build,
)
