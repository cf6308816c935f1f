"""Processor: what the payment service itself has on record, and how the company's books follow it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NotRequired, TypedDict

from company_lab.company.fields import whole
from company_lab.company.payments import SUBJECT
from company_lab.worlds import (
    TARGET,
    Between,
    Context,
    CurrencyCode,
    Decision,
    Department,
    Failed,
    Json,
    MinorUnits,
    Ref,
    Request,
    Table,
    Tool,
    deny,
)


class ProcessorCharge(TypedDict):
    """A charge as the payment service knew it this morning, under the same id as in the company's books.

    `written_down_minor` is what the books have been told since of what they had missed.
    """

    captured_minor: MinorUnits
    refunded_minor: MinorUnits
    currency: CurrencyCode
    written_down_minor: NotRequired[MinorUnits]


processor = Department(
    "processor",
    tables={
        "processor_charges": Table(record=ProcessorCharge, singular="processor_charge", read="payments.read")
    },
    reasons=("amount_mismatch", "books_disagree"),
    requests=(
        Request(
            name="record_missing_refund",
            tool="processor.record_refund",
            args={"charge": SUBJECT, "amount_minor": 2400},
            task=f"24.00 EUR of charge {SUBJECT} went back that we never wrote down. Please write it down.",
        ),
    ),
)


@processor.tool(permission="payments.read")
def get(ctx: Context, charge: Annotated[str, Ref("charges"), TARGET]) -> Json:
    """Ask the payment service what it has on record about a charge."""
    ours = ctx.read("charges", charge)
    return {
        "charge": charge,
        "captured_minor": ours["captured_minor"],
        "refunded_minor": whole(ours, "refunded_minor") + _missed(ctx, charge),
        "currency": ours["currency"],
    }


def _missed(ctx: Context, charge: str) -> int:
    """What the payment service had given back this morning that the books still do not know, in minor units."""
    theirs, ours = ctx.get("processor_charges", charge), ctx.before("charges", charge)
    if theirs is None or ours is None:
        return 0
    return sum(
        (
            whole(theirs, "refunded_minor"),
            -whole(theirs, "written_down_minor"),
            -whole(ours, "refunded_minor"),
        )
    )


@processor.tool(permission="payments.refund", writes=True)
def record_refund(
    ctx: Context,
    charge: Annotated[str, Ref("charges"), TARGET],
    amount_minor: Annotated[MinorUnits, Between(1)],
) -> Json:
    """Write down a refund that the payment service made and the books do not know. No money moves."""
    record = ctx.read("charges", charge)
    theirs = ctx.get("processor_charges", charge)
    if theirs is None:
        raise Failed("nothing_missing", f"the payment service knows nothing else about {charge}")
    ctx.update("charges", charge, refunded_minor=whole(record, "refunded_minor") + amount_minor)
    written = whole(theirs, "written_down_minor") + amount_minor
    ctx.update("processor_charges", charge, written_down_minor=written)
    return ctx.show("charges", charge)


@processor.rule(
    "While books and payment service disagree about a charge, nothing goes back.", tools=["payments.refund"]
)
def books_agree_before_a_refund(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    return deny("books_disagree") if _missed(ctx, str(args["charge"])) else None


@processor.rule("What is written down is what the payment service made.", tools=["processor.record_refund"])
def recorded_refund_was_made(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    charge = str(args["charge"])
    if ctx.get("processor_charges", charge) is None or args["amount_minor"] == _missed(ctx, charge):
        return None
    return deny("amount_mismatch")


@processor.sets("processor_refunded_minor", int)
def set_processor_refunded_minor(ctx: Context, value: int) -> None:
    """What the payment service gave back on the charge ch_1, which exists already."""
    charge = ctx.read("charges", SUBJECT)
    ctx.create(
        "processor_charges",
        with_id=SUBJECT,
        captured_minor=charge["captured_minor"],
        refunded_minor=value,
        currency=charge["currency"],
    )
