"""Every status of the money side moves along its declared ways and along no other."""

from __future__ import annotations

from typing import Any

import pytest

from company_desk import Left, work
from company_lab.agents.protocol import Session, ToolError
from company_lab.company.invoices import INVOICE_MOVES
from company_lab.company.ledger import POSTING_MOVES
from company_lab.company.orders import ORDER_MOVES
from company_lab.company.payouts import PAYOUT_MOVES
from company_lab.company.quotes import QUOTE_MOVES
from company_lab.company.transitions import Transitions

CONTACT = {"contacts": {"C-1": {"name": "Ida Holm", "email": "ida@holm.example.test"}}}
PEOPLE = {"lead": {"approves": ("quotes.revise",)}}


def after(
    tables: dict[str, Any],
    table: str,
    id: str,
    *,
    tool: str | None = None,
    args: dict[str, Any] | None = None,
    event: str | None = None,
    data: dict[str, Any] | None = None,
) -> str:
    """The status a record has when one tool was tried, or one event has come."""

    def do(session: Session) -> None:
        if tool is not None:
            try:
                session.call(tool, **(args or {}))
            except ToolError:
                return

    events = [] if event is None else [{"at": "+1s", "id": "e", "type": event, "data": data or {}}]
    left: Left = work(do, tables=CONTACT | tables, events=events, people=PEOPLE, sender="lead")
    record = left.record(table, id)
    assert record is not None
    return str(record["status"])


def lands(moves: Transitions, before: str, then: str) -> str:
    return then if moves.allow(before, then) else before


@pytest.mark.parametrize("before", ORDER_MOVES.moves)
@pytest.mark.parametrize(
    ("then", "tool"),
    [
        ("released", "orders.release"),
        ("closed", "orders.close"),
        ("cancelled", "orders.cancel"),
        ("dispatched", None),
        ("delivered", None),
    ],
)
def test_an_order(before: str, then: str, tool: str | None) -> None:
    line = {"item": "banner", "quantity": 1, "refunded": 1}
    tables = {"orders": {"O-1": {"contact": "C-1", "status": before, "lines": [line]}}}
    event = None if tool is not None else f"shipment.{then}"
    status = after(tables, "orders", "O-1", tool=tool, args={"id": "O-1"}, event=event, data={"order": "O-1"})
    assert status == lands(ORDER_MOVES, before, then)


@pytest.mark.parametrize("before", INVOICE_MOVES.moves)
@pytest.mark.parametrize(("then", "tool"), [("paid", "invoices.mark_paid"), ("void", "invoices.withdraw")])
def test_an_invoice(before: str, then: str, tool: str) -> None:
    received = {"partially_paid": 50, "paid": 100}.get(before, 0)
    invoice = {
        "contact": "C-1",
        "total_minor": 100,
        "received_minor": received,
        "currency": "EUR",
        "status": before,
    }
    approval = {"tool": "invoices.mark_paid", "args": {"id": "I-1"}, "status": "approved", "uses_left": 1}
    tables = {"invoices": {"I-1": invoice}, "approvals": {"AP-1": approval}}
    status = after(tables, "invoices", "I-1", tool=tool, args={"id": "I-1", "reason": "x"})
    assert status == lands(INVOICE_MOVES, before, then)


@pytest.mark.parametrize("before", QUOTE_MOVES.moves)
@pytest.mark.parametrize(
    ("then", "tool", "event"),
    [
        ("sent", "quotes.send", None),
        ("draft", "quotes.revise", None),
        ("withdrawn", "quotes.withdraw", None),
        ("draft", None, "quote.revised"),
        ("accepted", None, "quote.accepted"),
    ],
)
def test_a_quote(before: str, then: str, tool: str | None, event: str | None) -> None:
    quote = {
        "contact": "C-1",
        "version": 1,
        "approved_version": 1,
        "sent_version": 1,
        "total_minor": 100,
        "currency": "EUR",
        "status": before,
    }
    args = {"id": "Q-1"} | ({"total_minor": 100} if tool == "quotes.revise" else {})
    data = {"quote": "Q-1", "version": 2 if event == "quote.revised" else 1}
    status = after({"quotes": {"Q-1": quote}}, "quotes", "Q-1", tool=tool, args=args, event=event, data=data)
    assert status == lands(QUOTE_MOVES, before, then)


@pytest.mark.parametrize(
    ("version", "sent", "accepted", "status"),
    [(2, 2, 2, "accepted"), (2, 2, 1, "sent"), (2, 1, 1, "sent"), (2, 1, 2, "sent")],
)
def test_only_the_version_that_was_sent_and_stands_is_accepted(
    version: int, sent: int, accepted: int, status: str
) -> None:
    quote = {
        "contact": "C-1",
        "version": version,
        "approved_version": version,
        "sent_version": sent,
        "total_minor": 100,
        "currency": "EUR",
        "status": "sent",
    }
    data = {"quote": "Q-1", "version": accepted}
    assert after({"quotes": {"Q-1": quote}}, "quotes", "Q-1", event="quote.accepted", data=data) == status


@pytest.mark.parametrize("before", PAYOUT_MOVES.moves)
@pytest.mark.parametrize("then", ["paid", "failed"])
def test_a_payout(before: str, then: str) -> None:
    payout = {"gross_minor": 5, "fees_minor": 1, "net_minor": 4, "currency": "EUR", "status": before}
    status = after(
        {"payouts": {"po_1": payout}}, "payouts", "po_1", event=f"payout.{then}", data={"payout": "po_1"}
    )
    assert status == lands(PAYOUT_MOVES, before, then)


@pytest.mark.parametrize("before", POSTING_MOVES.moves)
def test_a_posting(before: str) -> None:
    sides = [{"account": "1", "debit_minor": 5}, {"account": "1", "credit_minor": 5}]
    tables = {
        "ledger_accounts": {"1": {"name": "Bank", "kind": "asset", "currency": "EUR"}},
        "postings": {"P-1": {"entries": sides, "text": "x", "status": before}},
    }
    status = after(tables, "postings", "P-1", tool="ledger.reverse", args={"id": "P-1", "reason": "x"})
    assert status == lands(POSTING_MOVES, before, "reversed")
