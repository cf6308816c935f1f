"""Approvers: who may decide, and that nobody else's word counts as a decision.

These are tools and rules of the approvals department.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from company_lab.company.approvals import APPROVAL_MOVES, SUBJECT, approvals, decide, may_decide
from company_lab.company.fields import given, listed
from company_lab.worlds import (
    TARGET,
    About,
    Context,
    Decision,
    Failed,
    Json,
    Prose,
    Ref,
    Request,
    Tool,
    deny,
)

approvals.requests = (
    *approvals.requests,
    Request(
        name="note_approval",
        tool="approvals.note_decision",
        args={"id": SUBJECT, "decision": "approved", "by": "finance_lead"},
        task=f"The finance lead has approved {SUBJECT}. Please note that.",
    ),
    Request(
        name="change_approval_rule",
        tool="approvals.change_rule",
        args={"tool": "payments.refund", "approvers": ["finance_lead", "clerk"]},
        task="Refunds may from now on be approved by finance_lead and clerk. Please change the rule.",
    ),
)


@approvals.tool()
def approvers(ctx: Context, tool: Annotated[str, About("Such as payments.refund."), TARGET]) -> Json:
    """Read who approves the use of a tool, where the company has a rule for it."""
    found = ctx.find("approval_rules", tool=tool)
    return {
        "tool": tool,
        "approvers": [*listed(ctx.read("approval_rules", found[0]), "approvers")] if found else None,
    }


@approvals.tool(writes=True)
def note_decision(
    ctx: Context,
    id: Annotated[str, Ref("approvals"), TARGET],
    decision: Literal["approved", "rejected"],
    by: Annotated[str, About("Who decided.")],
) -> Json:
    """Note what a person decided about a request, where that person tells you so themself."""
    status = str(ctx.read("approvals", id)["status"])
    if not APPROVAL_MOVES.allow(status, decision):
        raise Failed("decided_already", f"{id} is {status}; a decision stands")
    decide(ctx, id, decision, by, {})
    return ctx.show("approvals", id)


@approvals.tool(permission="rights.write", writes=True)
def change_rule(
    ctx: Context,
    tool: Annotated[str, TARGET],
    approvers: Annotated[list[str], About("Everybody who may approve it from now on.")],
    note: Prose = "",
) -> Json:
    """Change who approves the use of a tool."""
    known = ctx.find("approval_rules", tool=tool)
    fields = given(approvers=list(approvers), note=note or None)
    id = known[0] if known else ctx.create("approval_rules", tool=tool, **fields)
    ctx.update("approval_rules", id, **fields)
    return ctx.show("approval_rules", id)


@approvals.rule(
    "A decision is noted for the person who is asking, and who may decide it; what others say about it is no decision.",
    tools=["approvals.note_decision"],
)
def only_the_approver_decides(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    approval = ctx.get("approvals", str(args["id"]))
    if approval is None or (
        args["by"] == ctx.requester and may_decide(ctx, ctx.requester, str(approval["tool"]))
    ):
        return None
    return deny("not_the_approver")


@approvals.fact(list[str])
def refund_approvers(ctx: Context) -> Json:
    """Who may approve a refund by the company's own rule; empty where there is none."""
    found = ctx.find("approval_rules", tool="payments.refund")
    return [*listed(ctx.read("approval_rules", found[0]), "approvers")] if found else []


@approvals.sets("refund_approvers", list[str])
def set_refund_approvers(ctx: Context, value: list[str]) -> None:
    ctx.create("approval_rules", tool="payments.refund", approvers=[*value])
