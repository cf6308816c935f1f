from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

CHART = {
    "ledger_accounts": {
        "1200": {"name": "Bank", "kind": "asset", "currency": "EUR"},
        "1400": {"name": "Receivables", "kind": "asset", "currency": "EUR"},
        "1210": {"name": "Bank in francs", "kind": "asset", "currency": "CHF"},
        "1410": {"name": "Receivables in francs", "kind": "asset", "currency": "CHF"},
    }
}


def entries(debit: int, credit: int, *, to: str = "1200", by: str = "1400") -> list[dict[str, Any]]:
    return [{"account": to, "debit_minor": debit}, {"account": by, "credit_minor": credit}]


def posted(status: str = "posted", **fields: Any) -> dict[str, Any]:
    posting = {"entries": entries(500, 500), "text": "pay_1", "status": status, "source": "pay_1"}
    return CHART | {"postings": {"P-1": posting | fields}}


@pytest.mark.parametrize(
    ("sides", "reason"),
    [
        (entries(500, 500), None),
        (entries(500, 499), "unbalanced"),
        (entries(0, 0), "unbalanced"),
        ([], "unbalanced"),
        ([{"account": "1200", "debit_minor": 5, "credit_minor": 5}], None),
        (entries(500, 500, by="1410"), "unbalanced"),
        (entries(500, 500) + entries(7, 7, to="1210", by="1410"), None),
        (entries(500, 500, by="9999"), "unknown_account"),
    ],
)
def test_a_posting_balances_in_every_currency(sides: list[dict[str, Any]], reason: str | None) -> None:
    def do(session: Session) -> None:
        if reason is None:
            assert session.call("ledger.post", entries=sides, text="x")["status"] == "posted"
        else:
            assert failing(session, "ledger.post", entries=sides, text="x").reason == reason

    assert bool(work(do, tables=CHART).changed) == (reason is None)


def test_a_negative_side_is_no_side() -> None:
    def do(session: Session) -> None:
        assert failing(session, "ledger.post", entries=entries(-5, -5), text="x").code == "bad_arguments"

    work(do, tables=CHART)


def test_a_record_is_posted_once_and_again_only_after_a_reversal() -> None:
    def do(session: Session) -> None:
        again = {"entries": entries(500, 500), "text": "pay_1", "source": "pay_1"}
        assert failing(session, "ledger.post", **again).reason == "already_posted"
        back = session.call("ledger.reverse", id="P-1", reason="Wrong account")
        assert back["reverses"] == "P-1"
        assert session.call("ledger.balance", account="1200")["balance_minor"] == 0
        session.call("ledger.post", **again)
        assert session.call("ledger.balance", account="1200")["balance_minor"] == 500
        assert session.call("ledger.find", source="pay_1")["total"] == 2
        for id in ("P-1", "posting_1"):
            assert failing(session, "ledger.reverse", id=id, reason="Oops").reason == "already_reversed"

    work(do, tables=posted())


@pytest.mark.parametrize(("status", "may"), [("draft", True), ("posted", False), ("reversed", False)])
def test_only_a_draft_is_edited(status: str, may: bool) -> None:
    def do(session: Session) -> None:
        if may:
            session.call("ledger.edit", id="P-1", entries=entries(50, 50))
            assert failing(session, "ledger.edit", id="P-1", entries=entries(50, 51)).reason == "unbalanced"
        else:
            error = failing(session, "ledger.edit", id="P-1", entries=entries(50, 50))
            assert error.reason == "posting_stands"

    assert bool(work(do, tables=posted(status)).changed) == may


def test_a_draft_counts_for_nothing_and_can_not_be_reversed() -> None:
    def do(session: Session) -> None:
        assert session.call("ledger.balance", account="1200")["balance_minor"] == 0
        assert failing(session, "ledger.reverse", id="P-1", reason="Oops").reason == "not_posted"
        assert session.call("ledger.get", id="P-1")["status"] == "draft"

    work(do, tables=posted("draft"))
