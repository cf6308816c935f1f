from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session
from company_lab.company.deliveries import DELIVERY_MOVES


def desk(
    *sent: tuple[str, int, str],
    status: str = "released",
    lines: list[dict[str, Any]] | None = None,
    **order: Any,
) -> dict[str, Any]:
    ordered = (
        [{"item": "banner", "quantity": 4}, {"item": "stand", "quantity": 1}] if lines is None else lines
    )
    record = {"contact": "C-1", "status": status, "lines": ordered}
    return {
        "contacts": {"C-1": {"name": "Ida Holm"}},
        "orders": {"O-1": record | order},
        "deliveries": {
            f"D-{n}": {"order": "O-1", "item": item, "quantity": quantity, "status": state}
            for n, (item, quantity, state) in enumerate(sent, start=1)
        },
    }


def line(quantity: int, **fields: int) -> list[dict[str, Any]]:
    return [{"item": "banner", "quantity": quantity} | fields]


def test_what_is_sent_is_counted_line_by_line_and_never_beyond_the_order() -> None:
    def do(session: Session) -> None:
        assert (
            failing(session, "deliveries.ship", order="O-1", item="banner", quantity=5).reason
            == "exceeds_ordered"
        )
        session.call("deliveries.ship", order="O-1", item="banner", quantity=3)
        assert (
            failing(session, "deliveries.ship", order="O-1", item="banner", quantity=2).reason
            == "exceeds_ordered"
        )
        assert (
            failing(session, "deliveries.ship", order="O-1", item="sofa", quantity=1).reason == "no_such_line"
        )
        told = session.call("deliveries.list", order="O-1")
        assert (told["total"], told["missing"]) == (1, {"banner": 1, "stand": 1})

    assert work(do, tables=desk()).facts()["order_complete"] == {"O-1": False}


@pytest.mark.fault("B22")
@pytest.mark.parametrize(
    ("tables", "complete"),
    [
        (desk(("banner", 4, "shipped"), ("stand", 1, "delivered")), True),
        (desk(("banner", 4, "delivered")), False),
        (desk(("banner", 4, "shipped"), ("stand", 1, "returned")), False),
        (desk(("banner", 2, "delivered"), lines=line(4, refunded=2)), True),
        (desk(("banner", 2, "delivered"), lines=line(4, refunded=1, cancelled=1)), True),
        (desk(("banner", 2, "delivered"), lines=line(4, cancelled=1)), False),
        (desk(("banner", 5, "delivered"), lines=line(4)), False),
        (desk(lines=[]), False),
        (desk(lines=[], status="delivered"), True),
    ],
)
def test_an_order_is_closed_when_every_line_is_accounted_for(tables: dict[str, Any], complete: bool) -> None:
    def do(session: Session) -> None:
        if complete:
            assert session.call("orders.close", id="O-1")["status"] == "closed"
            assert failing(session, "orders.close", id="O-1").reason == "order_closed"
        else:
            assert failing(session, "orders.close", id="O-1").reason == "lines_missing"

    assert work(do, tables=tables).facts()["order_complete"] == {"O-1": complete}


def test_no_more_is_cancelled_than_is_missing() -> None:
    def do(session: Session) -> None:
        wanted = {"id": "O-1", "item": "banner"}
        assert failing(session, "orders.cancel_line", **wanted, quantity=2).reason == "exceeds_missing"
        session.call("orders.cancel_line", **wanted, quantity=1)
        assert failing(session, "orders.cancel_line", **wanted, quantity=1).reason == "exceeds_missing"
        gone = failing(session, "deliveries.ship", order="O-1", item="banner", quantity=1)
        assert gone.reason == "exceeds_ordered"
        assert (
            failing(session, "orders.cancel_line", id="O-1", item="sofa", quantity=1).reason == "no_such_line"
        )
        session.call("orders.close", id="O-1")
        late = failing(session, "deliveries.ship", order="O-1", item="banner", quantity=1)
        assert late.reason == "exceeds_ordered"

    work(do, tables=desk(("banner", 3, "delivered"), lines=line(4)))


@pytest.mark.parametrize(
    ("sent", "waits", "goes"),
    [(4, "after_delivery", True), (3, "after_delivery", False), (3, "at_once", True)],
)
def test_the_final_invoice_waits_for_the_goods_where_that_was_agreed(
    sent: int, waits: str, goes: bool
) -> None:
    def do(session: Session) -> None:
        args = {"contact": "C-1", "total_minor": 100, "currency": "EUR", "order": "O-1"}
        if goes:
            session.call("invoices.create", **args)
        else:
            assert failing(session, "invoices.create", **args).reason == "lines_missing"

    work(do, tables=desk(("banner", sent, "delivered"), lines=line(4), final_invoice=waits))


@pytest.mark.parametrize(("before", "then", "legal"), [*DELIVERY_MOVES.pairs()])
def test_a_delivery_moves_along_its_ways_only(before: str, then: str, legal: bool) -> None:
    if then == "shipped":
        assert not legal
        return
    event = {"at": "+1s", "id": "e", "type": "delivery.updated", "data": {"delivery": "D-1", "status": then}}
    left = work(lambda session: None, tables=desk(("banner", 1, before)), events=[event])
    record = left.record("deliveries", "D-1")
    assert record is not None
    assert record["status"] == (then if legal else before)


@pytest.mark.parametrize("status", ["cancelled", "closed"])
def test_nothing_is_sent_or_cancelled_of_an_order_that_is_closed(status: str) -> None:
    def do(session: Session) -> None:
        assert (
            failing(session, "deliveries.ship", order="O-1", item="banner", quantity=1).reason
            == "order_closed"
        )
        error = failing(session, "orders.cancel_line", id="O-1", item="banner", quantity=1)
        assert error.reason == "order_closed"

    assert not work(do, tables=desk(status=status)).changed
