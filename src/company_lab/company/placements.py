"""Placements: orders that the order desk enters when a customer has said yes.

This is an event of the orders department.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.orders import OrderLine, orders
from company_lab.worlds import Context, CurrencyCode, Json, MinorUnits, Ref


class Placed(TypedDict):
    """An order as the desk entered it."""

    order: str
    contact: Annotated[str, Ref("contacts")]
    quote: NotRequired[Annotated[str, Ref("quotes")]]
    lines: NotRequired[list[OrderLine]]
    total_minor: NotRequired[MinorUnits]
    currency: NotRequired[CurrencyCode]
    final_invoice: NotRequired[Literal["at_once", "after_delivery"]]
    address: NotRequired[str]


@orders.event("order.placed", Placed, brings={"order": "orders"}, read="orders.read")
def placed(ctx: Context, data: Mapping[str, Json]) -> None:
    """The desk enters an order; told a second time, it stays the order it is."""
    id = str(data["order"])
    if ctx.get("orders", id) is None:
        fields = {name: value for name, value in data.items() if name != "order"}
        ctx.create("orders", with_id=id, status="placed", ordered=ctx.at, **fields)
