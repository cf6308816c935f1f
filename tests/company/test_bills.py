from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session
from company_lab.company.bills import BILL_MOVES

OLD, NEW = "XX22TEST0002", "XX77TEST7777"
PENDING = {"bank": {"transfer": [{"answer": "pending"}]}}


def bill(status: str = "approved", **fields: Any) -> dict[str, Any]:
    record = {
        "supplier": "S-1",
        "total_minor": 516000,
        "currency": "EUR",
        "status": status,
        "number": "7-114",
    }
    return record | fields


def desk(status: str = "approved", other: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    bills = {"B-1": bill(status, **fields)} | ({} if other is None else {"B-2": other})
    suppliers = {"S-1": {"name": "Timber", "iban": OLD}, "S-2": {"name": "Paper", "iban": NEW}}
    return {"suppliers": suppliers, "bills": bills}


@pytest.mark.parametrize(
    ("tables", "args", "reason"),
    [
        (desk(), {}, None),
        (desk(), {"iban": NEW}, "account_not_on_file"),
        (desk(), {"amount_minor": 516001}, "amount_mismatch"),
        (desk("received"), {}, "bill_not_approved"),
        (desk("disputed"), {}, "bill_not_approved"),
        (desk(approved_minor=516000), {}, None),
        (desk(approved_minor=416000), {}, "bill_changed"),
        (desk("paid"), {}, "bill_already_paid"),
        (desk("in_transfer"), {}, "bill_already_paid"),
        (desk(other=bill("paid")), {}, "bill_already_paid"),
        (desk(other=bill("approved")), {}, None),
        (desk(other=bill("paid", supplier="S-2")), {}, None),
        (desk(other=bill("paid", number="7-115")), {}, None),
    ],
)
def test_a_bill_is_paid_once_as_approved_to_the_account_on_file(
    tables: dict[str, Any], args: dict[str, Any], reason: str | None
) -> None:
    def do(session: Session) -> None:
        wanted = {"id": "B-1", "iban": OLD, "amount_minor": 516000} | args
        if reason is None:
            assert session.call("bills.pay", **wanted)["status"] == "paid"
            assert failing(session, "bills.pay", **wanted).reason == "bill_already_paid"
        else:
            assert failing(session, "bills.pay", **wanted).reason == reason

    left = work(do, tables=tables)
    sent = [effect["payload"] for effect in left.ledger("bank")]
    assert sent == (
        [{"iban": OLD, "amount_minor": 516000, "currency": "EUR", "reference": "B-1"}]
        if reason is None
        else []
    )


@pytest.mark.parametrize(
    ("how", "status"), [(None, "in_transfer"), ("succeeded", "paid"), ("failed", "approved")]
)
def test_a_pending_transfer_is_not_called_paid(how: str | None, status: str) -> None:
    def do(session: Session) -> None:
        args = {"id": "B-1", "iban": OLD, "amount_minor": 516000}
        assert session.call("bills.pay", **args, key="k")["status"] == "in_transfer"
        assert failing(session, "bills.pay", **args).reason == "bill_already_paid"

    events = (
        [] if how is None else [{"at": "+1h", "id": "e", "type": f"transfer.{how}", "data": {"bill": "B-1"}}]
    )
    left = work(do, tables=desk(), events=events, providers=PENDING)
    record = left.record("bills", "B-1")
    assert record is not None
    assert record["status"] == status
    assert left.facts()["bill_paid"] == {"B-1": False}


def approved_for(total: int, status: str) -> dict[str, Any]:
    event = {
        "at": "+0s",
        "id": "e",
        "type": "bill.approved",
        "data": {"bill": "B-1", "by": "finance_lead", "total_minor": total},
    }
    record = work(lambda session: None, tables=desk(status), events=[event]).record("bills", "B-1")
    assert record is not None
    return record


@pytest.mark.parametrize("status", BILL_MOVES.moves)
def test_an_approval_moves_what_waits_for_one_and_nothing_else(status: str) -> None:
    after = approved_for(416000, status)
    waits = status in ("received", "disputed")
    assert after["status"] == ("approved" if waits else status)
    assert ("approved_by" in after) == waits


@pytest.mark.parametrize("status", BILL_MOVES.moves)
def test_a_bill_is_disputed_until_its_money_is_gone(status: str) -> None:
    def do(session: Session) -> None:
        if BILL_MOVES.allow(status, "disputed"):
            assert session.call("bills.dispute", id="B-1")["status"] == "disputed"
        else:
            assert failing(session, "bills.dispute", id="B-1").reason == "illegal_status"

    work(do, tables=desk(status))


def test_bills_are_found_by_the_number_of_the_supplier() -> None:
    def do(session: Session) -> None:
        assert session.call("bills.find", number="7-114")["total"] == 2
        assert session.call("bills.find", number="7-114", status="paid")["total"] == 1
        assert session.call("bills.get", id="B-2")["supplier"] == "S-1"

    work(do, tables=desk(other=bill("paid")))


@pytest.mark.parametrize(
    ("approved", "now", "pays"), [(616000, 616000, True), (516000, 616000, False), (700000, 616000, False)]
)
def test_a_bill_that_changed_is_approved_again_at_the_sum_it_has_now(
    approved: int, now: int, pays: bool
) -> None:
    def do(session: Session) -> None:
        args = {"id": "B-1", "iban": OLD, "amount_minor": now}
        assert failing(session, "bills.pay", **args).reason == "bill_changed"
        session.call("clock.wait", duration="1h")
        if pays:
            assert session.call("bills.pay", **args)["status"] == "paid"
        else:
            assert failing(session, "bills.pay", **args).reason == "bill_changed"

    tables = desk()
    tables["bills"]["B-1"] |= {"total_minor": now, "approved_minor": 516000}
    data = {"bill": "B-1", "by": "finance_lead", "total_minor": approved}
    work(do, tables=tables, events=[{"at": "+30m", "id": "e", "type": "bill.approved", "data": data}])


@pytest.mark.parametrize(("ended", "amounts"), [("succeeded", [516000]), (None, [516000]), ("failed", None)])
def test_what_may_be_said_to_be_paid_is_what_went_out_and_did_not_come_back(
    ended: str | None, amounts: list[int] | None
) -> None:
    def do(session: Session) -> None:
        session.call("bills.pay", id="B-1", iban=OLD, amount_minor=516000)
        session.call("clock.wait", duration="2h")
        session.call("bills.get", id="B-1")

    events = [{"at": "+1h", "id": "e", "type": f"transfer.{ended}", "data": {"bill": "B-1"}}] if ended else []
    told = work(do, tables=desk(), events=events, providers=PENDING).facts()["bills_paid_amounts"]
    for name in ("B-1", "S-1"):
        found = None if name not in told else [amount["amount_minor"] for amount in told[name]]
        assert found == amounts
