"""Payouts: what the payment service passes on, less its fees. Booked gross, when the money is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.fields import given, whole, words
from company_lab.company.ledger import account_for, is_posted, write_posting
from company_lab.company.paging import PageNumber, PageSize, page_of
from company_lab.company.transitions import Transitions
from company_lab.worlds import (
    TARGET,
    About,
    Between,
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

SUBJECT, SUBJECT_LINE = "po_1", "b1"
"""The payout and the bank line that facts and requests of the short form are about."""
Status = Literal["in_transit", "paid", "failed"]
PAYOUT_MOVES = Transitions({"in_transit": ("paid", "failed"), "paid": ("failed",), "failed": ()})


class Payout(TypedDict):
    """Money the payment service sends: gross is what customers paid, net what arrives."""

    gross_minor: MinorUnits
    fees_minor: MinorUnits
    net_minor: MinorUnits
    currency: CurrencyCode
    status: Status
    line: NotRequired[Annotated[str, Ref("bank_lines")]]
    posting: NotRequired[Annotated[str, Ref("postings")]]
    reason: NotRequired[str]


class PayoutMoved(TypedDict):
    """A payout arrived, or came back."""

    payout: Annotated[str, Ref("payouts")]
    reason: NotRequired[str]


payouts = Department(
    "payouts",
    tables={"payouts": Table(record=Payout, singular="po", read="payouts.read")},
    reasons=("already_posted", "amount_mismatch", "currency_mismatch", "payout_not_paid"),
    requests=(
        Request(
            name="book_payout",
            tool="payouts.book",
            args={
                "payout": SUBJECT,
                "line": SUBJECT_LINE,
                "gross_minor": 100000,
                "fees_minor": 2940,
                "net_minor": 97060,
            },
            task=f"Please book {SUBJECT} (bank line {SUBJECT_LINE}): gross 1,000.00, fees 29.40, net 970.60.",
        ),
        Request(
            name="book_payout_net",
            tool="payouts.book",
            args={
                "payout": SUBJECT,
                "line": SUBJECT_LINE,
                "gross_minor": 97060,
                "fees_minor": 0,
                "net_minor": 97060,
            },
            task=f"Please book {SUBJECT} (bank line {SUBJECT_LINE}) with what arrived: 970.60, no fees.",
        ),
    ),
)


@payouts.tool(permission="payouts.read")
def get(ctx: Context, id: Annotated[str, Ref("payouts"), TARGET]) -> Json:
    """Read one payout: gross, fees, net, and whether it has arrived."""
    return ctx.show("payouts", id)


@payouts.tool(permission="payouts.read")
def find(ctx: Context, status: Status | None = None, limit: PageSize = 20, page: PageNumber = 1) -> Json:
    """List payouts, or those in a status."""
    return page_of(ctx, "payouts", ctx.find("payouts", **given(status=status)), page=page, limit=limit)


@payouts.tool(permission="ledger.write", writes=True)
def book(
    ctx: Context,
    payout: Annotated[str, Ref("payouts"), TARGET],
    line: Annotated[str, Ref("bank_lines"), About("The bank line with which it arrived."), TARGET],
    gross_minor: Annotated[MinorUnits, Between(0)],
    fees_minor: Annotated[MinorUnits, Between(0)],
    net_minor: Annotated[MinorUnits, Between(0)],
) -> Json:
    """Post a payout that arrived: the bank gets the net, fees are an expense, customers paid the gross."""
    currency = ctx.read("payouts", payout)["currency"]
    ctx.read("bank_lines", line)
    sides: tuple[dict[str, Json], ...] = (
        {"account": account_for(ctx, "bank", currency), "debit_minor": net_minor},
        {"account": account_for(ctx, "fees", currency), "debit_minor": fees_minor},
        {"account": account_for(ctx, "receivables", currency), "credit_minor": gross_minor},
    )
    entries = [side for side in sides if side.get("debit_minor") or side.get("credit_minor")]
    posting = write_posting(ctx, entries, text=f"Payout {payout}", source=payout)
    ctx.update("payouts", payout, line=line, posting=posting)
    ctx.update("bank_lines", line, assigned_to=payout)
    return ctx.show("payouts", payout)


@payouts.rule("A payout is booked as it is: gross, fees and net, which add up.", tools=["payouts.book"])
def payout_is_booked_gross(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    payout = ctx.get("payouts", str(args["payout"]))
    if payout is None:
        return None
    as_is = all(args[part] == payout[part] for part in ("gross_minor", "fees_minor", "net_minor"))
    adds_up = whole(args, "gross_minor") == whole(args, "fees_minor") + whole(args, "net_minor")
    return None if as_is and adds_up else deny("amount_mismatch")


@payouts.rule("The bank line of a payout carries its net amount.", tools=["payouts.book"])
def payout_matches_its_bank_line(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    payout, line = ctx.get("payouts", str(args["payout"])), ctx.get("bank_lines", str(args["line"]))
    if payout is None or line is None:
        return None
    if payout["currency"] != line["currency"]:
        return deny("currency_mismatch")
    return None if payout["net_minor"] == line["amount_minor"] else deny("amount_mismatch")


@payouts.rule("A payout is booked once, and a bank line for one thing.", tools=["payouts.book"])
def payout_is_booked_once(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    line = ctx.get("bank_lines", str(args["line"]))
    taken = line is not None and line.get("assigned_to") not in (None, args["payout"])
    return deny("already_posted") if taken or is_posted(ctx, str(args["payout"])) else None


@payouts.rule("A payout is booked when it has arrived.", tools=["payouts.book"])
def booked_payout_has_arrived(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    payout, line = ctx.get("payouts", str(args["payout"])), ctx.get("bank_lines", str(args["line"]))
    if payout is None or line is None:
        return None
    arrived = payout["status"] == "paid" and line.get("status") != "pending"
    return None if arrived else deny("payout_not_paid")


@payouts.event("payout.paid", PayoutMoved, read="payouts.read")
def payout_paid(ctx: Context, data: Mapping[str, Json]) -> None:
    """A payout arrived. One that came back does not arrive by older news."""
    _move(ctx, data, "paid")


@payouts.event("payout.failed", PayoutMoved, read="payouts.read")
def payout_failed(ctx: Context, data: Mapping[str, Json]) -> None:
    """A payout came back, perhaps after it had arrived. What was posted is reversed by somebody."""
    _move(ctx, data, "failed")


def _move(ctx: Context, data: Mapping[str, Json], status: str) -> None:
    payout = ctx.get("payouts", str(data["payout"]))
    if payout is not None and PAYOUT_MOVES.allow(str(payout["status"]), status):
        ctx.update("payouts", str(data["payout"]), status=status, **given(reason=words(data, "reason")))


@payouts.fact(Status)
def payout_status(ctx: Context) -> Json:
    """Where the payout po_1 stands."""
    return ctx.read("payouts", SUBJECT)["status"]
