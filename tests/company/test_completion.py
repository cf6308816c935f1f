from __future__ import annotations

from typing import Any

from company_desk import work
from company_lab.agents.protocol import Session

LINES = [{"item": "banner", "quantity": 2}]
TABLES: dict[str, Any] = {
    "contacts": {"C-1": {"name": "June"}},
    "orders": {id: {"contact": "C-1", "status": "placed", "lines": LINES} for id in ("O-1", "O-2", "O-3")},
}


def test_an_order_is_cancelled_as_a_whole_or_in_part() -> None:
    def do(session: Session) -> None:
        session.call("orders.cancel", id="O-1")
        session.call("orders.cancel_line", id="O-2", item="banner", quantity=1)

    assert work(do, tables=TABLES).facts()["order_cancelled"] == {"O-1": True, "O-2": True, "O-3": False}
