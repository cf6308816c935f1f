"""Support cases: what customers complain about, kept together until it is solved.

Promises made to customers stand in `promises`, queues of people in `handoff`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.automatic import origin_of
from company_lab.company.crm import Tenant, subject_contact
from company_lab.company.fields import given, listed, whole, words
from company_lab.company.paging import PageNumber, PageSize, page_of
from company_lab.company.transitions import Transitions
from company_lab.company.wording import LANGUAGES, people
from company_lab.formats.time import parse_moment
from company_lab.worlds import (
    TARGET,
    About,
    Claim,
    Context,
    Decision,
    Department,
    Failed,
    Json,
    Like,
    Moment,
    Prose,
    Ref,
    Request,
    Table,
    Tool,
    deny,
)

SUBJECT = "K-1"
"""The case that facts and requests of the short form are about."""
REOPEN_WINDOW = timedelta(days=30)
"""For how long a closed case may be reopened, where the setting cases.reopen_days says nothing else."""
LONGEST_WINDOW = timedelta(days=36_500)
"""A setting asks for no more than this, whatever number somebody wrote into it."""
Status = Literal["open", "waiting_customer", "escalated", "closed"]
PromiseStatus = Literal["open", "kept", "broken", "waived"]
CASE_MOVES = Transitions(
    {
        "open": ("waiting_customer", "escalated", "closed"),
        "waiting_customer": ("open", "escalated", "closed"),
        "escalated": ("open", "waiting_customer", "escalated", "closed"),
        "closed": ("open",),
    }
)
Message = TypedDict("Message", {"text": str, "from": NotRequired[str], "at": NotRequired[Moment]})


class Case(TypedDict):
    """One matter of one customer. `follows` links to an earlier case about the same.

    Mails of the case go to the contact and to its `participants`; `thread` holds the ids of its messages as mail
    programs write them; `last_sender` is whoever wrote last, which makes nobody a receiver.
    """

    contact: Annotated[str, Ref("contacts")]
    subject: str
    status: Status
    opened: NotRequired[Moment]
    closed: NotRequired[Moment]
    order: NotRequired[Annotated[str, Ref("orders")]]
    follows: NotRequired[Annotated[str, Ref("cases")]]
    promised: NotRequired[str]
    queue: NotRequired[str]
    liability: NotRequired[Literal["accepted", "rejected"]]
    participants: NotRequired[list[str]]
    thread: NotRequired[list[str]]
    last_sender: NotRequired[str]
    messages: NotRequired[list[Message]]


class Promise(TypedDict):
    """What a customer was told will happen, and by when; the moment itself is too late."""

    case: Annotated[str, Ref("cases")]
    text: Prose
    due: Moment
    status: PromiseStatus
    made: NotRequired[Moment]
    by: NotRequired[str]
    note: NotRequired[Prose]


cases = Department(
    "cases",
    tables={
        "cases": Table(record=Case, singular="case", read="cases.read"),
        "promises": Table(record=Promise, singular="promise", read="cases.read"),
    },
    reasons=("reopen_window_over", "promise_in_the_past", "promise_open"),
    claims=(
        Claim(
            name="case_opened",
            fact="case_opened",
            phrases=people.CASE_OPENED,
            languages=LANGUAGES,
        ),
        Claim(
            name="case_closed",
            fact="case_closed",
            phrases=people.CASE_CLOSED,
            languages=LANGUAGES,
        ),
    ),
    requests=(
        Request(
            name="reopen_case",
            tool="cases.reopen",
            args={"id": SUBJECT},
            task=f"The customer is not happy after all. Please reopen case {SUBJECT}.",
        ),
        Request(
            name="reopen_case_for_mail",
            tool="cases.reopen",
            args={"id": SUBJECT, "mail": "m_1"},
            task=f"A mail m_1 has come about case {SUBJECT}. Please reopen the case.",
        ),
    ),
)


@cases.tool(permission="cases.read")
def get(ctx: Context, id: Annotated[str, Ref("cases"), TARGET], tenant: Tenant = None) -> Json:
    """Read one case with its messages."""
    return ctx.show("cases", id)


@cases.tool(permission="cases.read")
def find(
    ctx: Context,
    contact: Annotated[str | None, Ref("contacts"), TARGET] = None,
    order: Annotated[str | None, Ref("orders"), TARGET] = None,
    status: Status | None = None,
    tenant: Tenant = None,
    limit: PageSize = 20,
    page: PageNumber = 1,
) -> Json:
    """List cases of a contact or an order, or those in a status."""
    ids = ctx.find("cases", **given(contact=contact, order=order, status=status))
    return page_of(ctx, "cases", ids, page=page, limit=limit)


@cases.tool(permission="cases.write", writes=True)
def create(
    ctx: Context,
    contact: Annotated[str, Ref("contacts"), TARGET],
    subject: Prose,
    text: Prose = "",
    order: Annotated[str | None, Ref("orders")] = None,
    follows: Annotated[str | None, Ref("cases"), About("An earlier case about the same matter.")] = None,
) -> Json:
    """Open a new case. Nothing checks whether the matter has a case already."""
    ctx.read("contacts", contact)
    for table, id in (("orders", order), ("cases", follows)):
        if id is not None:
            ctx.read(table, id)
    messages: list[Json] = [{"text": text, "at": ctx.at}] if text else []
    id = ctx.create(
        "cases",
        contact=contact,
        subject=subject,
        status="open",
        opened=ctx.at,
        messages=messages,
        **given(order=order, follows=follows),
    )
    return ctx.show("cases", id)


@cases.tool(permission="cases.write", writes=True)
def add_message(ctx: Context, id: Annotated[str, Ref("cases"), TARGET], text: Prose) -> Json:
    """Add what is new to a case that is not closed."""
    case = ctx.read("cases", id)
    if case["status"] == "closed":
        raise Failed("case_closed", f"{id} is closed; reopen it or open a new one")
    ctx.update("cases", id, messages=[*listed(case, "messages"), {"text": text, "at": ctx.at}])
    return ctx.show("cases", id)


@cases.tool(permission="cases.write", writes=True)
def escalate(
    ctx: Context, id: Annotated[str, Ref("cases"), TARGET], queue: Prose = "team lead", note: Prose = ""
) -> Json:
    """Hand a case to the team lead, or to another queue."""
    case = ctx.read("cases", id)
    CASE_MOVES.check(id, case, "escalated", reason="case_closed")
    notes: list[Json] = [{"text": note, "at": ctx.at}] if note else []
    ctx.update("cases", id, status="escalated", queue=queue, messages=[*listed(case, "messages"), *notes])
    return ctx.show("cases", id)


@cases.tool(permission="cases.write", writes=True)
def close(ctx: Context, id: Annotated[str, Ref("cases"), TARGET], note: Prose = "") -> Json:
    """Close a case that is solved."""
    case = ctx.read("cases", id)
    CASE_MOVES.check(id, case, "closed", reason="case_closed")
    notes: list[Json] = [{"text": note, "at": ctx.at}] if note else []
    ctx.update("cases", id, status="closed", closed=ctx.at, messages=[*listed(case, "messages"), *notes])
    return ctx.show("cases", id)


@cases.tool(permission="cases.write", writes=True)
def reopen(
    ctx: Context,
    id: Annotated[str, Ref("cases"), TARGET],
    mail: Annotated[str | None, Ref("mails"), About("The mail because of which it is reopened.")] = None,
) -> Json:
    """Reopen a closed case. After 30 days, open a new one that follows it."""
    if ctx.read("cases", id)["status"] != "closed":
        raise Failed("case_not_closed", f"{id} is not closed")
    ctx.update("cases", id, status="open")
    return ctx.show("cases", id)


@cases.tool(permission="cases.write", writes=True)
def wait(ctx: Context, id: Annotated[str, Ref("cases"), TARGET]) -> Json:
    """Note that a case waits for the customer."""
    CASE_MOVES.check(id, ctx.read("cases", id), "waiting_customer")
    ctx.update("cases", id, status="waiting_customer")
    return ctx.show("cases", id)


@cases.tool(permission="cases.write", writes=True)
def resume(ctx: Context, id: Annotated[str, Ref("cases"), TARGET]) -> Json:
    """Go on with a case that waited for the customer or was escalated."""
    case = ctx.read("cases", id)
    if case["status"] == "closed":
        raise Failed("case_closed", f"{id} is closed; reopen it")
    CASE_MOVES.check(id, case, "open")
    ctx.update("cases", id, status="open")
    return ctx.show("cases", id)


@cases.tool(permission="cases.write", writes=True)
def add_participant(
    ctx: Context,
    id: Annotated[str, Ref("cases"), TARGET],
    address: Annotated[
        str, Like(r"[^@\s]+@[^@\s]+"), About("A mail address that mails of the case may go to.")
    ],
    why: Prose = "",
) -> Json:
    """Let somebody else take part in a case, because the customer wishes it."""
    known = listed(ctx.read("cases", id), "participants")
    ctx.update("cases", id, participants=[*known, address])
    return ctx.show("cases", id)


def people_of(ctx: Context, case: str) -> frozenset[str]:
    """The addresses, in lower case, that mails of a case may go to."""
    record = ctx.read("cases", case)
    contact = ctx.get("contacts", str(record["contact"])) or {}
    addresses = (contact.get("email"), *listed(contact, "aliases"), *listed(record, "participants"))
    return frozenset(str(address).casefold() for address in addresses if address is not None)


@cases.rule("A case is reopened within 30 days; later the matter gets a new one.", tools=["cases.reopen"])
def reopened_within_window(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    case = ctx.get("cases", str(args["id"]))
    closed = None if case is None else words(case, "closed")
    if closed is None or ctx.now - parse_moment(closed) <= _reopen_window(ctx):
        return None
    return deny("reopen_window_over")


def _reopen_window(ctx: Context) -> timedelta:
    setting = ctx.get("settings", "cases.reopen_days")
    if setting is None:
        return REOPEN_WINDOW
    days = whole(setting, "value", REOPEN_WINDOW.days)
    return timedelta(days=max(0, min(days, LONGEST_WINDOW.days)))


@cases.rule("No case is reopened because a machine answered.", tools=["cases.reopen"])
def machines_reopen_nothing(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    mail = ctx.get("mails", words(args, "mail") or "")
    return None if mail is None or origin_of(mail) == "person" else deny("automatic_mail")


@cases.fact(dict[str, bool])
def case_opened(ctx: Context) -> Json:
    """By case: whether it was opened by this piece of work."""
    return {id: ctx.before("cases", id) is None for id in ctx.claimable("cases")}


@cases.fact(dict[str, bool])
def case_closed(ctx: Context) -> Json:
    """By case: whether it is closed."""
    return {id: ctx.read("cases", id)["status"] == "closed" for id in ctx.claimable("cases")}


@cases.fact(Status)
def case_status(ctx: Context) -> Json:
    """Where the case K-1 stands."""
    return ctx.read("cases", SUBJECT)["status"]


@cases.sets("case_closed_days_ago", int)
def set_case_closed_days_ago(ctx: Context, value: int) -> None:
    """The case K-1 was closed this many days ago."""
    ctx.create(
        "cases",
        with_id=SUBJECT,
        contact=subject_contact(ctx),
        subject="Banner colours",
        status="closed",
        closed=(ctx.now - timedelta(days=value)).isoformat(),
    )
