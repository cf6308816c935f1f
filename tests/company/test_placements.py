from __future__ import annotations

from company_desk import work
from company_lab.agents.protocol import Session

CONTACTS = {"contacts": {"C-1": {"name": "Ida Holm"}}}


def placed(order: str = "O-9", at: str = "+0s", **more: object) -> dict[str, object]:
    return {
        "at": at,
        "id": f"evt_{order}_{len(at)}{at[1]}",
        "type": "order.placed",
        "data": {"order": order, "contact": "C-1", **more},
    }


def test_the_desk_enters_an_order_that_is_placed_now() -> None:
    def do(session: Session) -> None:
        assert session.call("orders.get", id="O-9")["status"] == "placed"

    left = work(
        do, tables=CONTACTS, events=[placed(total_minor=4200, currency="EUR", final_invoice="after_delivery")]
    )
    record = left.record("orders", "O-9")
    assert record is not None
    assert (record["contact"], record["total_minor"], record["final_invoice"]) == (
        "C-1",
        4200,
        "after_delivery",
    )
    assert record["ordered"].startswith("20")


def test_the_same_order_told_again_stays_what_it_has_become() -> None:
    def do(session: Session) -> None:
        session.call("orders.cancel", id="O-9")
        session.call("clock.wait", duration="5m")

    left = work(do, tables=CONTACTS, events=[placed(), placed(at="+2m", total_minor=1)])
    record = left.record("orders", "O-9")
    assert record is not None
    assert record["status"] == "cancelled"
    assert "total_minor" not in record
