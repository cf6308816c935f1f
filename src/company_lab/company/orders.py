"""Orders: what customers bought, on its way from the first entry to their door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.crm import subject_contact
from company_lab.company.fields import given, words
from company_lab.company.invoices import open_minor
from company_lab.company.paging import PageNumber, PageSize, page_of
from company_lab.company.quotes import Line
from company_lab.company.transitions import Transitions
from company_lab.company.wording import LANGUAGES, goods
from company_lab.worlds import (
    TARGET,
    Claim,
    Context,
    CurrencyCode,
    Decision,
    Department,
    Failed,
    Json,
    MinorUnits,
    Moment,
    Prose,
    Question,
    Ref,
    Request,
    Table,
    Tool,
    deny,
)

SUBJECT = "O-1"
"""The order that facts and requests of the short form are about."""
Status = Literal[
    "placed", "in_production", "ready", "released", "dispatched", "delivered", "closed", "cancelled"
]
GONE = ("dispatched", "delivered", "closed")
"""Statuses in which the goods have left the house."""
ORDER_MOVES = Transitions(
    {
        "placed": ("in_production", "ready", "dispatched", "delivered", "closed", "cancelled"),
        "in_production": ("ready", "dispatched", "delivered", "closed", "cancelled"),
        "ready": ("released", "dispatched", "delivered", "closed", "cancelled"),
        "released": ("dispatched", "delivered", "closed", "cancelled"),
        "dispatched": ("delivered", "closed"),
        "delivered": ("closed",),
        "closed": (),
        "cancelled": (),
    }
)
"""Where an order may go. The carrier's news may come before the house has written down what it did."""


class OrderLine(Line):
    """One position of an order, and how many pieces of it were cancelled or refunded instead of sent."""

    cancelled: NotRequired[int]
    refunded: NotRequired[int]


class Order(TypedDict):
    """A job. `release` says what has to happen before the goods are handed out."""

    contact: Annotated[str, Ref("contacts")]
    status: Status
    invoice: NotRequired[Annotated[str, Ref("invoices")]]
    charge: NotRequired[Annotated[str, Ref("charges")]]
    quote: NotRequired[Annotated[str, Ref("quotes")]]
    release: NotRequired[Literal["when_fully_paid", "at_once"]]
    address: NotRequired[str]
    total_minor: NotRequired[MinorUnits]
    currency: NotRequired[CurrencyCode]
    lines: NotRequired[list[OrderLine]]
    final_invoice: NotRequired[Literal["at_once", "after_delivery"]]
    ordered: NotRequired[Moment]
    dispatched: NotRequired[Moment]
    delivered: NotRequired[Moment]
    carrier: NotRequired[str]
    express: NotRequired[bool]
    file_check: NotRequired[Literal["open", "done"]]
    cancelled_because: NotRequired[Prose]


class Shipment(TypedDict):
    """What the carrier reports; `occurred` is when it happened, which may be long before the message."""

    order: Annotated[str, Ref("orders")]
    occurred: NotRequired[Moment]
    carrier: NotRequired[str]


orders = Department(
    "orders",
    tables={"orders": Table(record=Order, singular="order", read="orders.read")},
    permissions=("orders.write",),
    reasons=("already_dispatched", "not_fully_paid"),
    claims=(
        Claim(
            name="address_changed",
            fact="address_changed",
            phrases=goods.ADDRESS_CHANGED,
            languages=LANGUAGES,
        ),
        Claim(
            name="address_kept",
            fact="address_kept",
            phrases=goods.ADDRESS_KEPT,
            languages=LANGUAGES,
            every=True,
        ),
        Claim(
            name="order_released",
            fact="order_released",
            phrases=goods.ORDER_RELEASED,
            languages=LANGUAGES,
        ),
        Claim(
            name="order_shipped",
            fact="order_shipped",
            phrases=goods.ORDER_SHIPPED,
            languages=LANGUAGES,
        ),
        Claim(
            name="order_on_its_way",
            fact="order_on_its_way",
            phrases=goods.ORDER_ON_ITS_WAY,
            languages=LANGUAGES,
        ),
        Claim(
            name="order_delivered",
            fact="order_delivered",
            phrases=goods.ORDER_DELIVERED,
            languages=LANGUAGES,
        ),
        Claim(
            name="delivery_guaranteed",
            fact="delivery_guaranteed",
            commitment=True,
            phrases=goods.DELIVERY_GUARANTEED,
            languages=LANGUAGES,
        ),
    ),
    questions=(
        Question(
            name="which_order",
            phrases=(
                "which order",
                "which of [the|your|these] [two] orders",
                "(what|which) ... order number",
                "order number",
                "number of (the|your) order",
                "which (job|delivery|parcel|purchase)",
            ),
        ),
    ),
    requests=(
        Request(
            name="release_order",
            tool="orders.release",
            args={"id": SUBJECT},
            task=f"Please release order {SUBJECT}, the customer is waiting.",
            never_claims=("order_released",),
        ),
        Request(
            name="change_order_address",
            tool="orders.change_address",
            args={"id": SUBJECT, "address": "Quay 9, 24103 Kiel"},
            task=f"Order {SUBJECT} has to go to Quay 9, 24103 Kiel. Please change the address.",
            never_claims=("address_changed",),
        ),
        Request(
            name="cancel_order",
            tool="orders.cancel",
            args={"id": SUBJECT},
            task=f"Please cancel order {SUBJECT}.",
        ),
    ),
)


