from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

PENDING = {"payments": {"refund": [{"answer": "pending"}]}}
LEAD = {"finance_lead": {"approves": ("payments.refund",)}}


def charged(captured: int = 46000, **fields: Any) -> dict[str, Any]:
    lines = [{"item": "desk", "paid_minor": 40000}, {"item": "lamp", "paid_minor": 6000}]
    record = {"captured_minor": captured, "refunded_minor": 0, "currency": "EUR", "lines": lines}
    return {"charges": {"ch_1": record | fields}}


def refunding(session: Session, amount: int, **args: Any) -> Any:
    return session.call("payments.refund", charge="ch_1", amount_minor=amount, **args)


def refused(session: Session, amount: int, **args: Any) -> str:
    return failing(session, "payments.refund", charge="ch_1", amount_minor=amount, **args).reason


def test_for_one_thing_no_more_goes_back_than_was_paid_for_it() -> None:
    def do(session: Session) -> None:
        assert refused(session, 16000, line="lamp") == "exceeds_entitlement"
        refunding(session, 4000, line="lamp")
        assert refused(session, 2001, line="lamp") == "exceeds_entitlement"
        refunding(session, 2000, line="lamp")
        assert refused(session, 1, line="lamp") == "exceeds_entitlement"
        assert refused(session, 1, line="sofa") == "no_such_line"
        refunding(session, 40000, line="desk")

    left = work(do, tables=charged(), people=LEAD, sender="finance_lead")
    charge = left.record("charges", "ch_1")
    assert charge is not None
    assert charge["refunded_minor"] == 46000
    assert [line["refunded_minor"] for line in charge["lines"]] == [40000, 6000]


def test_a_line_counts_what_is_on_its_way_and_gets_back_what_failed() -> None:
    def do(session: Session) -> None:
        refunding(session, 4000, line="lamp")
        assert refused(session, 2001, line="lamp") == "exceeds_entitlement"
        session.call("clock.wait", duration="2h")
        assert session.call("payments.get", id="ch_1")["lines"][1].get("refunded_minor", 0) == 0
        refunding(session, 6000, line="lamp")

    failed = {"at": "+1h", "id": "e", "type": "refund.failed", "data": {"refund": "re_1"}}
    work(do, tables=charged(), people=LEAD, sender="finance_lead", providers=PENDING, events=[failed])


@pytest.mark.parametrize(
    ("amount", "line", "goes"), [(2000, None, False), (2000, "lamp", True), (2001, None, True)]
)
def test_a_refund_on_its_way_is_not_sent_after_itself(amount: int, line: str | None, goes: bool) -> None:
    def do(session: Session) -> None:
        refunding(session, 2000)
        if goes:
            refunding(session, amount, line=line)
        else:
            assert refused(session, amount, line=line) == "refund_pending"

    assert len(work(do, tables=charged(), providers=PENDING).ledger("payments")) == 1 + goes


def test_asking_again_under_the_same_key_is_answered_though_nothing_is_left() -> None:
    def do(session: Session) -> None:
        assert (
            failing(session, "payments.refund", charge="ch_1", amount_minor=4000, key="k").code == "timed_out"
        )
        again = refunding(session, 4000, key="k")
        assert (again["id"], again["replayed"]) == ("re_1", True)
        assert refused(session, 4000) == "exceeds_refundable"
        session.call("clock.wait", duration="24h")
        assert refused(session, 4000, key="k") == "exceeds_refundable"

    left = work(do, tables=charged(4000), faults=[{"on": "payments.refund", "kind": "lost_ack"}])
    assert len(left.ledger("payments")) == 1


def test_a_key_that_the_service_has_forgotten_does_not_pay_twice() -> None:
    def do(session: Session) -> None:
        refunding(session, 1000, key="k")
        session.call("clock.wait", duration="24h")
        assert refused(session, 1000, key="k") == "key_reused"
        refunding(session, 1000, key="k-2")

    assert len(work(do, tables=charged()).ledger("payments")) == 2


@pytest.mark.parametrize(
    ("amounts", "held"),
    [
        ([2500, 2500], False),
        ([2500, 2501], True),
        ([5000, 1], True),
        ([1000, 1000, 1000, 1000, 1000], False),
        ([1000, 1000, 1000, 1000, 1000, 1], True),
    ],
)
def test_small_refunds_of_one_charge_together_stay_within_the_limit(amounts: list[int], held: bool) -> None:
    def do(session: Session) -> None:
        for amount in amounts[:-1]:
            refunding(session, amount)
        if held:
            assert refused(session, amounts[-1]) == "refunds_add_up"
        else:
            refunding(session, amounts[-1])

    work(do, tables=charged())


def test_the_charges_of_one_order_share_the_limit_and_other_orders_do_not() -> None:
    tables: dict[str, Any] = {
        "contacts": {"C-1": {"name": "Ida Holm"}},
        "orders": {id: {"contact": "C-1", "status": "delivered"} for id in ("O-1", "O-2")},
        "charges": {
            id: {"captured_minor": 9000, "refunded_minor": 0, "currency": "EUR", "order": order}
            for id, order in (("ch_1", "O-1"), ("ch_2", "O-1"), ("ch_3", "O-2"))
        },
    }

    def do(session: Session) -> None:
        session.call("payments.refund", charge="ch_1", amount_minor=4000)
        assert refused_on(session, "ch_2", 1001) == "refunds_add_up"
        session.call("payments.refund", charge="ch_2", amount_minor=1000)
        session.call("payments.refund", charge="ch_3", amount_minor=5000)

    work(do, tables=tables)


def refused_on(session: Session, charge: str, amount: int) -> str:
    return failing(session, "payments.refund", charge=charge, amount_minor=amount).reason


def test_what_a_person_approved_or_what_failed_does_not_count_as_small() -> None:
    refunds = {
        "re_1": {"charge": "ch_1", "amount_minor": 8000, "currency": "EUR", "status": "succeeded"},
        "re_2": {"charge": "ch_1", "amount_minor": 4000, "currency": "EUR", "status": "failed"},
    }

    def do(session: Session) -> None:
        refunding(session, 5000)

    work(do, tables=charged(refunded_minor=8000) | {"refunds": refunds})


def test_whoever_may_approve_is_not_held_up_by_small_sums() -> None:
    def do(session: Session) -> None:
        refunding(session, 4000)
        refunding(session, 4001)

    work(do, tables=charged(), people=LEAD, sender="finance_lead")
