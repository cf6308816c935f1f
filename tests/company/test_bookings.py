from __future__ import annotations

from typing import Any

import pytest

from company_desk import Left, failing, work
from company_lab.agents.protocol import Session


def books(total: int = 60000, received: int = 0, **payment: Any) -> dict[str, Any]:
    return {
        "contacts": {"C-1": {"name": "Ida Holm"}},
        "invoices": {
            "I-1": {
                "contact": "C-1",
                "total_minor": total,
                "received_minor": received,
                "currency": "EUR",
                "status": "partially_paid" if received else "open",
            }
        },
        "payments": {"pay_1": {"invoice": "I-1", "amount_minor": 50000, "currency": "EUR"} | payment},
    }


def invoice(left: Left) -> dict[str, Any]:
    record = left.record("invoices", "I-1")
    assert record is not None
    return record


@pytest.mark.fault("B10")
@pytest.mark.parametrize(("status", "here"), [("pending", False), ("failed", False), ("succeeded", True)])
def test_only_money_that_is_here_is_booked(status: str, here: bool) -> None:
    def do(session: Session) -> None:
        booking = {"id": "I-1", "payment": "pay_1", "amount_minor": 50000}
        if here:
            session.call("invoices.record_payment", **booking)
        else:
            assert failing(session, "invoices.record_payment", **booking).reason == "money_not_here"

    assert invoice(work(do, tables=books(status=status)))["received_minor"] == (50000 if here else 0)


def test_what_is_too_much_becomes_credit_of_the_customer() -> None:
    def do(session: Session) -> None:
        for amount, credit, reason in (
            (50000, None, "exceeds_open_balance"),
            (48000, None, "amount_mismatch"),
            (47999, 2001, "credit_before_debt"),
            (48000, 1999, "amount_mismatch"),
        ):
            error = failing(
                session,
                "invoices.record_payment",
                id="I-1",
                payment="pay_1",
                amount_minor=amount,
                credit_minor=credit,
            )
            assert error.reason == reason
        shown = session.call(
            "invoices.record_payment", id="I-1", payment="pay_1", amount_minor=48000, credit_minor=2000
        )
        assert (shown["status"], shown["open_minor"]) == ("paid", 0)

    left = work(do, tables=books(48000))
    credit, payment = left.record("credits", "credit_1"), left.record("payments", "pay_1")
    assert credit is not None
    assert payment is not None
    assert (credit["contact"], credit["amount_minor"], credit["used_minor"]) == ("C-1", 2000, 0)
    assert (payment["booked_to"], payment["credited_as"]) == ("I-1", "credit_1")


def test_a_bounced_payment_is_taken_back_and_can_not_be_taken_back_twice() -> None:
    def do(session: Session) -> None:
        taken = session.call("invoices.take_back_payment", id="I-1", payment="pay_1", reason="Returned")
        assert (taken["status"], taken["open_minor"]) == ("open", 60000)
        again = failing(session, "invoices.take_back_payment", id="I-1", payment="pay_1", reason="Returned")
        assert again.reason == "not_booked_here"

    left = work(do, tables=books(received=50000, status="failed", booked_to="I-1"))
    payment = left.record("payments", "pay_1")
    assert payment is not None
    assert "booked_to" not in payment


def test_money_that_is_here_stays_booked_and_so_does_what_became_credit() -> None:
    def refused(session: Session) -> None:
        error = failing(session, "invoices.take_back_payment", id="I-1", payment="pay_1", reason="Oops")
        assert error.reason == "payment_stands"

    def failed(session: Session) -> None:
        error = failing(session, "invoices.take_back_payment", id="I-1", payment="pay_1", reason="Oops")
        assert error.reason == "credit_given"

    assert not work(refused, tables=books(received=50000, booked_to="I-1")).changed
    credited = books(received=50000, booked_to="I-1", status="failed", credited_as="CR-1") | {
        "credits": {"CR-1": {"contact": "C-1", "amount_minor": 1, "used_minor": 0, "currency": "EUR"}}
    }
    assert not work(failed, tables=credited).changed


@pytest.mark.fault("B24")
def test_a_payment_that_covers_the_invoice_leaves_interest_and_fee_open() -> None:
    tables = books(50000)
    tables["invoices"]["I-1"] |= {"interest_minor": 112, "fee_minor": 1500}

    def do(session: Session) -> None:
        shown = session.call("invoices.record_payment", id="I-1", payment="pay_1", amount_minor=50000)
        assert (shown["status"], shown["open_minor"]) == ("partially_paid", 1612)
        assert failing(session, "invoices.mark_paid", id="I-1").code == "held"

    assert work(do, tables=tables).facts()["settled"] == {"I-1": False}


def test_a_pending_payment_that_arrives_can_be_booked_and_one_that_bounces_can_not_come_back() -> None:
    money = {"payment": "pay_9", "invoice": "I-1", "amount_minor": 100, "currency": "EUR"}

    def news(at: str, type: str, data: dict[str, Any]) -> dict[str, Any]:
        return {"at": at, "id": f"{type}{at}", "type": type, "data": data}

    came = [news("+1s", "payment.pending", money), news("+2s", "payment.succeeded", money)]
    bounced = [
        *came,
        news("+3s", "payment.failed", {"payment": "pay_9"}),
        news("+4s", "payment.succeeded", money),
    ]
    late = [came[1] | {"at": "+1s"}, came[0] | {"at": "+2s"}]
    for events, status in (
        (came[:1], "pending"),
        (came, "succeeded"),
        (bounced, "failed"),
        (late, "succeeded"),
    ):
        record = work(lambda session: None, tables=books(), events=events).record("payments", "pay_9")
        assert record is not None
        assert record["status"] == status