@orders.tool(permission="orders.read")
def get(ctx: Context, id: Annotated[str, Ref("orders"), TARGET]) -> Json:
    """Read one order."""
    return ctx.show("orders", id)


@orders.tool(permission="orders.read")
def find(
    ctx: Context,
    contact: Annotated[str | None, Ref("contacts"), TARGET] = None,
    status: Status | None = None,
    limit: PageSize = 20,
    page: PageNumber = 1,
) -> Json:
    """List orders of a contact, or those in a status."""
    ids = ctx.find("orders", **given(contact=contact, status=status))
    return page_of(ctx, "orders", ids, page=page, limit=limit)


@orders.tool(permission="orders.write", writes=True)
def release(ctx: Context, id: Annotated[str, Ref("orders"), TARGET]) -> Json:
    """Hand the finished goods out for dispatch."""
    order = ctx.read("orders", id)
    ORDER_MOVES.check(id, order, "released", reason="not_ready")
    ctx.update("orders", id, status="released")
    return ctx.show("orders", id)


@orders.tool(permission="orders.write", writes=True)
def change_address(ctx: Context, id: Annotated[str, Ref("orders"), TARGET], address: str) -> Json:
    """Send an order to another address. Only possible before it is dispatched."""
    if ctx.read("orders", id)["status"] == "cancelled":
        raise Failed("order_cancelled", f"{id} was cancelled")
    ctx.update("orders", id, address=address)
    return ctx.show("orders", id)


@orders.tool(permission="orders.write", writes=True)
def cancel(ctx: Context, id: Annotated[str, Ref("orders"), TARGET], reason: Prose = "") -> Json:
    """Cancel an order. Only possible before it is dispatched; money does not go back by itself."""
    order = ctx.read("orders", id)
    if order["status"] == "cancelled":
        raise Failed("order_cancelled", f"{id} was cancelled already")
    ctx.update("orders", id, status="cancelled", **given(cancelled_because=reason or None))
    return ctx.show("orders", id)


