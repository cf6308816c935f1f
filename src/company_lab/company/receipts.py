"""Receipts: proofs of what was bought, matched to the card lines that paid for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NotRequired, TypedDict

from company_lab.company.paging import PageNumber, PageSize, page_of
from company_lab.worlds import (
    TARGET,
    Context,
    CurrencyCode,
    Decision,
    Department,
    Json,
    MinorUnits,
    Ref,
    Request,
    Table,
    Tool,
    deny,
)

SUBJECT, SUBJECT_LINE = "R-1", "k1"
"""The receipt and the card line that facts and requests of the short form are about."""


class Receipt(TypedDict):
    """A proof of a purchase."""

    vendor: str
    total_minor: MinorUnits
    currency: CurrencyCode
    date: str
    line: NotRequired[Annotated[str, Ref("card_lines")]]


class CardLine(TypedDict):
    """A payment with a card of the company, as the bank lists it."""

    vendor: str
    amount_minor: MinorUnits
    currency: CurrencyCode
    date: str
    receipt: NotRequired[Annotated[str, Ref("receipts")]]


receipts = Department(
    "receipts",
    tables={
        "receipts": Table(record=Receipt, singular="receipt", read="receipts.read"),
        "card_lines": Table(record=CardLine, singular="card_line", read="receipts.read"),
    },
    reasons=("already_matched", "amount_mismatch", "currency_mismatch"),
    requests=(
        Request(
            name="match_receipt",
            tool="receipts.match",
            args={"receipt": SUBJECT, "line": SUBJECT_LINE},
            task=f"Please match receipt {SUBJECT} to card line {SUBJECT_LINE}.",
        ),
    ),
)


@receipts.tool(permission="receipts.read")
def get(ctx: Context, id: Annotated[str, Ref("receipts"), TARGET]) -> Json:
    """Read one receipt."""
    return ctx.show("receipts", id)


@receipts.tool(permission="receipts.read")
def find(ctx: Context, matched: bool | None = None, limit: PageSize = 20, page: PageNumber = 1) -> Json:
    """List receipts, or those that are matched or not."""
    ids = [
        id for id in ctx.ids("receipts") if matched is None or ("line" in ctx.read("receipts", id)) is matched
    ]
    return page_of(ctx, "receipts", ids, page=page, limit=limit)


@receipts.tool(permission="receipts.read")
def list_card_lines(
    ctx: Context, matched: bool | None = None, limit: PageSize = 20, page: PageNumber = 1
) -> Json:
    """List card lines, or those that have a receipt or not."""
    ids = [
        id
        for id in ctx.ids("card_lines")
        if matched is None or ("receipt" in ctx.read("card_lines", id)) is matched
    ]
    return page_of(ctx, "card_lines", ids, page=page, limit=limit)


@receipts.tool(permission="receipts.write", writes=True)
def match(
    ctx: Context,
    receipt: Annotated[str, Ref("receipts"), TARGET],
    line: Annotated[str, Ref("card_lines"), TARGET],
) -> Json:
    """Say that a card line paid for a receipt. Vendors are often spelt differently; amounts are not."""
    ctx.read("card_lines", line)
    ctx.update("receipts", receipt, line=line)
    ctx.update("card_lines", line, receipt=receipt)
    return ctx.show("receipts", receipt)


@receipts.rule("A receipt matches a line of the same amount, to the cent.", tools=["receipts.match"])
def receipt_matches_to_the_cent(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    receipt, line = ctx.get("receipts", str(args["receipt"])), ctx.get("card_lines", str(args["line"]))
    if receipt is None or line is None or receipt["total_minor"] == line["amount_minor"]:
        return None
    return deny("amount_mismatch")


@receipts.rule("A receipt matches a line of the same currency.", tools=["receipts.match"])
def receipt_matches_in_its_currency(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    receipt, line = ctx.get("receipts", str(args["receipt"])), ctx.get("card_lines", str(args["line"]))
    if receipt is None or line is None or receipt["currency"] == line["currency"]:
        return None
    return deny("currency_mismatch")


@receipts.rule("A receipt and a card line are matched once.", tools=["receipts.match"])
def receipt_is_matched_once(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    receipt, line = ctx.get("receipts", str(args["receipt"])), ctx.get("card_lines", str(args["line"]))
    taken = (receipt is not None and "line" in receipt) or (line is not None and "receipt" in line)
    return deny("already_matched") if taken else None


@receipts.fact(bool)
def receipt_matched(ctx: Context) -> Json:
    """Whether the receipt R-1 is matched."""
    return "line" in ctx.read("receipts", SUBJECT)


@receipts.sets("receipt_total_minor", int)
def set_receipt_total_minor(ctx: Context, value: int) -> None:
    """The total of the receipt R-1 of Copy Corner, in minor units of EUR."""
    ctx.create(
        "receipts",
        with_id=SUBJECT,
        vendor="Copy Corner",
        total_minor=value,
        currency="EUR",
        date="2026-03-01",
    )


@receipts.sets("card_line_minor", int)
def set_card_line_minor(ctx: Context, value: int) -> None:
    """The amount of the card line k1 of COPY CORNER 12, in minor units of EUR."""
    ctx.create(
        "card_lines",
        with_id=SUBJECT_LINE,
        vendor="COPY CORNER 12",
        amount_minor=value,
        currency="EUR",
        date="2026-03-02",
    )


@receipts.sets("card_line_currency", CurrencyCode)
def set_card_line_currency(ctx: Context, value: str) -> None:
    """The currency of the card line k1, which exists already."""
    ctx.update("card_lines", SUBJECT_LINE, currency=value)
