"""Approvals: a person's yes to one action, bound to arguments, a version, a moment and a number of uses.

Who may give one, and how the rules about that change, stands in `approvers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.fields import given, listed, whole, words
from company_lab.company.paging import PageNumber, PageSize, page_of
from company_lab.company.transitions import Transitions
from company_lab.formats.canonical import same
from company_lab.formats.time import parse_moment
from company_lab.worlds import (
    TARGET,
    About,
    Context,
    Department,
    Failed,
    Json,
    MinorUnits,
    Moment,
    Prose,
    Ref,
    Table,
    Tool,
)

SUBJECT = "AP-1"
"""The approval that facts of the short form are about."""
Status = Literal["requested", "approved", "rejected", "used", "withdrawn"]
APPROVAL_MOVES = Transitions(
    {
        "requested": ("approved", "rejected", "withdrawn"),
        "approved": ("used", "withdrawn"),
        "rejected": (),
        "used": (),
        "withdrawn": (),
    }
)


VERSIONED: Mapping[str, tuple[str, str]] = {
    "quotes.send": ("quotes", "id"),
    "invoices.create": ("quotes", "quote"),
    "settings.set": ("settings", "id"),
    "crm.merge": ("contacts", "drop"),
    "hiring.decide": ("applications", "application"),
}
"""Tools whose approvals are for one version of a record: its table, and the argument that names it."""


class Approval(TypedDict):
    """A decision about `tool` with exactly `args`, or the request for one.

    With `max_amount_minor` the amount is not among the arguments but bounded. An approval without `expires`
    or `uses_left` is not bounded in that respect.
    """

    tool: str
    args: dict[str, object]
    status: Status
    by: NotRequired[str]
    version: NotRequired[int]
    max_amount_minor: NotRequired[MinorUnits]
    expires: NotRequired[Moment]
    uses_left: NotRequired[int]
    reason: NotRequired[str]
    note: NotRequired[Prose]
    requested_by: NotRequired[str]
    requested_at: NotRequired[Moment]
    decided_at: NotRequired[Moment]


class Decided(TypedDict):
    """A person's decision, as it comes from where people decide."""

    approval: str
    decision: Literal["approved", "rejected"]
    by: str
    version: NotRequired[int]
    max_amount_minor: NotRequired[MinorUnits]
    expires: NotRequired[Moment]
    uses_left: NotRequired[int]


class Withdrawn(TypedDict):
    """Somebody took an approval back, or a request for one."""

    approval: str
    by: str


class ApprovalRule(TypedDict):
    """Who approves the use of a tool. Where there is one, only the people it names do."""

    tool: str
    approvers: list[str]
    note: NotRequired[Prose]


approvals = Department(
    "approvals",
    tables={
        "approvals": Table(record=Approval, singular="approval", expires="expires"),
        "approval_rules": Table(record=ApprovalRule, singular="approval_rule"),
    },
    reasons=("never_allowed", "not_the_approver"),
)


def covering(
    ctx: Context,
    tool: Tool,
    args: Mapping[str, Json],
    *,
    version: int | None = None,
    implied: tuple[str, ...] = ("key",),
) -> str | None:
    """The approval that covers this action now, or None.

    `version` is the version of the record the action is about; `implied` names arguments that change nothing
    about what is done, such as an idempotency key.
    """
    for id in ctx.find("approvals", tool=tool.name, status="approved"):
        if _covers(ctx, ctx.read("approvals", id), args, version, implied):
            return id
    return None


def _covers(
    ctx: Context,
    approval: Mapping[str, Json],
    args: Mapping[str, Json],
    version: int | None,
    implied: tuple[str, ...],
) -> bool:
    expires = words(approval, "expires")
    if expires is not None and ctx.now >= parse_moment(expires):
        return False
    if "uses_left" in approval and whole(approval, "uses_left") < 1:
        return False
    if "version" in approval and approval["version"] != version:
        return False
    free = set(implied)
    if "max_amount_minor" in approval:
        free.add("amount_minor")
        if whole(args, "amount_minor") > whole(approval, "max_amount_minor"):
            return False
    approved = approval.get("args")
    return isinstance(approved, dict) and same(_binding(approved, free), _binding(args, free))


def _binding(args: Mapping[str, Json], free: set[str]) -> dict[str, Json]:
    return {name: value for name, value in args.items() if value is not None and name not in free}


@approvals.tool()
def get(ctx: Context, id: Annotated[str, Ref("approvals"), TARGET]) -> Json:
    """Read one approval: what it covers, how long, how often, and who gave it."""
    return ctx.show("approvals", id)


@approvals.tool()
def find(
    ctx: Context,
    tool: Annotated[str | None, About("The tool the approval is for."), TARGET] = None,
    status: Status | None = None,
    limit: PageSize = 20,
    page: PageNumber = 1,
) -> Json:
    """List approvals and open requests for them."""
    ids = ctx.find("approvals", **given(tool=tool, status=status))
    return page_of(ctx, "approvals", ids, page=page, limit=limit)


