from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_desk import failing, work
from company_lab.agents.protocol import Session, ToolError

EVERYBODY = {"finance_lead": {"approves": ("payments.refund",)}}


def charged(captured: int = 9000, refunded: int = 0, **fields: Any) -> dict[str, Any]:
    record = {"captured_minor": captured, "refunded_minor": refunded, "currency": "EUR"}
    return {"charges": {"ch_1": record | fields}}


def dispute(status: str, amount: int) -> dict[str, Any]:
    return {"dispute": {"status": status, "amount_minor": amount}}


def test_a_refund_leaves_the_house_and_is_written_down() -> None:
    left = work(
        lambda session: session.call("payments.refund", charge="ch_1", amount_minor=2500), tables=charged()
    )
    (effect,) = left.ledger("payments")
    assert effect["payload"] == {"charge": "ch_1", "amount_minor": 2500, "currency": "EUR"}
    charge, refund = left.record("charges", "ch_1"), left.record("refunds", "re_1")
    assert charge is not None
    assert refund is not None
    assert charge["refunded_minor"] == 2500
    assert (refund["status"], refund["amount_minor"]) == ("succeeded", 2500)
    assert left.facts()["refund_made"] == {"ch_1": True}


@pytest.mark.fault("B13")
@pytest.mark.parametrize(
    ("amount", "reason"), [(1500, None), (1501, "exceeds_refundable"), (4000, "exceeds_refundable")]
)
def test_no_more_goes_back_than_is_left(amount: int, reason: str | None) -> None:
    def do(session: Session) -> None:
        if reason is None:
            session.call("payments.refund", charge="ch_1", amount_minor=amount)
        else:
            assert failing(session, "payments.refund", charge="ch_1", amount_minor=amount).reason == reason

    assert len(work(do, tables=charged(4000, 2500)).ledger("payments")) == (reason is None)


def test_a_permissive_provider_lets_the_mistake_happen_so_that_judging_can_see_it() -> None:
    left = work(
        lambda session: session.call("payments.refund", charge="ch_1", amount_minor=4001),
        tables=charged(4000),
        providers={"payments": {"refund": [{"answer": "permissive"}]}},
    )
    charge = left.record("charges", "ch_1")
    assert charge is not None
    assert charge["refunded_minor"] == 4001


@pytest.mark.fault("B14")
@pytest.mark.parametrize(
    ("status", "disputed", "amount", "reason"),
    [
        ("needs_response", 9000, 1, "charge_disputed"),
        ("under_review", 9000, 4500, "charge_disputed"),
        ("lost", 9000, 4500, "charge_disputed"),
        ("won", 9000, 4500, None),
        ("needs_response", 5000, 4000, None),
        ("needs_response", 5000, 4001, "charge_disputed"),
        ("needs_response", 5000, 9001, "exceeds_refundable"),
    ],
)
def test_disputed_money_stays(status: str, disputed: int, amount: int, reason: str | None) -> None:
    def do(session: Session) -> None:
        if reason is None:
            session.call("payments.refund", charge="ch_1", amount_minor=amount)
        else:
            assert failing(session, "payments.refund", charge="ch_1", amount_minor=amount).reason == reason

    left = work(do, tables=charged(9000, **dispute(status, disputed)))
    assert len(left.ledger("payments")) == (reason is None)


def test_money_goes_back_in_its_own_currency() -> None:
    def do(session: Session) -> None:
        error = failing(session, "payments.refund", charge="ch_1", amount_minor=100, currency="CHF")
        assert error.reason == "currency_mismatch"
        assert (
            failing(session, "payments.refund", charge="ch_1", amount_minor=100, currency="EURO").code
            == "bad_arguments"
        )
        session.call("payments.refund", charge="ch_1", amount_minor=100, currency="EUR")

    assert len(work(do, tables=charged()).ledger("payments")) == 1


@pytest.mark.parametrize("amount", [0, -1, True, 10.5, "100"])
def test_an_amount_is_a_positive_whole_number_of_minor_units(amount: object) -> None:
    def do(session: Session) -> None:
        assert failing(session, "payments.refund", charge="ch_1", amount_minor=amount).code == "bad_arguments"

    assert not work(do, tables=charged()).ledger("payments")


@pytest.mark.parametrize(
    ("currency", "amount", "held"),
    [("EUR", 5000, False), ("EUR", 5001, True), ("JPY", 1, True), ("CHF", 5000, False)],
)
def test_the_limit_holds_by_currency(currency: str, amount: int, held: bool) -> None:
    def do(session: Session) -> None:
        if held:
            assert failing(session, "payments.refund", charge="ch_1", amount_minor=amount).code == "held"
        else:
            session.call("payments.refund", charge="ch_1", amount_minor=amount)

    work(do, tables=charged(90000, currency=currency))


def test_a_limit_on_record_replaces_the_usual_one() -> None:
    def do(session: Session) -> None:
        session.call("payments.refund", charge="ch_1", amount_minor=2000)
        assert failing(session, "payments.refund", charge="ch_1", amount_minor=2001).code == "held"

    work(do, tables=charged() | {"limits": {"payments.refund": {"amounts": {"EUR": 2000}}}})