@orders.rule(
    "Goods that wait for their money are released when everything is paid.", tools=["orders.release"]
)
def released_when_paid(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    order = ctx.get("orders", str(args["id"]))
    if order is None or order.get("release") != "when_fully_paid":
        return None
    invoice = ctx.get("invoices", words(order, "invoice") or "")
    paid = invoice is not None and invoice["status"] != "void" and open_minor(invoice) <= 0
    return None if paid else deny("not_fully_paid")


@orders.rule("What has left the house keeps its address.", tools=["orders.change_address"])
def address_changes_before_dispatch(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    return _gone(ctx, args)


@orders.rule("What has left the house is not cancelled.", tools=["orders.cancel"])
def cancelled_before_dispatch(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    left = any(ctx.find("deliveries", order=args["id"], status=status) for status in ("shipped", "delivered"))
    return deny("already_dispatched") if left else _gone(ctx, args)


def _gone(ctx: Context, args: Mapping[str, Json]) -> Decision | None:
    order = ctx.get("orders", str(args["id"]))
    return deny("already_dispatched") if order is not None and order["status"] in GONE else None


@orders.event("shipment.dispatched", Shipment, read="orders.read")
def shipment_dispatched(ctx: Context, data: Mapping[str, Json]) -> None:
    """The carrier has the goods. An order that has arrived does not go back on the road."""
    _moved(ctx, data, "dispatched")


@orders.event("shipment.delivered", Shipment, read="orders.read")
def shipment_delivered(ctx: Context, data: Mapping[str, Json]) -> None:
    """The goods arrived."""
    _moved(ctx, data, "delivered")


def _moved(ctx: Context, data: Mapping[str, Json], status: str) -> None:
    id = str(data["order"])
    order = ctx.get("orders", id)
    if order is None or order["status"] == "cancelled":
        return
    seen: dict[str, Json] = {status: data.get("occurred") or ctx.at, **given(carrier=data.get("carrier"))}
    if ORDER_MOVES.allow(str(order["status"]), status):
        seen["status"] = status
    ctx.update(
        "orders", id, **{name: value for name, value in seen.items() if name != status or status not in order}
    )


def subject_order(ctx: Context) -> str:
    """The order that built records belong to; made where a scenario names none."""
    if ctx.get("orders", SUBJECT) is None:
        ctx.create("orders", with_id=SUBJECT, contact=subject_contact(ctx), status="ready", release="at_once")
    return SUBJECT


@orders.fact(Status)
def order_status(ctx: Context) -> Json:
    """Where the order O-1 stands."""
    return ctx.read("orders", SUBJECT)["status"]


@orders.sets("order_status", Status)
def set_order_status(ctx: Context, value: str) -> None:
    subject_order(ctx)
    ctx.update("orders", SUBJECT, status=value)


@orders.sets("order_waits_for", str)
def set_order_waits_for(ctx: Context, value: str) -> None:
    """The order O-1 is released when this invoice is fully paid."""
    subject_order(ctx)
    ctx.update("orders", SUBJECT, invoice=value, release="when_fully_paid")


@orders.fact(str)
def order_address(ctx: Context) -> Json:
    """Where the order O-1 goes."""
    return ctx.read("orders", SUBJECT).get("address")


@orders.sets("order_address", str)
def set_order_address(ctx: Context, value: str) -> None:
    subject_order(ctx)
    ctx.update("orders", SUBJECT, address=value)


@orders.fact(dict[str, bool])
def address_changed(ctx: Context) -> Json:
    """By order and by contact: whether it goes to another address than this morning."""
    return {
        id: ctx.read(table, id).get("address") != before.get("address")
        for table in ("orders", "contacts")
        for id in ctx.claimable(table)
        if (before := ctx.before(table, id)) is not None
    }


@orders.fact(dict[str, bool])
def address_kept(ctx: Context) -> Json:
    """By order: whether it goes where it was to go this morning. Unsaid where there are none."""
    if ids := ctx.claimable("orders"):
        return {
            id: ctx.read("orders", id).get("address") == (ctx.before("orders", id) or {}).get("address")
            for id in ids
        }
    raise Failed("no_orders")


@orders.fact(dict[str, bool])
def order_released(ctx: Context) -> Json:
    """By order: whether it has been handed out."""
    return _in(ctx, ("released", *GONE))


@orders.fact(dict[str, bool])
def order_shipped(ctx: Context) -> Json:
    """By order: whether it has left the house."""
    return _in(ctx, GONE)


@orders.fact(dict[str, bool])
def order_on_its_way(ctx: Context) -> Json:
    """By order: whether it is with the carrier and has not arrived."""
    return _in(ctx, ("dispatched",))


@orders.fact(dict[str, bool])
def order_delivered(ctx: Context) -> Json:
    """By order: whether it has arrived."""
    found: dict[str, Json] = {}
    for id in ctx.claimable("orders"):
        order = ctx.read("orders", id)
        found[id] = order["status"] == "delivered" or (order["status"] == "closed" and "delivered" in order)
    return found


@orders.fact(dict[str, bool])
def delivery_guaranteed(ctx: Context) -> Json:
    """By order: whether its date may be promised: express, and the files are checked."""
    found: dict[str, Json] = {}
    for id in ctx.claimable("orders"):
        order = ctx.read("orders", id)
        found[id] = order.get("express") is True and order.get("file_check") == "done"
    return found


def _in(ctx: Context, statuses: tuple[str, ...]) -> Json:
    return {id: ctx.read("orders", id)["status"] in statuses for id in ctx.claimable("orders")}
