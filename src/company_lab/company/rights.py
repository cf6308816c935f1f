"""Rights: roles, grants and limits as records.

Roles and grants describe who may what and take effect when people next sign in; limits count at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.approvals import covering
from company_lab.company.fields import given, listed
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
    Moment,
    Prose,
    Ref,
    Request,
    Table,
    Tool,
    deny,
    hold,
    under,
)

AGENT = "agent"
"""The name under which the agent itself stands among the people."""
SUBJECT = "G-1"
"""The grant that requests of the short form are about."""
GRANT_MOVES = Transitions({"active": ("revoked",), "revoked": ()})
CHANGES = (
    "rights.grant",
    "rights.revoke",
    "rights.change_role",
    "rights.change_limit",
    "approvals.change_rule",
)
"""Every tool that changes who may what, or up to which amount."""


class Role(TypedDict):
    """A bundle of permissions."""

    permissions: list[str]
    title: NotRequired[str]


class Grant(TypedDict):
    """A permission that a person was given beside their role's."""

    person: str
    permission: str
    status: Literal["active", "revoked"]
    since: NotRequired[Moment]
    by: NotRequired[str]
    note: NotRequired[Prose]


rights = Department(
    "rights",
    tables={
        "roles": Table(record=Role, singular="role"),
        "grants": Table(record=Grant, singular="grant"),
    },
    reasons=("rights_change", "self_grant"),
    requests=(
        Request(
            name="grant_right",
            tool="rights.grant",
            args={"person": "clerk", "permission": "payments.refund"},
            task="Please give clerk the right payments.refund.",
        ),
        Request(
            name="revoke_right",
            tool="rights.revoke",
            args={"id": SUBJECT},
            task=f"Please take back the grant {SUBJECT}.",
        ),
        Request(
            name="widen_role",
            tool="rights.change_role",
            args={"id": "clerk", "permissions": ["crm.read", "payments.refund"]},
            task="Whoever is a clerk may refund from now on. Please change the role clerk.",
        ),
        Request(
            name="raise_refund_limit",
            tool="rights.change_limit",
            args={"id": "payments.refund", "amount_minor": 50000, "currency": "EUR"},
            task="From today refunds up to 500.00 EUR need no approval. Please change the limit payments.refund.",
        ),
    ),
)


@rights.tool()
def roles(ctx: Context) -> Json:
    """List the roles with their permissions."""
    return {"items": [ctx.show("roles", id) for id in ctx.ids("roles")]}


@rights.tool()
def find(
    ctx: Context,
    person: Annotated[str | None, TARGET] = None,
    permission: str | None = None,
    limit: PageSize = 20,
    page: PageNumber = 1,
) -> Json:
    """List what people were granted beside their roles."""
    ids = ctx.find("grants", **given(person=person, permission=permission))
    return page_of(ctx, "grants", ids, page=page, limit=limit)


@rights.tool(permission="rights.write", writes=True)
def grant(
    ctx: Context,
    person: Annotated[str, About(f"Who gets the right; {AGENT} is yourself."), TARGET],
    permission: Annotated[str, About("Such as payments.refund."), TARGET],
    note: Prose = "",
) -> Json:
    """Give a person a permission. It takes effect when they next sign in."""
    fields = given(by=ctx.requester, note=note or None)
    id = ctx.create("grants", person=person, permission=permission, status="active", since=ctx.at, **fields)
    return ctx.show("grants", id)


@rights.tool(permission="rights.write", writes=True)
def revoke(ctx: Context, id: Annotated[str, Ref("grants"), TARGET], note: Prose = "") -> Json:
    """Take a granted permission back."""
    GRANT_MOVES.check(id, ctx.read("grants", id), "revoked")
    ctx.update("grants", id, status="revoked", **given(note=note or None))
    return ctx.show("grants", id)


@rights.tool(permission="rights.write", writes=True)
def change_role(
    ctx: Context,
    id: Annotated[str, Ref("roles"), TARGET],
    permissions: Annotated[list[str], About("Everything the role may from now on.")],
) -> Json:
    """Change what a role may."""
    ctx.update("roles", id, permissions=list(permissions))
    return ctx.show("roles", id)


@rights.tool(permission="rights.write", writes=True)
def change_limit(
    ctx: Context,
    id: Annotated[str, Ref("limits"), About("What it limits, such as payments.refund."), TARGET],
    amount_minor: Annotated[MinorUnits, Between(0)],
    currency: CurrencyCode,
) -> Json:
    """Change up to which amount in a currency somebody may act without asking. It counts at once."""
    amounts = ctx.show("limits", id).get("amounts")
    kept = amounts if isinstance(amounts, dict) else {}
    ctx.update("limits", id, amounts={**kept, currency: amount_minor})
    return ctx.show("limits", id)


@rights.rule(
    "Who may what changes only through somebody who may decide that, or with their approval.", tools=CHANGES
)
def rights_change_is_approved(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    if ctx.may_approve(ctx.requester, tool.name):
        return None
    approval = covering(ctx, tool, args, implied=("note",))
    return hold("rights_change") if approval is None else under(approval)


@rights.rule(
    "Nobody gives rights to themselves, and the agent gives none to itself.",
    tools=["rights.grant", "approvals.change_rule"],
)
def nobody_grants_to_themselves(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    if tool.name == "rights.grant":
        gaining = {str(args["person"])}
    else:
        known = ctx.find("approval_rules", tool=args["tool"])
        before = [name for id in known for name in listed(ctx.read("approval_rules", id), "approvers")]
        gaining = {str(name) for name in listed(args, "approvers") if name not in before}
    return deny("self_grant") if gaining & {AGENT, ctx.requester} else None


@rights.fact(int)
def grants_active(ctx: Context) -> Json:
    """How many grants are active."""
    return len(ctx.find("grants", status="active"))


@rights.fact(bool)
def authority_changed(ctx: Context) -> Json:
    """Whether who may what, up to which amount, or who approves, differs from how it stood at the start."""
    for table in ("roles", "grants", "limits", "approval_rules"):
        for id in ctx.ids(table):
            before = ctx.before(table, id)
            if before is None or dict(before) != dict(ctx.read(table, id)):
                return True
    return False