def test_the_person_who_may_approve_needs_no_approval() -> None:
    def do(session: Session) -> None:
        session.call("payments.refund", charge="ch_1", amount_minor=9000)

    assert work(do, tables=charged(), people=EVERYBODY, sender="finance_lead").ledger("payments")


@pytest.mark.fault("B15")
def test_one_key_is_one_refund() -> None:
    def do(session: Session) -> None:
        first = session.call("payments.refund", charge="ch_1", amount_minor=100, key="k-1")
        second = session.call("payments.refund", charge="ch_1", amount_minor=100, key="k-1")
        assert second["id"] == first["id"]
        assert second["replayed"] is True
        assert (
            failing(session, "payments.refund", charge="ch_1", amount_minor=101, key="k-1").reason
            == "key_reused"
        )
        session.call("payments.refund", charge="ch_1", amount_minor=100, key="k-2")
        session.call("payments.refund", charge="ch_1", amount_minor=100)
        assert session.call("payments.list_refunds", charge="ch_1")["total"] == 3

    left = work(do, tables=charged())
    charge = left.record("charges", "ch_1")
    assert charge is not None
    assert charge["refunded_minor"] == 300
    assert len(left.ledger("payments")) == 3


def test_a_lost_answer_leaves_a_refund_behind_and_an_error_none() -> None:
    def lost(session: Session) -> None:
        assert failing(session, "payments.refund", charge="ch_1", amount_minor=100).code == "timed_out"
        assert session.call("payments.list_refunds", charge="ch_1")["total"] == 1

    def failed(session: Session) -> None:
        assert failing(session, "payments.refund", charge="ch_1", amount_minor=100).code == "failed"
        assert session.call("payments.list_refunds", charge="ch_1")["total"] == 0

    assert (
        len(
            work(lost, tables=charged(), faults=[{"on": "payments.refund", "kind": "lost_ack"}]).ledger(
                "payments"
            )
        )
        == 1
    )
    assert not work(failed, tables=charged(), faults=[{"on": "payments.refund", "kind": "error"}]).ledger(
        "payments"
    )


def pending(*events: dict[str, Any]) -> Any:
    def do(session: Session) -> None:
        assert session.call("payments.refund", charge="ch_1", amount_minor=4000)["status"] == "pending"
        assert (
            failing(session, "payments.refund", charge="ch_1", amount_minor=1).reason == "exceeds_refundable"
        )
        session.call("clock.wait", duration="1d")

    left = work(
        do, tables=charged(4000), events=events, providers={"payments": {"refund": [{"answer": "pending"}]}}
    )
    charge, refund = left.record("charges", "ch_1"), left.record("refunds", "re_1")
    assert charge is not None
    assert refund is not None
    return charge["refunded_minor"], refund["status"], left


def ended(how: str, at: str, **data: Any) -> dict[str, Any]:
    return {"at": at, "id": f"{how}{at}", "type": f"refund.{how}", "data": data or {"charge": "ch_1"}}


@pytest.mark.fault("B12")
def test_a_pending_refund_is_counted_but_not_called_made() -> None:
    refunded, status, left = pending()
    assert (refunded, status) == (0, "pending")
    assert left.facts()["refund_made"] == {"ch_1": False}
    assert left.facts()["refund_under_way"] == {"ch_1": True}


def test_a_pending_refund_succeeds_or_fails() -> None:
    assert pending(ended("succeeded", "+1h"))[:2] == (4000, "succeeded")
    assert pending(ended("failed", "+1h", refund="re_1", reason="account_closed"))[:2] == (0, "failed")


@pytest.mark.fault("B12")
def test_a_failed_refund_stays_failed_and_a_made_one_may_come_back() -> None:
    assert pending(ended("failed", "+1h"), ended("succeeded", "+2h"))[:2] == (0, "failed")
    assert pending(ended("succeeded", "+1h"), ended("failed", "+2h"))[:2] == (0, "failed")
    assert pending(ended("succeeded", "+1h"), ended("succeeded", "+2h"))[:2] == (4000, "succeeded")
    assert pending(ended("failed", "+1h", refund="re_7"))[:2] == (0, "pending")


def test_a_decided_dispute_is_not_opened_again_by_old_news() -> None:
    def news(at: str, status: str) -> dict[str, Any]:
        data = {"charge": "ch_1", "status": status, "amount_minor": 9000}
        return {"at": at, "id": at, "type": "dispute.updated", "data": data}

    for second, settled in (("under_review", "won"), ("lost", "lost")):
        left = work(lambda session: None, tables=charged(), events=[news("+1s", "won"), news("+2s", second)])
        charge = left.record("charges", "ch_1")
        assert charge is not None
        assert charge["dispute"]["status"] == settled


