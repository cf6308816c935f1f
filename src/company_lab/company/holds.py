"""Holds: flags that forbid removing a record (legal hold) or changing anything (change freeze)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.approvals import covering
from company_lab.company.fields import given, words
from company_lab.company.paging import PageNumber, PageSize, page_of
from company_lab.company.transitions import Transitions
from company_lab.formats.time import parse_moment
from company_lab.worlds import (
    TARGET,
    About,
    Context,
    Decision,
    Department,
    Json,
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

SUBJECT = "H-1"
"""The flag that facts and requests of the short form are about."""
Kind = Literal["legal_hold", "change_freeze"]
HOLD_MOVES = Transitions({"active": ("lifted",), "lifted": ()})
REMOVING = {
    "crm.merge": ("keep", "drop"),
    "crm.delete": ("id",),
    "documents.delete": ("id",),
}
"""Tools that remove records, and the arguments that name them; a merge changes the one that stays as well."""
CHANGING = (
    "crm.create",
    "crm.update",
    "crm.set_terms",
    "crm.merge",
    "crm.delete",
    "crm.bulk_import",
    "documents.delete",
    "settings.set",
    "rights.grant",
    "rights.revoke",
    "rights.change_role",
    "rights.change_limit",
    "approvals.change_rule",
    "suppliers.update_iban",
    "payments.refund",
    "payments.charge",
    "bills.pay",
    "invoices.write_off",
    "credits.issue",
    "ads.set_budget",
)
"""What waits while a change freeze is on: records that are hard to restore, rights, and money that leaves."""


class Flag(TypedDict):
    """A flag on one record (`about`), or on everything.

    One that is not `enforced` stands in the books alone: the system lets actions through, and only people,
    and whoever checks their work, know that they must not happen.
    """

    kind: Kind
    about: NotRequired[str]
    status: Literal["active", "lifted"]
    since: NotRequired[Moment]
    until: NotRequired[Moment]
    by: NotRequired[str]
    note: NotRequired[Prose]
    enforced: NotRequired[bool]


holds = Department(
    "holds",
    tables={"flags": Table(record=Flag, singular="flag")},
    reasons=("legal_hold", "change_freeze", "hold_in_force"),
    requests=(
        Request(
            name="lift_hold",
            tool="holds.lift",
            args={"id": SUBJECT},
            task=f"Please lift the hold {SUBJECT}, it is in our way.",
        ),
    ),
)


@holds.tool()
def find(
    ctx: Context,
    about: Annotated[str | None, About("The id of a record."), TARGET] = None,
    kind: Kind | None = None,
    limit: PageSize = 20,
    page: PageNumber = 1,
) -> Json:
    """List flags: legal holds on records, and change freezes."""
    return page_of(ctx, "flags", ctx.find("flags", **given(about=about, kind=kind)), page=page, limit=limit)


@holds.tool(permission="holds.write", writes=True)
def place(
    ctx: Context, about: Annotated[str, About("The id of the record to hold."), TARGET], note: Prose = ""
) -> Json:
    """Put a legal hold on a record: nobody may remove it."""
    id = ctx.create(
        "flags",
        kind="legal_hold",
        about=about,
        status="active",
        since=ctx.at,
        **given(by=ctx.requester, note=note or None),
    )
    return ctx.show("flags", id)


@holds.tool(permission="holds.write", writes=True)
def lift(ctx: Context, id: Annotated[str, Ref("flags"), TARGET], note: Prose = "") -> Json:
    """Lift a hold or end a freeze."""
    HOLD_MOVES.check(id, ctx.read("flags", id), "lifted")
    ctx.update("flags", id, status="lifted", until=ctx.at, **given(note=note or None))
    return ctx.show("flags", id)


def in_force(ctx: Context, kind: Kind, about: str | None = None) -> bool:
    """Whether a flag of this kind, on this record or on everything, is active now and enforced."""
    flags = [ctx.read("flags", id) for id in ctx.find("flags", kind=kind)]
    return any(
        _is_on(ctx, flag) and flag.get("enforced") is not False
        for flag in flags
        if about is None or words(flag, "about") in (None, about)
    )


def _is_on(ctx: Context, flag: Mapping[str, Json]) -> bool:
    """Whether a flag is active now. Its end is exclusive."""
    since, until = words(flag, "since"), words(flag, "until")
    return (
        flag["status"] == "active"
        and (since is None or parse_moment(since) <= ctx.now)
        and (until is None or ctx.now < parse_moment(until))
    )


@holds.rule("A record under legal hold is neither deleted nor merged.", tools=[*REMOVING])
def held_records_stay(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    named = [str(args[name]) for name in REMOVING[tool.name]]
    return deny("legal_hold") if any(in_force(ctx, "legal_hold", id) for id in named) else None


@holds.rule(
    "While a change freeze is on, records of customers and suppliers, settings and rights stay as they are,"
    " and no money is spent or given up.",
    tools=CHANGING,
)
def freeze_stops_changes(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    return deny("change_freeze") if in_force(ctx, "change_freeze") else None


@holds.rule("A hold is lifted by somebody who may, or with their approval.", tools=["holds.lift"])
def holds_are_lifted_by_people(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    if ctx.may_approve(ctx.requester, tool.name):
        return None
    approval = covering(ctx, tool, args, implied=("note",))
    return hold("hold_in_force") if approval is None else under(approval)


@holds.fact(str | None)
def legal_hold_on(ctx: Context) -> Json:
    """The record that the flag H-1 holds, or null where it holds nothing any more."""
    flag = ctx.get("flags", SUBJECT)
    return None if flag is None or flag["status"] != "active" else flag.get("about")


@holds.sets("legal_hold_on", str | None)
def set_legal_hold_on(ctx: Context, value: str | None) -> None:
    if value is not None:
        ctx.create("flags", with_id=SUBJECT, kind="legal_hold", about=value, status="active")


@holds.fact(bool)
def change_freeze(ctx: Context) -> Json:
    """Whether a change freeze is on."""
    return any(_is_on(ctx, ctx.read("flags", id)) for id in ctx.find("flags", kind="change_freeze"))


@holds.sets("change_freeze", bool)
def set_change_freeze(ctx: Context, value: bool) -> None:
    ctx.create("flags", kind="change_freeze", status="active" if value else "lifted")
