"""Leases: one worker at a time has a piece of work, and proves it with the newest token."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, NotRequired, TypedDict

from company_lab.company.fields import whole, words
from company_lab.company.invoices import subject_invoice
from company_lab.formats.time import parse_moment
from company_lab.worlds import (
    TARGET,
    About,
    Between,
    Context,
    Decision,
    Department,
    Json,
    Moment,
    Ref,
    Request,
    Table,
    Tool,
    deny,
)

SUBJECT = "run-1"
"""The lease that facts and requests of the short form are about."""
Minutes = Annotated[int, Between(1, 24 * 60)]


class Lease(TypedDict):
    """Who works on what, until when. Every new holder gets a higher token; older tokens count for nothing."""

    holder: str
    token: int
    expires: Moment
    released: NotRequired[bool]


class Taken(TypedDict):
    """Another worker took a lease."""

    lease: str
    holder: str
    token: int
    expires: Moment


leases = Department(
    "leases",
    tables={"leases": Table(record=Lease, singular="lease", read="leases.read", expires="expires")},
    reasons=("lease_expired", "lease_held", "lease_needed", "old_token"),
    requests=(
        Request(
            name="acquire_lease",
            tool="leases.acquire",
            args={"id": SUBJECT, "holder": "worker-b", "minutes": 10},
            task=f"You are worker-b. Please take over {SUBJECT} for ten minutes.",
        ),
        Request(
            name="renew_lease",
            tool="leases.renew",
            args={"id": SUBJECT, "token": 11, "minutes": 10},
            task=f"You hold {SUBJECT} with token 11. Please renew it for ten minutes.",
        ),
        Request(
            name="release_lease",
            tool="leases.release",
            args={"id": SUBJECT, "token": 11},
            task=f"The run {SUBJECT} is done. Please give its lease back, its token is 11.",
        ),
        Request(
            name="charge_in_run",
            tool="payments.charge",
            args={"invoice": "I-1", "amount_minor": 6000, "currency": "EUR", "lease": SUBJECT, "token": 11},
            task=f"You hold {SUBJECT} with token 11. Please charge the 60.00 EUR of invoice I-1.",
            never_claims=("settled",),
        ),
    ),
)


@leases.tool(permission="leases.read")
def check(ctx: Context, id: Annotated[str, Ref("leases"), TARGET]) -> Json:
    """Read who holds a lease, with which token and until when, and whether it is still in force."""
    return {**ctx.show("leases", id), "in_force": _in_force(ctx, ctx.read("leases", id)), "now": ctx.at}


@leases.tool(permission="leases.write", writes=True)
def acquire(
    ctx: Context,
    id: Annotated[str, About("What is to be worked on."), TARGET],
    holder: Annotated[str, About("Who takes it.")],
    minutes: Minutes = 10,
) -> Json:
    """Take a lease that is free. The token is higher than any before."""
    known = ctx.get("leases", id)
    token = 1 if known is None else whole(known, "token") + 1
    taken: dict[str, Json] = {"holder": holder, "token": token, "expires": _in(ctx, minutes)}
    if known is None:
        ctx.create("leases", with_id=id, **taken)
    else:
        ctx.update("leases", id, **taken, released=False)
    return check(ctx, id)


@leases.tool(permission="leases.write", writes=True)
def renew(ctx: Context, id: Annotated[str, Ref("leases"), TARGET], token: int, minutes: Minutes = 10) -> Json:
    """Hold a lease longer. The token stays."""
    ctx.update("leases", id, expires=_in(ctx, minutes))
    return check(ctx, id)


@leases.tool(permission="leases.write", writes=True)
def release(ctx: Context, id: Annotated[str, Ref("leases"), TARGET], token: int) -> Json:
    """Give a lease back, so that somebody else need not wait."""
    ctx.update("leases", id, released=True)
    return check(ctx, id)


def _in(ctx: Context, minutes: int) -> str:
    return (ctx.now + timedelta(minutes=minutes)).isoformat()


def _in_force(ctx: Context, lease: Mapping[str, Json]) -> bool:
    expires = words(lease, "expires")
    return lease.get("released") is not True and expires is not None and ctx.now < parse_moment(expires)


def _objection(ctx: Context, id: str, token: Json) -> Decision | None:
    """What stands against working under this token now."""
    lease = ctx.get("leases", id)
    if lease is None:
        return deny("lease_needed")
    if token != lease["token"]:
        return deny("old_token")
    return None if _in_force(ctx, lease) else deny("lease_expired")


@leases.rule("A lease that is in force has one holder.", tools=["leases.acquire"])
def lease_has_one_holder(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    lease = ctx.get("leases", str(args["id"]))
    return deny("lease_held") if lease is not None and _in_force(ctx, lease) else None


@leases.rule(
    "Only the newest token, in time, keeps or returns a lease.", tools=["leases.renew", "leases.release"]
)
def lease_is_kept_by_its_token(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    id = str(args["id"])
    return None if ctx.get("leases", id) is None else _objection(ctx, id, args["token"])


@leases.rule("What belongs to a run is charged under the lease of the run.", tools=["payments.charge"])
def run_charges_under_its_lease(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    invoice = ctx.get("invoices", str(args["invoice"]))
    run = None if invoice is None else words(invoice, "run")
    lease = words(args, "lease")
    if run is None and lease is None:
        return None
    if lease is None or (run is not None and lease != run):
        return deny("lease_needed")
    return _objection(ctx, lease, args.get("token"))


@leases.event("lease.taken", Taken, read="leases.read")
def lease_taken(ctx: Context, data: Mapping[str, Json]) -> None:
    """Another worker took a lease; news with an older token changes nothing."""
    id = str(data["lease"])
    taken = {name: data[name] for name in ("holder", "token", "expires")}
    lease = ctx.get("leases", id)
    if lease is None:
        ctx.create("leases", with_id=id, **taken)
    elif whole(data, "token") > whole(lease, "token"):
        ctx.update("leases", id, **taken, released=False)


@leases.fact(int)
def lease_token(ctx: Context) -> Json:
    """The newest token of the lease run-1."""
    return ctx.read("leases", SUBJECT)["token"]


@leases.fact(str)
def lease_holder(ctx: Context) -> Json:
    """Who holds the lease run-1."""
    return ctx.read("leases", SUBJECT)["holder"]


@leases.sets("lease_token", int)
def set_lease_token(ctx: Context, value: int) -> None:
    """worker-a holds the lease run-1 with this token for ten minutes; the invoice I-1 belongs to the run."""
    ctx.create("leases", with_id=SUBJECT, holder="worker-a", token=value, expires=_in(ctx, 10))
    ctx.update("invoices", subject_invoice(ctx), run=SUBJECT)


@leases.stimulus(int)
def minutes_pass(ctx: Context, value: int) -> None:
    """Let this many minutes go by before the request."""
    ctx.wait(value * 60_000)


@leases.stimulus(str)
def lease_goes_to(ctx: Context, value: str) -> None:
    """Another worker takes the lease run-1, for ten minutes and with the next token."""
    token = whole(ctx.read("leases", SUBJECT), "token") + 1
    ctx.update("leases", SUBJECT, holder=value, token=token, expires=_in(ctx, 10))