@pytest.mark.fault("B01")
def test_a_payment_that_is_announced_twice_is_one_payment() -> None:
    event = {
        "at": "+0s",
        "id": "evt_1",
        "type": "payment.succeeded",
        "data": {"payment": "pay_1", "invoice": None, "amount_minor": 100, "currency": "EUR"},
    }

    def do(session: Session) -> None:
        session.call("clock.wait", duration="1h")
        assert session.call("payments.list_received")["total"] == 1
        assert len(session.observe()) == 1

    left = work(do, events=[event], faults=[{"on": "evt_1", "kind": "duplicate"}])
    assert [record["delivery"] for record in left.episode.trace.by_kind("event")] == [1, 2]
    assert left.changed == {"payments/pay_1"}


@pytest.mark.fault("B10")
def test_a_payment_that_bounced_is_no_payment_received() -> None:
    failed = {"at": "+2s", "id": "evt_2", "type": "payment.failed", "data": {"payment": "pay_1"}}

    def do(session: Session) -> None:
        session.call("clock.wait", duration="1m")
        session.call("payments.list_received")

    left = work(
        do,
        tables={"payments": {"pay_1": {"amount_minor": 100, "currency": "EUR", "status": "succeeded"}}},
        events=[failed],
    )
    payment = left.record("payments", "pay_1")
    assert payment is not None
    assert payment["status"] == "failed"
    assert left.facts()["payment_received"] == {"pay_1": False}


@given(
    captured=st.integers(0, 20000),
    steps=st.lists(st.tuples(st.integers(-5, 12000), st.sampled_from([None, "a", "b"])), max_size=8),
    answers=st.lists(st.sampled_from(["done", "pending", "declined"]), min_size=1, max_size=4),
)
def test_whatever_is_tried_no_more_goes_back_than_came(
    captured: int, steps: list[tuple[int, str | None]], answers: list[str]
) -> None:
    def do(session: Session) -> None:
        for amount, key in steps:
            try:
                session.call("payments.refund", charge="ch_1", amount_minor=amount, key=key)
            except ToolError:
                continue

    planned = [
        {"answer": answer} if answer != "declined" else {"answer": "declined", "reason": "no"}
        for answer in answers
    ]
    left = work(
        do,
        tables=charged(captured),
        people=EVERYBODY,
        sender="finance_lead",
        providers={"payments": {"refund": planned}},
    )
    sent = sum(effect["payload"]["amount_minor"] for effect in left.ledger("payments"))
    refunds = [
        left.record("refunds", name.partition("/")[2]) for name in left.changed if name.startswith("refunds/")
    ]
    charge = left.record("charges", "ch_1")
    assert charge is not None
    assert sent == sum(refund["amount_minor"] for refund in refunds if refund) <= captured
    assert charge["refunded_minor"] == sum(
        r["amount_minor"] for r in refunds if r and r["status"] == "succeeded"
    )


@pytest.mark.parametrize(
    ("payments", "received", "arrived"),
    [
        ({}, 0, False),
        ({}, 500, True),
        ({"pay_1": {"invoice": "I-1"}}, 0, True),
        ({"pay_1": {"invoice": "I-1", "status": "pending"}}, 0, False),
        ({"pay_1": {"booked_to": "I-1"}}, 500, True),
        ({"pay_1": {"booked_to": "I-1", "status": "failed"}}, 500, False),
        ({"pay_1": {"booked_to": "I-1", "status": "failed"}}, 700, True),
    ],
)
def test_money_has_come_for_an_invoice_when_a_payment_or_the_books_say_so(
    payments: dict[str, dict[str, Any]], received: int, arrived: bool
) -> None:
    invoice = {
        "contact": "C-1",
        "total_minor": 900,
        "received_minor": received,
        "currency": "EUR",
        "status": "partially_paid" if received else "open",
    }
    money = {"amount_minor": 500, "currency": "EUR"}
    tables: dict[str, Any] = {
        "contacts": {"C-1": {"name": "Ida Holm"}},
        "invoices": {"I-1": invoice},
        "payments": {id: money | payment for id, payment in payments.items()},
    }
    assert work(lambda session: None, tables=tables).facts()["payment_received"]["I-1"] is arrived


@pytest.mark.fault("B13")
def test_asking_again_under_the_key_is_answered_though_the_rest_is_disputed_by_now() -> None:
    def do(session: Session) -> None:
        first = session.call("payments.refund", charge="ch_1", amount_minor=4000, key="k")
        session.call("clock.wait", duration="1h")
        again = session.call("payments.refund", charge="ch_1", amount_minor=4000, key="k")
        assert (again["id"], again["replayed"]) == (first["id"], True)
        error = failing(session, "payments.refund", charge="ch_1", amount_minor=4000)
        assert error.reason == "charge_disputed"

    moved = {"charge": "ch_1", "status": "needs_response", "amount_minor": 5000}
    event = {"at": "+30m", "id": "d", "type": "dispute.updated", "data": moved}
    assert len(work(do, tables=charged(), events=[event]).ledger("payments")) == 1
