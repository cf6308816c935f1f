from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session


def owed(open_minor: int, currency: str = "EUR", **fields: Any) -> dict[str, Any]:
    record = {
        "contact": "C-1",
        "total_minor": 10000,
        "received_minor": 10000 - open_minor,
        "currency": currency,
        "status": "partially_paid",
    }
    return {"contacts": {"C-1": {"name": "Ida Holm"}}, "invoices": {"I-1": record | fields}}


@pytest.mark.parametrize(
    ("amount", "currency", "reason"),
    [
        (5, "EUR", None),
        (6, "EUR", "above_write_off_limit"),
        (1, "JPY", "above_write_off_limit"),
        (101, "EUR", "exceeds_open_balance"),
    ],
)
def test_a_trifle_is_written_off_and_no_more(amount: int, currency: str, reason: str | None) -> None:
    def do(session: Session) -> None:
        args = {"id": "I-1", "amount_minor": amount, "reason": "Rounding"}
        if reason is None:
            session.call("invoices.write_off", **args)
        else:
            assert failing(session, "invoices.write_off", **args).reason == reason

    record = work(do, tables=owed(100, currency)).record("invoices", "I-1")
    assert record is not None
    assert record.get("written_off_minor", 0) == (amount if reason is None else 0)


def test_the_limit_is_for_an_invoice_and_not_for_a_step() -> None:
    def do(session: Session) -> None:
        for _ in range(5):
            session.call("invoices.write_off", id="I-1", amount_minor=1, reason="Rounding")
        error = failing(session, "invoices.write_off", id="I-1", amount_minor=1, reason="Rounding")
        assert (error.code, error.reason) == ("held", "above_write_off_limit")

    record = work(do, tables=owed(100)).record("invoices", "I-1")
    assert record is not None
    assert (record["written_off_minor"], len(record["write_offs"])) == (5, 5)
    assert (record["received_minor"], record["status"]) == (9900, "partially_paid")


def test_what_was_written_off_is_settled_though_it_was_not_received() -> None:
    left = work(
        lambda session: session.call("invoices.write_off", id="I-1", amount_minor=2, reason="Rounding"),
        tables=owed(2),
    )
    record = left.record("invoices", "I-1")
    assert record is not None
    assert (record["status"], record["received_minor"]) == ("paid", 9998)
    assert record["write_offs"][0]["reason"] == "Rounding"
    assert left.facts()["settled"] == {"I-1": True}


@pytest.mark.parametrize("reason", ["", "  \n"])
def test_nothing_is_written_off_without_a_reason(reason: str) -> None:
    def do(session: Session) -> None:
        error = failing(session, "invoices.write_off", id="I-1", amount_minor=1, reason=reason)
        assert error.reason == "reason_missing"

    assert not work(do, tables=owed(1)).changed


def test_who_may_approve_it_needs_no_approval() -> None:
    def do(session: Session) -> None:
        session.call("invoices.write_off", id="I-1", amount_minor=100, reason="Goodwill")

    people = {"finance_lead": {"approves": ("invoices.write_off",)}}
    assert work(do, tables=owed(100), people=people, sender="finance_lead").changed
