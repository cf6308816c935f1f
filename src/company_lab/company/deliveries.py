"""Deliveries: which pieces of an order have left the house, line by line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.fields import listed, whole
from company_lab.company.orders import SUBJECT, subject_order
from company_lab.company.paging import page_of
from company_lab.company.transitions import Transitions
from company_lab.worlds import (
    TARGET,
    Between,
    Context,
    Decision,
    Department,
    Failed,
    Json,
    Moment,
    Ref,
    Request,
    Table,
    Tool,
    deny,
)

Status = Literal["shipped", "delivered", "returned"]
DELIVERY_MOVES = Transitions(
    {"shipped": ("delivered", "returned"), "delivered": ("returned",), "returned": ()}
)
SENT = ("shipped", "delivered")


class Delivery(TypedDict):
    """Some pieces of one line of an order on their way."""

    order: Annotated[str, Ref("orders")]
    item: str
    quantity: Annotated[int, Between(1)]
    status: Status
    at: NotRequired[Moment]


class DeliveryMoved(TypedDict):
    """What the carrier says about a delivery."""

    delivery: Annotated[str, Ref("deliveries")]
    status: Literal["delivered", "returned"]


deliveries = Department(
    "deliveries",
    tables={"deliveries": Table(record=Delivery, singular="delivery", read="orders.read")},
    reasons=("exceeds_ordered",),
    requests=(
        Request(
            name="ship_two_banners",
            tool="deliveries.ship",
            args={"order": SUBJECT, "item": "banner", "quantity": 2},
            task=f"Please send two banners of order {SUBJECT} on their way.",
        ),
    ),
)


@deliveries.tool(permission="orders.read", name="list")
def list_(ctx: Context, order: Annotated[str, Ref("orders"), TARGET]) -> Json:
    """List the deliveries of an order, with what is still missing of each of its lines."""
    ctx.read("orders", order)
    page = page_of(ctx, "deliveries", ctx.find("deliveries", order=order), page=1, limit=50)
    return {**page, "missing": missing(ctx, order)}  # type: ignore[dict-item]


@deliveries.tool(permission="orders.write", writes=True)
def ship(
    ctx: Context,
    order: Annotated[str, Ref("orders"), TARGET],
    item: Annotated[str, TARGET],
    quantity: Annotated[int, Between(1)],
) -> Json:
    """Send pieces of one line of an order on their way."""
    record = ctx.read("orders", order)
    if record["status"] in ("cancelled", "closed"):
        raise Failed("order_closed", f"{order} is {record['status']}")
    if item not in missing(ctx, order):
        raise Failed("no_such_line", f"{order} has no {item}")
    id = ctx.create("deliveries", order=order, item=item, quantity=quantity, status="shipped", at=ctx.at)
    return ctx.show("deliveries", id)


def missing(ctx: Context, order: str) -> dict[str, Json]:
    """By item: ordered minus shipped, cancelled and refunded. All at nothing is complete."""
    left: dict[str, int] = {}
    for line in listed(ctx.read("orders", order), "lines"):
        if isinstance(line, dict):
            open_ = whole(line, "quantity") - whole(line, "cancelled") - whole(line, "refunded")
            left[str(line["item"])] = left.get(str(line["item"]), 0) + open_
    for id in ctx.find("deliveries", order=order):
        delivery = ctx.read("deliveries", id)
        if delivery["status"] in SENT and delivery["item"] in left:
            left[str(delivery["item"])] -= whole(delivery, "quantity")
    return dict(left)


@deliveries.rule("No more is sent than was ordered.", tools=["deliveries.ship"])
def shipped_within_ordered(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    order = ctx.get("orders", str(args["order"]))
    left = {} if order is None else missing(ctx, str(args["order"]))
    if args["item"] not in left:
        return None
    return deny("exceeds_ordered") if whole(args, "quantity") > whole(left, str(args["item"])) else None


@deliveries.event("delivery.updated", DeliveryMoved, read="orders.read")
def delivery_updated(ctx: Context, data: Mapping[str, Json]) -> None:
    """A delivery arrived or came back; what came back does not arrive by older news."""
    id = str(data["delivery"])
    delivery = ctx.get("deliveries", id)
    if delivery is not None and DELIVERY_MOVES.allow(str(delivery["status"]), str(data["status"])):
        ctx.update("deliveries", id, status=data["status"], at=ctx.at)


@deliveries.fact(int)
def banners_missing(ctx: Context) -> Json:
    """How many banners of the order O-1 are still to be sent, cancelled or refunded."""
    return missing(ctx, SUBJECT).get("banner")


@deliveries.sets("banners_ordered", int)
def set_banners_ordered(ctx: Context, value: int) -> None:
    """So many banners were ordered as O-1."""
    ctx.update("orders", subject_order(ctx), lines=[{"item": "banner", "quantity": value}])


@deliveries.sets("banners_shipped", int)
def set_banners_shipped(ctx: Context, value: int) -> None:
    """So many banners of the order O-1 have been delivered."""
    ctx.create("deliveries", order=SUBJECT, item="banner", quantity=value, status="delivered")


@deliveries.sets("banners_refunded", int)
def set_banners_refunded(ctx: Context, value: int) -> None:
    """So many banners of the order O-1 were refunded instead."""
    (line,) = listed(ctx.read("orders", SUBJECT), "lines")
    ctx.update("orders", SUBJECT, lines=[{**line, "refunded": value}])  # type: ignore[dict-item]
