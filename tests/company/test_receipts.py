from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session


def desk(
    amount: int = 8450, currency: str = "EUR", vendor: str = "COPY CORNER 12", **taken: Any
) -> dict[str, Any]:
    receipt = {"vendor": "Copy Corner", "total_minor": 8450, "currency": "EUR", "date": "2026-03-01"}
    line = {"vendor": vendor, "amount_minor": amount, "currency": currency, "date": "2026-03-02"}
    return {"receipts": {"R-1": receipt | taken}, "card_lines": {"k1": line}}


@pytest.mark.parametrize(
    ("tables", "reason"),
    [
        (desk(), None),
        (desk(vendor="SumUp *CC"), None),
        (desk(4850), "amount_mismatch"),
        (desk(8449), "amount_mismatch"),
        (desk(currency="CHF"), "currency_mismatch"),
        (desk(line="k9") | {"card_lines": desk()["card_lines"]}, "already_matched"),
    ],
)
def test_a_receipt_matches_to_the_cent_once(tables: dict[str, Any], reason: str | None) -> None:
    def do(session: Session) -> None:
        if reason is None:
            session.call("receipts.match", receipt="R-1", line="k1")
            assert session.call("receipts.find", matched=False)["total"] == 0
            assert session.call("receipts.list_card_lines", matched=True)["total"] == 1
            again = failing(session, "receipts.match", receipt="R-1", line="k1")
            assert again.reason == "already_matched"
        else:
            assert failing(session, "receipts.match", receipt="R-1", line="k1").reason == reason
            assert session.call("receipts.get", id="R-1")["total_minor"] == 8450

    assert work(do, tables=tables).changed == (set() if reason else {"receipts/R-1", "card_lines/k1"})


def test_what_is_not_there_is_not_matched() -> None:
    def do(session: Session) -> None:
        assert failing(session, "receipts.match", receipt="R-1", line="k7").reason == "not_found"
        assert failing(session, "receipts.match", receipt="R-7", line="k1").reason == "not_found"

    assert not work(do, tables=desk()).changed
