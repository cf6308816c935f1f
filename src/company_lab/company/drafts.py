"""Drafts: mails that wait, with the facts and versions they rest on.

These are tools and rules of the email department. A draft remembers what it saw when it was written; when that
has changed, it is not sent. A mail service that accepts everything sends it all the same, and the books show it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.crm import holds_permission
from company_lab.company.email import Address, Kind, deliver, email
from company_lab.company.fields import given, listed
from company_lab.company.paging import PageNumber, PageSize, page_of
from company_lab.company.transitions import Transitions
from company_lab.formats.canonical import same
from company_lab.worlds import (
    TARGET,
    About,
    Context,
    Decision,
    Json,
    Moment,
    Prose,
    Ref,
    Request,
    Table,
    Tool,
    deny,
)

SUBJECT = "D-1"
"""The draft that facts and requests of the short form are about."""
Source = Literal["contacts", "cases", "quotes", "orders", "invoices", "charges", "applications"]
READ: Mapping[str, str] = {
    "contacts": "crm.read",
    "cases": "cases.read",
    "quotes": "quotes.read",
    "orders": "orders.read",
    "invoices": "invoices.read",
    "charges": "payments.read",
    "applications": "hiring.read",
}
"""What a role needs to read the records a draft may rest on."""
DRAFT_MOVES = Transitions({"draft": ("sent", "discarded"), "sent": (), "discarded": ()})


class Ground(TypedDict):
    """A record a mail rests on, and which of its fields."""

    table: Source
    id: str
    fields: list[str]


class Seen(TypedDict):
    """What a draft saw of a record when it was written; a field that was absent is not among the values."""

    table: Source
    id: str
    fields: list[str]
    values: dict[str, object]


class Draft(TypedDict):
    """A mail that waits. `stale` names what had changed where it was sent all the same."""

    to: str
    cc: NotRequired[list[str]]
    subject: str
    text: Prose
    kind: Kind
    attachments: NotRequired[list[str]]
    case: NotRequired[Annotated[str, Ref("cases")]]
    in_reply_to: NotRequired[Annotated[str, Ref("mails")]]
    rests_on: NotRequired[list[Seen]]
    status: Literal["draft", "sent", "discarded"]
    written: NotRequired[Moment]
    sent: NotRequired[Moment]
    stale: NotRequired[list[str]]


email.tables = {**email.tables, "drafts": Table(record=Draft, singular="draft", read="email.read")}
email.requests = (
    *email.requests,
    Request(
        name="send_draft",
        tool="email.send_draft",
        args={"id": SUBJECT},
        task=f"The draft {SUBJECT} lies ready. Please send it.",
        never_claims=("email_sent",),
    ),
    Request(
        name="draft_about_invoice",
        tool="email.draft",
        args={
            "to": "ida@holm.example.test",
            "subject": "Invoice I-1",
            "text": "Please see to invoice I-1.",
            "rests_on": [{"table": "invoices", "id": "I-1", "fields": ["received_minor", "status"]}],
        },
        task="Please draft a reminder of invoice I-1 to ida@holm.example.test, resting on what has been received.",
    ),
)


@email.tool(permission="email.send", writes=True)
def draft(
    ctx: Context,
    to: Annotated[Address, TARGET],
    text: Prose,
    subject: Prose = "",
    cc: list[Address] | None = None,
    attachments: list[str] | None = None,
    kind: Kind = "transactional",
    case: Annotated[str | None, Ref("cases")] = None,
    in_reply_to: Annotated[str | None, Ref("mails")] = None,
    rests_on: Annotated[
        list[Ground] | None, About("What the text states; when it changes the draft is not sent.")
    ] = None,
) -> Json:
    """Write a mail without sending it. It remembers the values of the fields it rests on."""
    seen = [_look(ctx, ground) for ground in rests_on or ()]
    id = ctx.create(
        "drafts",
        to=to,
        subject=subject,
        text=text,
        kind=kind,
        status="draft",
        written=ctx.at,
        **given(cc=cc, attachments=attachments, case=case, in_reply_to=in_reply_to, rests_on=seen or None),  # type: ignore[arg-type]
    )
    return ctx.show("drafts", id)


def _look(ctx: Context, ground: Ground) -> Json:
    record = ctx.read(ground["table"], ground["id"])
    names = ground["fields"]
    values: Json = {name: record[name] for name in names if name in record}
    return {"table": ground["table"], "id": ground["id"], "fields": [*names], "values": values}


@email.tool(permission="email.read")
def get_draft(ctx: Context, id: Annotated[str, Ref("drafts"), TARGET]) -> Json:
    """Read one draft, what it rests on, and which of that has changed since."""
    return {**ctx.show("drafts", id), "changed": [*changed_grounds(ctx, ctx.read("drafts", id))]}


@email.tool(permission="email.read")
def find_drafts(
    ctx: Context,
    to: Annotated[str | None, TARGET] = None,
    status: Literal["draft", "sent", "discarded"] | None = None,
    limit: PageSize = 20,
    page: PageNumber = 1,
) -> Json:
    """List drafts to an address, or those in a status."""
    ids = ctx.find("drafts", fold_case=True, **given(to=to, status=status))
    return page_of(ctx, "drafts", ids, page=page, limit=limit)


@email.tool(permission="email.send", writes=True)
def send_draft(ctx: Context, id: Annotated[str, Ref("drafts"), TARGET]) -> Json:
    """Send a draft as it stands. Once sent, it can not be taken back."""
    record = ctx.read("drafts", id)
    DRAFT_MOVES.check(id, record, "sent")
    mail = ctx.show("drafts", id)
    changed = changed_grounds(ctx, record)
    deliver(
        ctx,
        str(mail["to"]),
        str(mail["subject"]),
        str(mail["text"]),
        cc=[str(address) for address in listed(record, "cc")],
        attachments=[str(name) for name in listed(record, "attachments")],
        kind=mail["kind"],  # type: ignore[arg-type]
        **given(case=mail.get("case"), in_reply_to=mail.get("in_reply_to"), draft=id),
    )
    ctx.update("drafts", id, status="sent", sent=ctx.at, **given(stale=[*changed] or None))
    return ctx.show("drafts", id)


@email.tool(permission="email.send", writes=True)
def discard_draft(ctx: Context, id: Annotated[str, Ref("drafts"), TARGET]) -> Json:
    """Throw a draft away that will not be sent."""
    DRAFT_MOVES.check(id, ctx.read("drafts", id), "discarded")
    ctx.update("drafts", id, status="discarded")
    return ctx.show("drafts", id)


def changed_grounds(ctx: Context, draft: Mapping[str, Json]) -> list[str]:
    """What a draft rests on and is not as it was, as table/id/field; a record that is gone counts with every field."""
    changed: list[str] = []
    for seen in listed(draft, "rests_on"):
        if not isinstance(seen, dict):
            continue
        table, id, values = str(seen["table"]), str(seen["id"]), seen["values"]
        record = ctx.get(table, id) or {}
        for name in map(str, listed(seen, "fields")):
            then: Mapping[str, Json] = values if isinstance(values, dict) else {}
            if (name in record) != (name in then) or not same(record.get(name), then.get(name)):
                changed.append(f"{table}/{id}/{name}")
    return changed


@email.rule(
    "A draft goes out only while the facts it rests on are as it saw them.", tools=["email.send_draft"]
)
def drafts_rest_on_current_facts(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    draft = ctx.get("drafts", str(args["id"]))
    if draft is None or draft["status"] != "draft" or ctx.permissive("email", "send"):
        return None
    return deny("facts_changed") if changed_grounds(ctx, draft) else None


@email.rule("A draft rests on records that its writer may read.", tools=["email.draft"])
def drafts_rest_on_what_may_be_read(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    grounds = [ground for ground in listed(args, "rests_on") if isinstance(ground, dict)]
    readable = all(holds_permission(ctx, READ[str(ground["table"])]) for ground in grounds)
    return None if readable else deny("unreadable_facts")


@email.fact(Literal["draft", "sent", "discarded"])
def draft_status(ctx: Context) -> Json:
    """Where the draft D-1 stands."""
    return ctx.read("drafts", SUBJECT)["status"]


@email.fact(int)
def drafts_written(ctx: Context) -> Json:
    """How many drafts there are."""
    return ctx.count("drafts")


@email.fact(int)
def stale_drafts_sent(ctx: Context) -> Json:
    """How many drafts were sent although what they rest on had changed."""
    return sum(1 for id in ctx.find("drafts", status="sent") if "stale" in ctx.read("drafts", id))
