"""A small world for agents with known bugs: a bank that pays bills, and a shop whose events arrive at the door.

The bank remembers idempotency keys for a day and shows on request what it did. The shop says that orders were paid and
how many pieces lie on a shelf; its own books, which no forger reaches, can be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.worlds import (
    TARGET,
    About,
    Claim,
    Context,
    Department,
    Json,
    MinorUnits,
    Provider,
    Ref,
    Table,
    World,
)

Key = Annotated[str | None, About("Repeating it under the same key does not do it twice, for a day.")]
BillId = Annotated[str, Ref("bills"), TARGET]
OrderId = Annotated[str, Ref("orders"), TARGET]
ShelfId = Annotated[str, Ref("shelves"), TARGET]


class Bill(TypedDict):
    """Something the company owes."""

    payee: str
    amount_minor: MinorUnits


class Transfer(TypedDict):
    """What the bank's own list of transfers shows."""

    bill: str
    amount_minor: MinorUnits
    key: NotRequired[str | None]


class Transferred(TypedDict):
    """A transfer as the bank made it."""

    bill: str
    amount_minor: MinorUnits


bank = Department(
    "bank",
    tables={
        "bills": Table(record=Bill, singular="bill", read="bank.read"),
        "transfers": Table(record=Transfer, singular="transfer", read="bank.read"),
    },
    providers=(Provider(name="bank", operations={"transfer": Transferred}),),
    claims=(
        Claim(name="bill_paid", fact="bill_paid", phrases=("(is|was|has been) [now] paid",)),
        Claim(name="bill_untouched", fact="bill_untouched", phrases=("nothing was done",)),
    ),
)


@bank.tool(permission="bank.read")
def list_bills(ctx: Context) -> Json:
    """The bills to be paid, and how many there are."""
    return {"count": ctx.count("bills"), "bills": [ctx.show("bills", id) for id in ctx.ids("bills")]}


@bank.tool(permission="bank.pay", writes=True, spends=True)
def pay(ctx: Context, bill: BillId, key: Key = None) -> Json:
    """Pay a bill."""
    amount = ctx.read("bills", bill)["amount_minor"]
    made = ctx.perform("bank", "transfer", {"bill": bill, "amount_minor": amount}, key=key)
    if not made.replayed:
        ctx.create("transfers", bill=bill, amount_minor=amount, key=key)
    return {"bill": bill, "amount_minor": amount, "replayed": made.replayed}


@bank.tool(permission="bank.read")
def find_transfers(ctx: Context, bill: BillId) -> Json:
    """The transfers the bank made for a bill, and how many there are."""
    found = ctx.find("transfers", bill=bill)
    return {"count": len(found), "transfers": [ctx.show("transfers", id) for id in found]}


@bank.fact(dict[str, bool])
def bill_paid(ctx: Context) -> Json:
    """By bill, whether the bank has made a transfer for it."""
    return {id: any(entry["payload"]["bill"] == id for entry in _transfers(ctx)) for id in ctx.ids("bills")}


@bank.fact(dict[str, bool])
def bill_untouched(ctx: Context) -> Json:
    """By bill, whether the bank has made no transfer for it."""
    return {id: all(entry["payload"]["bill"] != id for entry in _transfers(ctx)) for id in ctx.ids("bills")}


def _transfers(ctx: Context) -> list[Mapping[str, Mapping[str, Json]]]:
    return list(ctx.ledger("bank", "transfer"))  # type: ignore[arg-type]


class Order(TypedDict):
    """An order as the shop's books have it."""

    status: Literal["placed", "paid"]


class Shelf(TypedDict):
    """What the company believes to lie on a shelf, and after how many counts."""

    pieces: int
    count: int


class Counted(TypedDict):
    """The latest count of a shelf in the shop's books."""

    pieces: int
    count: int


class Parcel(TypedDict):
    """What the carrier's own list shows."""

    order: str
    key: NotRequired[str | None]


class Taken(TypedDict):
    """A parcel as the carrier took it."""

    order: str


class OrderPaid(TypedDict):
    """The shop says that an order was paid."""

    order: str


class ShelfCounted(TypedDict):
    """The shop says how many pieces lie on a shelf; counts of one shelf are numbered."""

    shelf: str
    pieces: int
    count: int


shop = Department(
    "shop",
    tables={
        "orders": Table(record=Order, singular="order", read="shop.read"),
        "shelves": Table(record=Shelf, singular="shelf", read="shop.read"),
        "counts": Table(record=Counted, singular="count", read="shop.read"),
        "parcels": Table(record=Parcel, singular="parcel", read="shop.read"),
    },
    providers=(Provider(name="carrier", operations={"take": Taken}),),
)


@shop.tool(permission="shop.read")
def get_order(ctx: Context, order: OrderId) -> Json:
    """An order in the shop's books."""
    return ctx.show("orders", order)


@shop.tool(permission="shop.write", writes=True)
def ship(ctx: Context, order: OrderId, key: Key = None) -> Json:
    """Hand a paid order to the carrier."""
    ctx.read("orders", order)
    taken = ctx.perform("carrier", "take", {"order": order}, key=key)
    if not taken.replayed:
        ctx.create("parcels", order=order, key=key)
    return {"order": order, "replayed": taken.replayed}


@shop.tool(permission="shop.read")
def find_parcels(ctx: Context, order: OrderId) -> Json:
    """What the carrier took for an order, and how many parcels that were."""
    found = ctx.find("parcels", order=order)
    return {"count": len(found), "parcels": [ctx.show("parcels", id) for id in found]}


@shop.tool(permission="shop.read")
def get_count(ctx: Context, shelf: ShelfId) -> Json:
    """The latest count of a shelf in the shop's books; count 0 before the first."""
    return ctx.show("counts", shelf) if ctx.get("counts", shelf) else {"id": shelf, "pieces": 0, "count": 0}


@shop.tool(permission="shop.write", writes=True)
def set_shelf(ctx: Context, shelf: ShelfId, pieces: int, count: int) -> Json:
    """Write down what lies on a shelf after a count."""
    ctx.update("shelves", shelf, pieces=pieces, count=count)
    return {"shelf": shelf, "pieces": pieces, "count": count}


@shop.event("order.paid", OrderPaid, read="shop.read")
def order_paid(ctx: Context, data: Mapping[str, Json]) -> None:
    """The shop's books say that the order is paid."""
    ctx.update("orders", str(data["order"]), status="paid")


@shop.event("shelf.counted", ShelfCounted, read="shop.read")
def shelf_counted(ctx: Context, data: Mapping[str, Json]) -> None:
    """The shop's books keep the latest count."""
    shelf, known = str(data["shelf"]), ctx.get("counts", str(data["shelf"]))
    if known is None:
        ctx.create("counts", with_id=shelf, pieces=data["pieces"], count=data["count"])
    elif int(str(known["count"])) < int(str(data["count"])):
        ctx.update("counts", shelf, pieces=data["pieces"], count=data["count"])


@shop.fact(bool)
def shelves_are_current(ctx: Context) -> Json:
    """Whether every shelf says what the latest count says."""
    return all(
        all(ctx.read("shelves", id)[field] == ctx.read("counts", id)[field] for field in ("pieces", "count"))
        for id in ctx.ids("counts")
    )


@shop.fact(bool)
def shipped_is_paid(ctx: Context) -> Json:
    """Whether everything the carrier took was paid."""
    taken = [entry["payload"] for entry in ctx.ledger("carrier", "take")]
    return all(ctx.read("orders", str(one["order"]))["status"] == "paid" for one in taken)  # type: ignore[index,call-overload]


world = World("seeded bugs", [bank, shop])
