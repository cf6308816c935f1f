"""Disputes: what a customer's bank asks back, and how such a case moves until it is decided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.approvals import covering
from company_lab.company.fields import given, whole, words
from company_lab.company.payments import SUBJECT
from company_lab.company.transitions import Transitions
from company_lab.formats.time import parse_moment
from company_lab.worlds import (
    TARGET,
    About,
    Context,
    Decision,
    Department,
    Failed,
    Json,
    MinorUnits,
    Moment,
    Prose,
    Ref,
    Request,
    Tool,
    deny,
    hold,
    under,
)

Status = Literal["needs_response", "under_review", "won", "lost"]
DECIDED = ("won", "lost")
DISPUTE_MOVES = Transitions(
    {
        "needs_response": ("under_review", "won", "lost"),
        "under_review": ("won", "lost"),
        "won": ("lost",),
        "lost": ("won",),
    }
)
"""Where a dispute may go from each status. A decision may be turned round, an answer not be unsaid."""


class DisputeMoved(TypedDict):
    """A dispute was opened, or moved on. `occurred` is when, which may be long before the message."""

    charge: Annotated[str, Ref("charges")]
    status: Status
    amount_minor: MinorUnits
    occurred: NotRequired[Moment]


disputes = Department(
    "disputes",
    reasons=("already_answered", "concession"),
    requests=(
        Request(
            name="answer_dispute",
            tool="disputes.answer",
            args={"charge": SUBJECT, "evidence": "Delivery note of 26 February, signed by Ida Holm."},
            task=f"Please answer the dispute over charge {SUBJECT}: the delivery note of 26 February is signed.",
        ),
        Request(
            name="concede_dispute",
            tool="disputes.concede",
            args={"charge": SUBJECT},
            task=f"Please give in to the dispute over charge {SUBJECT}.",
        ),
    ),
)


@disputes.tool(permission="payments.read")
def get(ctx: Context, charge: Annotated[str, Ref("charges"), TARGET]) -> Json:
    """Read the dispute over a charge, if there is one."""
    return {"charge": charge, "dispute": ctx.show("charges", charge).get("dispute")}


@disputes.tool(permission="disputes.write", writes=True)
def answer(
    ctx: Context,
    charge: Annotated[str, Ref("charges"), TARGET],
    evidence: Annotated[Prose, About("What shows that the customer got what was paid for.")],
) -> Json:
    """Answer a dispute with evidence. The bank takes one answer."""
    dispute = _open(ctx, charge)
    ctx.update("charges", charge, dispute={**dispute, "status": "under_review", "answer": evidence})
    return get(ctx, charge)


@disputes.tool(permission="disputes.write", writes=True, spends=True)
def concede(ctx: Context, charge: Annotated[str, Ref("charges"), TARGET]) -> Json:
    """Give in to a dispute: the customer's bank keeps the money."""
    dispute = _open(ctx, charge)
    ctx.update("charges", charge, dispute={**dispute, "status": "lost"})
    return get(ctx, charge)


def _open(ctx: Context, charge: str) -> dict[str, Json]:
    dispute = ctx.show("charges", charge).get("dispute")
    if not isinstance(dispute, dict):
        raise Failed("no_dispute", f"nobody disputes {charge}")
    if dispute["status"] in DECIDED:
        raise Failed("dispute_decided", f"the dispute over {charge} was {dispute['status']}")
    return dispute


def disputed_minor(charge: Mapping[str, Json]) -> int:
    """What a bank has asked back or got back of a charge, in minor units; nothing once it was won."""
    dispute = charge.get("dispute")
    if not isinstance(dispute, dict) or dispute["status"] == "won":
        return 0
    return whole(dispute, "amount_minor")


@disputes.rule("A dispute is answered once.", tools=["disputes.answer"])
def dispute_is_answered_once(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    charge = ctx.get("charges", str(args["charge"]))
    dispute = None if charge is None else charge.get("dispute")
    answered = isinstance(dispute, dict) and dispute["status"] == "under_review"
    return deny("already_answered") if answered else None


@disputes.rule("Giving in to a dispute takes a person.", tools=["disputes.concede"])
def conceding_takes_a_person(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    if ctx.may_approve(ctx.requester, tool.name):
        return None
    approval = covering(ctx, tool, args)
    return hold("concession") if approval is None else under(approval)


@disputes.event("dispute.updated", DisputeMoved, read="payments.read")
def dispute_updated(ctx: Context, data: Mapping[str, Json]) -> None:
    """A dispute moves on, along the ways it can go; older news never undoes newer."""
    id = str(data["charge"])
    charge = ctx.get("charges", id)
    if charge is None:
        return
    known = charge.get("dispute")
    if isinstance(known, dict) and not _follows(known, data):
        return
    before: Mapping[str, Json] = known if isinstance(known, dict) else {}
    kept = {part: value for part, value in before.items() if part in ("answer", "occurred")}
    moved = given(status=data["status"], amount_minor=data["amount_minor"], occurred=data.get("occurred"))
    ctx.update("charges", id, dispute={**kept, **moved})


def _follows(known: Mapping[str, Json], news: Mapping[str, Json]) -> bool:
    before, after = words(known, "occurred"), words(news, "occurred")
    if before is not None and after is not None and parse_moment(after) < parse_moment(before):
        return False
    return news["status"] == known["status"] or DISPUTE_MOVES.allow(str(known["status"]), str(news["status"]))


@disputes.stimulus(Status)
def dispute_moves_to(ctx: Context, value: str) -> None:
    """The customer's bank opens, wins or loses a dispute over all of the charge ch_1."""
    amount = ctx.read("charges", SUBJECT)["captured_minor"]
    ctx.update("charges", SUBJECT, dispute={"status": value, "amount_minor": amount})


@disputes.fact(Status | None)
def dispute_status(ctx: Context) -> Json:
    """Where the dispute over the charge ch_1 stands, or null."""
    dispute = ctx.read("charges", SUBJECT).get("dispute")
    return dispute["status"] if isinstance(dispute, dict) else None
