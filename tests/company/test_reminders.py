from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session
from company_lab.company.reminders import REMINDER_MOVES


def desk(
    received: int = 2500, status: str = "draft", zone: str | None = None, **invoice: Any
) -> dict[str, Any]:
    contact = {"name": "Emil Kraus", "email": "emil@kraus.example.test"}
    owed = {
        "contact": "C-1",
        "total_minor": 10050,
        "received_minor": received,
        "currency": "EUR",
        "status": "partially_paid",
        "due": "2026-02-26",
    }
    reminder = {
        "invoice": "I-1",
        "amount_minor": 7550,
        "currency": "EUR",
        "status": status,
        "created": "2026-03-01T09:00:00+01:00",
        "note": "Thank you.",
    }
    return {
        "contacts": {"C-1": contact | ({} if zone is None else {"zone": zone})},
        "invoices": {"I-1": owed | invoice},
        "reminders": {"RM-1": reminder},
    }


@pytest.mark.fault("B18")
def test_a_reminder_asks_for_what_is_open_and_says_so_to_the_customer() -> None:
    def do(session: Session) -> None:
        for amount in (10050, 7549):
            error = failing(session, "reminders.draft", invoice="I-1", amount_minor=amount)
            assert error.reason == "amount_mismatch"
        draft = session.call("reminders.draft", invoice="I-1", amount_minor=7550)
        assert draft["status"] == "draft"
        assert session.call("reminders.send", id=draft["id"])["status"] == "sent"
        assert failing(session, "reminders.send", id=draft["id"]).reason == "illegal_status"
        assert session.call("reminders.find", invoice="I-1", status="sent")["total"] == 1

    (mail,) = work(do, tables=desk()).ledger("email")
    assert mail["payload"]["to"] == "emil@kraus.example.test"
    assert mail["payload"]["kind"] == "reminder"
    assert "75.50 EUR" in mail["payload"]["text"]


@pytest.mark.fault("B18", "B21")
@pytest.mark.parametrize(
    ("tables", "clock", "reason"),
    [
        (desk(), "2026-03-02T09:00:00+01:00", None),
        (desk(2600), "2026-03-02T09:00:00+01:00", "facts_changed"),
        (desk(10050, status="draft"), "2026-03-02T09:00:00+01:00", "facts_changed"),
        (desk(pending_debit="2026-02-28T09:00:00+01:00"), "2026-03-02T09:00:00+01:00", "debit_under_way"),
        (desk(pending_debit="2026-02-27T08:00:00+01:00"), "2026-03-02T09:00:00+01:00", None),
        (desk(pending_debit=None), "2026-03-02T09:00:00+01:00", None),
        (desk(due="2026-03-31", zone="America/Chicago"), "2026-03-31T23:30:00-05:00", "not_overdue"),
        (desk(due="2026-03-31", zone="America/Chicago"), "2026-04-01T00:10:00-05:00", None),
        (desk(due="2026-03-31", zone="America/Chicago"), "2026-04-01T04:59:00Z", "not_overdue"),
        (desk(due="2026-03-31", zone="Nowhere/Else"), "2026-04-01T04:59:00Z", None),
        (desk(due="2026-03-02"), "2026-03-02T23:59:00+01:00", "not_overdue"),
        (desk(due="soon"), "2026-03-02T23:59:00+01:00", None),
    ],
)
def test_a_reminder_goes_out_only_while_it_is_true_and_due(
    tables: dict[str, Any], clock: str, reason: str | None
) -> None:
    def do(session: Session) -> None:
        if reason is None:
            session.call("reminders.send", id="RM-1")
        else:
            assert failing(session, "reminders.send", id="RM-1").reason == reason

    assert len(work(do, tables=tables, clock=clock).ledger("email")) == (reason is None)


@pytest.mark.parametrize(("status", "then", "legal"), [*REMINDER_MOVES.pairs()])
def test_a_reminder_moves_along_its_ways_only(status: str, then: str, legal: bool) -> None:
    tool = {"sent": "reminders.send", "dropped": "reminders.drop"}.get(then)

    def do(session: Session) -> None:
        if tool is not None and legal:
            assert session.call(tool, id="RM-1")["status"] == then
        elif tool is not None:
            assert failing(session, tool, id="RM-1").reason == "illegal_status"

    assert bool(work(do, tables=desk(status=status)).changed) == legal


def test_somebody_without_an_address_gets_no_reminder() -> None:
    tables = desk()
    del tables["contacts"]["C-1"]["email"]

    def do(session: Session) -> None:
        assert failing(session, "reminders.send", id="RM-1").reason == "no_address"

    assert not work(do, tables=tables).changed
