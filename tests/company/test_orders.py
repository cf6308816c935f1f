from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

STATUSES = ("placed", "in_production", "ready", "released", "dispatched", "delivered", "cancelled")


def order(status: str = "ready", **fields: Any) -> dict[str, Any]:
    return {
        "contacts": {"C-1": {"name": "Ida Holm"}},
        "orders": {"O-1": {"contact": "C-1", "status": status, "address": "Deichweg 4"} | fields},
    }


def waiting(received: int, status: str = "partially_paid") -> dict[str, Any]:
    invoice = {
        "contact": "C-1",
        "total_minor": 100,
        "received_minor": received,
        "currency": "EUR",
        "status": status,
    }
    return order(invoice="I-1", release="when_fully_paid") | {"invoices": {"I-1": invoice}}


@pytest.mark.parametrize("status", STATUSES)
def test_only_what_is_ready_is_released(status: str) -> None:
    def do(session: Session) -> None:
        if status == "ready":
            assert session.call("orders.release", id="O-1")["status"] == "released"
        else:
            assert failing(session, "orders.release", id="O-1").reason == "not_ready"

    left = work(do, tables=order(status))
    assert bool(left.changed) == (status == "ready")
    assert left.facts()["order_released"]["O-1"] == (
        status in ("ready", "released", "dispatched", "delivered")
    )


@pytest.mark.parametrize(
    ("received", "status", "goes"), [(99, "partially_paid", False), (100, "paid", True), (100, "open", True)]
)
def test_goods_wait_until_everything_is_paid(received: int, status: str, goes: bool) -> None:
    def do(session: Session) -> None:
        if goes:
            session.call("orders.release", id="O-1")
        else:
            assert failing(session, "orders.release", id="O-1").reason == "not_fully_paid"

    assert bool(work(do, tables=waiting(received, status)).changed) == goes


def test_goods_that_wait_for_money_without_an_invoice_stay() -> None:
    def do(session: Session) -> None:
        assert failing(session, "orders.release", id="O-1").reason == "not_fully_paid"

    work(do, tables=order(release="when_fully_paid"))


@pytest.mark.parametrize("status", STATUSES)
def test_address_and_order_can_change_until_dispatch(status: str) -> None:
    gone = status in ("dispatched", "delivered")
    reason = "already_dispatched" if gone else "order_cancelled" if status == "cancelled" else None

    def do(session: Session) -> None:
        for tool, args in (("orders.change_address", {"address": "Quay 9"}), ("orders.cancel", {})):
            if reason is None:
                session.call(tool, id="O-1", **args)
            else:
                assert failing(session, tool, id="O-1", **args).reason == reason

    left = work(do, tables=order(status))
    record = left.record("orders", "O-1")
    assert record is not None
    assert record["address"] == ("Deichweg 4" if reason else "Quay 9")
    assert record["status"] == (status if reason else "cancelled")
    assert left.facts()["address_changed"]["O-1"] == (reason is None)


def shipment(kind: str, at: str, occurred: str) -> dict[str, Any]:
    data = {"order": "O-1", "occurred": f"2026-03-0{occurred}:00+01:00"}
    return {"at": at, "id": kind, "type": f"shipment.{kind}", "data": data}


@pytest.mark.fault("B03")
@pytest.mark.parametrize(("road", "door"), [("+1m", "+2m"), ("+2m", "+1m")])
def test_news_in_any_order_leaves_an_arrived_order_arrived(road: str, door: str) -> None:
    events = [shipment("dispatched", road, "1T15:00"), shipment("delivered", door, "2T07:50")]
    record = work(lambda session: None, tables=order("released"), events=events).record("orders", "O-1")
    assert record is not None
    assert record["status"] == "delivered"
    assert record["dispatched"] == "2026-03-01T15:00:00+01:00"
    assert record["delivered"] == "2026-03-02T07:50:00+01:00"


def test_a_cancelled_order_is_not_moved_by_the_carrier() -> None:
    events = [shipment("dispatched", "+1m", "1T15:00")]
    assert not work(lambda session: None, tables=order("cancelled"), events=events).changed


def test_where_a_parcel_is_follows_the_order() -> None:
    for status, shipped, on_its_way, delivered in (
        ("released", False, False, False),
        ("dispatched", True, True, False),
        ("delivered", True, False, True),
    ):
        facts = work(lambda session: None, tables=order(status)).facts()
        assert facts["order_shipped"] == {"O-1": shipped}
        assert facts["order_on_its_way"] == {"O-1": on_its_way}
        assert facts["order_delivered"] == {"O-1": delivered}


@pytest.mark.parametrize(
    ("express", "check", "may"), [(True, "done", True), (True, "open", False), (False, "done", False)]
)
def test_a_day_may_be_promised_when_express_is_booked_and_the_files_are_checked(
    express: bool, check: str, may: bool
) -> None:
    facts = work(lambda session: None, tables=order(express=express, file_check=check)).facts()
    assert facts["delivery_guaranteed"] == {"O-1": may}


def test_an_invoice_that_was_withdrawn_pays_for_nothing() -> None:
    def do(session: Session) -> None:
        session.call("invoices.withdraw", id="I-1", reason="Written twice")
        assert failing(session, "orders.release", id="O-1").reason == "not_fully_paid"

    left = work(do, tables=waiting(0, "open"))
    assert left.changed == {"invoices/I-1"}


@pytest.mark.parametrize(
    ("status", "reason"),
    [("shipped", "already_dispatched"), ("delivered", "already_dispatched"), ("returned", None)],
)
def test_an_order_of_which_pieces_have_left_is_not_cancelled(status: str, reason: str | None) -> None:
    def do(session: Session) -> None:
        if reason is None:
            session.call("orders.cancel", id="O-1")
        else:
            assert failing(session, "orders.cancel", id="O-1").reason == reason

    sent = {"order": "O-1", "item": "banner", "quantity": 1, "status": status}
    tables = order("in_production", lines=[{"item": "banner", "quantity": 4}]) | {"deliveries": {"d1": sent}}
    assert bool(work(do, tables=tables).changed) == (reason is None)