@approvals.tool(writes=True)
def request(
    ctx: Context,
    tool: Annotated[str, About("The tool you want to use, such as payments.refund."), TARGET],
    args: Annotated[dict[str, object], About("The exact arguments you want to use it with."), TARGET],
    note: Prose = "",
) -> Json:
    """Ask the people in charge to approve one action. Nothing is carried out."""
    decision, reason = ctx.ask_guard(tool, args)  # type: ignore[arg-type]
    if decision == "allow":
        raise Failed("not_needed", f"{tool} with these arguments needs no approval")
    if decision == "deny" and reason not in ("permission", "requester_permission"):
        raise Failed(
            "never_allowed", f"no approval would allow this: {(reason or 'denied').replace('_', ' ')}"
        )
    return _ask_for(ctx, tool, args, reason or "", note)  # type: ignore[arg-type]


def _ask_for(ctx: Context, tool: str, args: Mapping[str, Json], reason: str, note: str = "") -> Json:
    version = _version_asked_for(ctx, tool, args)
    for id in ctx.find("approvals", tool=tool, status="requested"):
        known = ctx.read("approvals", id)
        if same(known.get("args"), dict(args)) and known.get("version", version) == version:
            return ctx.show("approvals", id)
    id = ctx.create(
        "approvals",
        tool=tool,
        args=dict(args),
        status="requested",
        reason=reason,
        requested_at=ctx.at,
        **given(requested_by=ctx.requester, note=note or None, version=version),
    )
    return ctx.show("approvals", id)


def _version_asked_for(ctx: Context, tool: str, args: Mapping[str, Json]) -> int | None:
    """The version of the record that a request is about, as it is now; None where it has none."""
    table, named = VERSIONED.get(tool, ("", ""))
    record = ctx.get(table, str(args.get(named))) if table else None
    version = None if record is None else record.get("version")
    return version if isinstance(version, int) else None


def _on_hold(ctx: Context, tool: Tool, args: Mapping[str, Json], reason: str) -> Json:
    return _ask_for(ctx, tool.name, args, reason)


def _use(ctx: Context, id: str) -> None:
    approval = ctx.read("approvals", id)
    if "uses_left" in approval:
        left = whole(approval, "uses_left") - 1
        ctx.update("approvals", id, uses_left=left, status="used" if left < 1 else "approved")


approvals.on_hold = _on_hold
approvals.on_approved_use = _use


@approvals.event("approval.decided", Decided)
def decided(ctx: Context, data: Mapping[str, Json]) -> None:
    """A request is decided, once, by a person who may decide it."""
    id = words(data, "approval") or ""
    by = words(data, "by")
    decision = str(data["decision"])
    approval = ctx.get("approvals", id)
    if (
        approval is not None
        and APPROVAL_MOVES.allow(str(approval["status"]), decision)
        and may_decide(ctx, by, str(approval["tool"]))
    ):
        decide(ctx, id, decision, str(by), data)


def may_decide(ctx: Context, person: str | None, tool: str) -> bool:
    """Whether a person may approve the use of a tool, and the company's own rule for it, if any, names them."""
    rules = [ctx.read("approval_rules", id) for id in ctx.find("approval_rules", tool=tool)]
    return ctx.may_approve(person, tool) and all(person in listed(rule, "approvers") for rule in rules)


def decide(ctx: Context, id: str, decision: str, by: str, bounds: Mapping[str, Json]) -> None:
    """Write a decision down, with the bounds it was given; one without a number of uses is for one use."""
    bound = {
        name: bounds[name]
        for name in ("version", "max_amount_minor", "expires", "uses_left")
        if name in bounds
    }
    if decision == "approved":
        bound.setdefault("uses_left", 1)
    ctx.update("approvals", id, status=decision, by=by, decided_at=ctx.at, **bound)
    if decision == "approved":
        _approve_the_quote(ctx, ctx.read("approvals", id))


def _approve_the_quote(ctx: Context, approval: Mapping[str, Json]) -> None:
    """Whoever approves that a version of a quote goes out has approved that version; never an older one again."""
    args = approval.get("args")
    if approval["tool"] != "quotes.send" or not isinstance(args, dict):
        return
    quote = ctx.get("quotes", str(args.get("id")))
    version = whole(approval, "version")
    if quote is not None and whole(quote, "approved_version") < version <= whole(quote, "version"):
        ctx.update("quotes", str(args["id"]), approved_version=version)


@approvals.event("approval.withdrawn", Withdrawn)
def withdrawn(ctx: Context, data: Mapping[str, Json]) -> None:
    """An approval that has not been used up is taken back by somebody who may give it."""
    id = str(data["approval"])
    approval = ctx.get("approvals", id)
    if (
        approval is not None
        and APPROVAL_MOVES.allow(str(approval["status"]), "withdrawn")
        and may_decide(ctx, words(data, "by"), str(approval["tool"]))
    ):
        ctx.update("approvals", id, status="withdrawn")


@approvals.fact(int)
def approval_uses_left(ctx: Context) -> Json:
    """How often the approval AP-1 may still be used."""
    return ctx.read("approvals", SUBJECT).get("uses_left")


@approvals.sets("approval_uses_left", int)
def set_approval_uses_left(ctx: Context, value: int) -> None:
    ctx.update("approvals", SUBJECT, uses_left=value)


@approvals.fact(Status)
def approval_status(ctx: Context) -> Json:
    """Where the approval AP-1 stands."""
    return ctx.read("approvals", SUBJECT)["status"]


@approvals.fact(int)
def approvals_requested(ctx: Context) -> Json:
    """How many requests for approval are open."""
    return len(ctx.find("approvals", status="requested"))


@approvals.stimulus(int)
def hours_pass(ctx: Context, value: int) -> None:
    """Let this many hours go by before the request."""
    ctx.wait(value * 3_600_000)
