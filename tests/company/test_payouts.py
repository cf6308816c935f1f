from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

BOOKING = {"payout": "po_1", "line": "b1", "gross_minor": 100000, "fees_minor": 2940, "net_minor": 97060}


def desk(line: dict[str, Any] | None = None, **payout: Any) -> dict[str, Any]:
    record = {
        "gross_minor": 100000,
        "fees_minor": 2940,
        "net_minor": 97060,
        "currency": "EUR",
        "status": "paid",
    }
    bank = {
        "account": "main",
        "amount_minor": 97060,
        "currency": "EUR",
        "booked": "2026-03-01T10:00:00+01:00",
    }
    accounts = (("1200", "asset", "bank"), ("1400", "asset", "receivables"), ("4900", "expense", "fees"))
    return {
        "payouts": {"po_1": record | payout},
        "bank_accounts": {
            "main": {"name": "Main", "currency": "EUR", "last_sync": "2026-03-02T08:00:00+01:00"}
        },
        "bank_lines": {"b1": bank | (line or {})},
        "ledger_accounts": {
            id: {"name": role, "kind": kind, "role": role, "currency": "EUR"} for id, kind, role in accounts
        },
    }


@pytest.mark.parametrize(
    ("tables", "args", "reason"),
    [
        (desk(), {}, None),
        (desk(), {"gross_minor": 97060, "fees_minor": 0}, "amount_mismatch"),
        (desk(), {"fees_minor": 2939}, "amount_mismatch"),
        (desk(fees_minor=2939), {"fees_minor": 2939}, "amount_mismatch"),
        (desk({"amount_minor": 97600}), {}, "amount_mismatch"),
        (desk({"currency": "USD"}), {}, "currency_mismatch"),
        (desk({"assigned_to": "pay_1"}), {}, "already_posted"),
        (desk(status="in_transit"), {}, "payout_not_paid"),
        (desk(status="failed"), {}, "payout_not_paid"),
        (desk({"status": "pending"}), {}, "payout_not_paid"),
        (desk({"status": "booked"}), {}, None),
        (desk() | {"ledger_accounts": {}}, {}, "no_account"),
    ],
)
def test_a_payout_is_booked_gross_against_its_bank_line(
    tables: dict[str, Any], args: dict[str, int], reason: str | None
) -> None:
    def do(session: Session) -> None:
        if reason is None:
            session.call("payouts.book", **BOOKING)
            for account, balance in (("1200", 97060), ("4900", 2940), ("1400", -100000)):
                assert session.call("ledger.balance", account=account)["balance_minor"] == balance
            assert failing(session, "payouts.book", **BOOKING).reason == "already_posted"
        else:
            assert failing(session, "payouts.book", **BOOKING | args).reason == reason

    assert bool(work(do, tables=tables).changed) == (reason is None)


def news(how: str, at: str) -> dict[str, Any]:
    return {"at": at, "id": f"{how}{at}", "type": f"payout.{how}", "data": {"payout": "po_1"}}


@pytest.mark.parametrize(
    ("events", "status"),
    [
        ([news("paid", "+1s")], "paid"),
        ([news("failed", "+1s")], "failed"),
        ([news("paid", "+1s"), news("failed", "+2s")], "failed"),
        ([news("failed", "+1s"), news("paid", "+2s")], "failed"),
    ],
)
def test_a_payout_that_came_back_does_not_arrive_by_older_news(
    events: list[dict[str, Any]], status: str
) -> None:
    def do(session: Session) -> None:
        session.call("clock.wait", duration="1m")
        assert session.call("payouts.get", id="po_1")["status"] == status
        assert session.call("payouts.find", status=status)["total"] == 1

    work(do, tables=desk(status="in_transit"), events=events)


def test_a_payout_whose_posting_was_reversed_is_booked_again() -> None:
    def do(session: Session) -> None:
        posting = session.call("payouts.book", **BOOKING)["posting"]
        session.call("ledger.reverse", id=posting, reason="Wrong period")
        session.call("payouts.book", **BOOKING)
        assert session.call("ledger.balance", account="1200")["balance_minor"] == 97060

    work(do, tables=desk())
