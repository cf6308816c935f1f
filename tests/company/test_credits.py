from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

CONTACTS = {"contacts": {"C-1": {"name": "Ida Holm"}, "C-2": {"name": "Jo Berg"}}}


def desk(total: int = 8000, received: int = 0) -> dict[str, Any]:
    status = "open" if not received else "paid" if received >= total else "partially_paid"
    invoice = {
        "contact": "C-1",
        "total_minor": total,
        "received_minor": received,
        "currency": "EUR",
        "status": status,
    }
    return CONTACTS | {"invoices": {"I-1": invoice}}


def credit(left: int = 5000, contact: str = "C-1", currency: str = "EUR") -> dict[str, Any]:
    return {
        "credits": {
            "CR-1": {"contact": contact, "amount_minor": left + 10, "used_minor": 10, "currency": currency}
        }
    }


def test_a_credit_note_lowers_what_is_owed_and_leaves_nothing_to_use() -> None:
    def do(session: Session) -> None:
        shown = session.call("credits.issue", invoice="I-1", amount_minor=3000, reason="Too dark")
        assert (shown["open_minor"], shown["status"], shown["received_minor"]) == (5000, "open", 0)
        over = failing(session, "credits.issue", invoice="I-1", amount_minor=5001, reason="Too dark")
        assert over.reason == "exceeds_open_balance"
        shown = session.call("credits.issue", invoice="I-1", amount_minor=5000, reason="Too dark")
        assert (shown["open_minor"], shown["status"]) == (0, "paid")
        assert failing(session, "credits.use", id="credit_1", invoice="I-1", amount_minor=1).reason

    assert work(do, tables=desk()).facts()["settled"] == {"I-1": True}


@pytest.mark.parametrize(("first", "second", "held"), [(6000, 4000, False), (6000, 4001, True)])
def test_the_limit_counts_all_notes_of_an_invoice(first: int, second: int, held: bool) -> None:
    def do(session: Session) -> None:
        session.call("credits.issue", invoice="I-1", amount_minor=first, reason="Too dark")
        args = {"invoice": "I-1", "amount_minor": second, "reason": "Too dark"}
        if held:
            assert failing(session, "credits.issue", **args).reason == "above_credit_limit"
        else:
            session.call("credits.issue", **args)

    work(do, tables=desk(50000))


def test_a_second_payment_becomes_credit_once_of_whoever_paid() -> None:
    payment = {"payments": {"pay_2": {"invoice": "I-1", "amount_minor": 500, "currency": "EUR"}}}

    def do(session: Session) -> None:
        wanted = {"payment": "pay_2", "contact": "C-1", "amount_minor": 500}
        assert failing(session, "credits.record", **wanted | {"contact": "C-2"}).reason == "other_customer"
        for amount in (499, 501):
            error = failing(session, "credits.record", **wanted | {"amount_minor": amount})
            assert error.reason == "amount_mismatch"
        session.call("credits.record", **wanted)
        assert failing(session, "credits.record", **wanted).reason == "payment_already_booked"
        booked = failing(session, "invoices.record_payment", id="I-1", payment="pay_2", amount_minor=500)
        assert booked.reason == "payment_already_booked"
        assert session.call("credits.find", contact="C-1")["total"] == 1

    work(do, tables=desk() | payment)


def test_what_is_too_much_on_an_invoice_becomes_credit_to_the_cent() -> None:
    def do(session: Session) -> None:
        for amount in (2, 4):
            error = failing(session, "credits.record_surplus", invoice="I-1", amount_minor=amount)
            assert error.reason == "amount_mismatch"
        session.call("credits.record_surplus", invoice="I-1", amount_minor=3)
        error = failing(session, "credits.record_surplus", invoice="I-1", amount_minor=3)
        assert error.reason == "amount_mismatch"

    left = work(do, tables=desk(8000, 8003))
    assert left.facts()["settled"] == {"I-1": True}
    invoice = left.record("invoices", "I-1")
    assert invoice is not None
    assert (invoice["received_minor"], invoice["surplus_minor"]) == (8003, 3)


@pytest.mark.parametrize(
    ("tables", "amount", "reason"),
    [
        (credit(5000), 5000, None),
        (credit(4999), 5000, "exceeds_credit"),
        (credit(5000, contact="C-2"), 100, "other_customer"),
        (credit(5000, currency="CHF"), 100, "currency_mismatch"),
        (credit(9000), 8001, "exceeds_open_balance"),
    ],
)
def test_credit_is_used_for_its_owner_within_what_is_left_and_owed(
    tables: dict[str, Any], amount: int, reason: str | None
) -> None:
    def do(session: Session) -> None:
        args = {"id": "CR-1", "invoice": "I-1", "amount_minor": amount}
        if reason is None:
            assert session.call("credits.use", **args)["open_minor"] == 8000 - amount
        else:
            assert failing(session, "credits.use", **args).reason == reason

    assert bool(work(do, tables=desk() | tables).changed) == (reason is None)
