"""Quotes: what is offered to a customer, in versions, each with an approval of its own before it goes out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.approvals import covering
from company_lab.company.crm import subject_contact
from company_lab.company.email import deliver
from company_lab.company.fields import given, listed, whole, words
from company_lab.company.paging import PageNumber, PageSize, page_of
from company_lab.company.totals import list_minor
from company_lab.company.transitions import Transitions
from company_lab.company.wording import LANGUAGES, offers
from company_lab.formats.money import to_text
from company_lab.worlds import (
    ABSENT,
    TARGET,
    AmountRole,
    Between,
    Claim,
    Context,
    CurrencyCode,
    Decision,
    Department,
    Failed,
    Json,
    MinorUnits,
    Prose,
    Ref,
    Request,
    Table,
    Tool,
    hold,
    under,
)
from company_lab.worlds.state import Absent

SUBJECT = "Q-1"
"""The quote that facts, happenings and requests of the short form are about."""


Status = Literal["draft", "sent", "accepted", "withdrawn"]
QUOTE_MOVES = Transitions(
    {
        "draft": ("draft", "sent", "withdrawn"),
        "sent": ("draft", "sent", "accepted", "withdrawn"),
        "accepted": (),
        "withdrawn": (),
    }
)
"""Where a quote may go. A new version is a draft again."""


class Line(TypedDict):
    """One position of a quote, an order or an invoice."""

    item: str
    quantity: int
    price_minor: NotRequired[MinorUnits]


class Earlier(TypedDict):
    """A version that was replaced."""

    version: int
    total_minor: MinorUnits


class Quote(TypedDict):
    """An offer. `approved_version` is the version somebody approved; new content makes a new version.

    `list_minor` is the price before anything was given away, where it is not the total and the discount.
    """

    contact: Annotated[str, Ref("contacts")]
    version: int
    approved_version: NotRequired[int | None]
    total_minor: MinorUnits
    currency: CurrencyCode
    status: Status
    lines: NotRequired[list[Line]]
    discount_minor: NotRequired[MinorUnits]
    list_minor: NotRequired[MinorUnits]
    earlier: NotRequired[list[Earlier]]
    sent_version: NotRequired[int]
    note: NotRequired[Prose]


class Approved(TypedDict):
    """Somebody approved a version of a quote."""

    quote: Annotated[str, Ref("quotes")]
    version: int
    by: NotRequired[str]


class Accepted(TypedDict):
    """The customer says yes to a version of a quote."""

    quote: Annotated[str, Ref("quotes")]
    version: int


class Revised(TypedDict):
    """A colleague changed a quote."""

    quote: Annotated[str, Ref("quotes")]
    version: int
    total_minor: NotRequired[MinorUnits]
    note: NotRequired[str]


quotes = Department(
    "quotes",
    tables={"quotes": Table(record=Quote, singular="quote", read="quotes.read")},
    reasons=("quote_changed", "quote_not_approved"),
    claims=(
        Claim(
            name="quote_sent",
            fact="quote_sent",
            phrases=offers.QUOTE_SENT,
            languages=LANGUAGES,
        ),
        Claim(
            name="quote_approved",
            fact="quote_approved",
            phrases=offers.QUOTE_APPROVED,
            languages=LANGUAGES,
        ),
        Claim(
            name="discount_promised",
            fact="discount_agreed",
            commitment=True,
            phrases=offers.DISCOUNT_PROMISED,
            languages=LANGUAGES,
        ),
    ),
    amount_roles=(AmountRole(name="earlier_total", phrases=offers.EARLIER_TOTAL_ROLE),),
    requests=(
        Request(
            name="send_quote",
            tool="quotes.send",
            args={"id": SUBJECT},
            task=f"Please send quote {SUBJECT} to the customer.",
            never_claims=("quote_sent", "quote_approved"),
        ),
    ),
)


@quotes.tool(permission="quotes.read")
def get(ctx: Context, id: Annotated[str, Ref("quotes"), TARGET]) -> Json:
    """Read one quote: its version, the version that was approved, the amount and the lines."""
    return ctx.show("quotes", id)


@quotes.tool(permission="quotes.read")
def find(
    ctx: Context,
    contact: Annotated[str | None, Ref("contacts"), TARGET] = None,
    status: Status | None = None,
    limit: PageSize = 20,
    page: PageNumber = 1,
) -> Json:
    """List quotes of a contact, or those in a status."""
    return page_of(
        ctx, "quotes", ctx.find("quotes", **given(contact=contact, status=status)), page=page, limit=limit
    )


@quotes.tool(permission="quotes.write", writes=True)
def create(
    ctx: Context,
    contact: Annotated[str, Ref("contacts"), TARGET],
    total_minor: Annotated[MinorUnits, Between(0)],
    currency: CurrencyCode,
    lines: list[Line] | None = None,
    discount_minor: Annotated[MinorUnits | None, Between(0)] = None,
) -> Json:
    """Draft a quote as version 1. Drafts are not sent."""
    ctx.read("contacts", contact)
    price = list_minor({}, lines or (), total_minor, discount_minor or 0)
    kept = price if price != total_minor + (discount_minor or 0) else None
    id = ctx.create(
        "quotes",
        contact=contact,
        version=1,
        approved_version=None,
        total_minor=total_minor,
        currency=currency,
        status="draft",
        **given(lines=lines, discount_minor=discount_minor, list_minor=kept),  # type: ignore[arg-type]
    )
    return ctx.show("quotes", id)


@quotes.tool(permission="quotes.write", writes=True)
def revise(
    ctx: Context,
    id: Annotated[str, Ref("quotes"), TARGET],
    total_minor: Annotated[MinorUnits, Between(0)],
    lines: list[Line] | None = None,
    discount_minor: Annotated[MinorUnits | None, Between(0)] = None,
    note: Prose = "",
) -> Json:
    """Write a new version of a quote. An approval of an earlier version does not cover it."""
    quote = ctx.read("quotes", id)
    QUOTE_MOVES.check(id, quote, "draft", reason="quote_closed")
    price = list_minor(quote, lines or (), total_minor, discount_minor or 0)
    kept = price if price != total_minor + (discount_minor or 0) else ABSENT
    _new_version(
        ctx,
        id,
        whole(quote, "version") + 1,
        list_minor=kept,
        discount_minor=ABSENT if discount_minor is None else discount_minor,
        **_without_foreign_approval(quote),
        **given(total_minor=total_minor, lines=lines, note=note or None),  # type: ignore[arg-type]
    )
    return ctx.show("quotes", id)


def _without_foreign_approval(quote: Mapping[str, Json]) -> dict[str, Json]:
    """An approval that came before a colleague's version is not one of another content under the same number."""
    ahead = whole(quote, "approved_version") > whole(quote, "version")
    return {"approved_version": None} if ahead else {}


def _new_version(ctx: Context, id: str, version: int, **fields: Json | Absent) -> None:
    quote = ctx.read("quotes", id)
    replaced: Json = {"version": quote["version"], "total_minor": quote["total_minor"]}
    ctx.update(
        "quotes", id, version=version, earlier=[*listed(quote, "earlier"), replaced], status="draft", **fields
    )


@quotes.tool(permission="quotes.write", writes=True)
def withdraw(ctx: Context, id: Annotated[str, Ref("quotes"), TARGET]) -> Json:
    """Withdraw a quote that the customer has not accepted."""
    QUOTE_MOVES.check(id, ctx.read("quotes", id), "withdrawn", reason="quote_closed")
    ctx.update("quotes", id, status="withdrawn")
    return ctx.show("quotes", id)


@quotes.tool(permission="email.send", writes=True)
def send(ctx: Context, id: Annotated[str, Ref("quotes"), TARGET]) -> Json:
    """Send the current version of a quote to the customer's mail address."""
    quote = ctx.read("quotes", id)
    QUOTE_MOVES.check(id, quote, "sent", reason="quote_closed")
    contact = ctx.read("contacts", str(quote["contact"]))
    to = words(contact, "email")
    if to is None:
        raise Failed("no_address", f"there is no mail address for {quote['contact']}")
    total = to_text(whole(quote, "total_minor"), str(quote["currency"]))
    text = f"Please find attached {id}, version {quote['version']}, over {total}."
    deliver(ctx, to, f"Your quote {id}", text, attachments=[id])
    ctx.update("quotes", id, status="sent", sent_version=quote["version"])
    return ctx.show("quotes", id)


@quotes.rule("A quote goes out only in a version that has been approved.", tools=["quotes.send"])
def quote_is_approved(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    return objection_to(ctx, tool, args, str(args["id"]))


def objection_to(ctx: Context, tool: Tool, args: Mapping[str, Json], id: str) -> Decision | None:
    """What stands against resting an action on the current version of a quote."""
    quote = ctx.get("quotes", id)
    if quote is None or quote.get("approved_version") == quote["version"]:
        return None
    approval = covering(ctx, tool, args, version=whole(quote, "version"))
    if approval is not None:
        return under(approval)
    return hold("quote_not_approved" if quote.get("approved_version") is None else "quote_changed")


@quotes.event("quote.approved", Approved, read="quotes.read")
def approved(ctx: Context, data: Mapping[str, Json]) -> None:
    """The version named is approved; an older version never replaces a newer one."""
    quote = ctx.get("quotes", str(data["quote"]))
    if quote is not None and whole(data, "version") > whole(quote, "approved_version"):
        ctx.update("quotes", str(data["quote"]), approved_version=data["version"])


@quotes.event("quote.accepted", Accepted, read="quotes.read")
def accepted(ctx: Context, data: Mapping[str, Json]) -> None:
    """The customer accepts. Only the version that was sent last, and stands, can be accepted."""
    quote = ctx.get("quotes", str(data["quote"]))
    if quote is None or not QUOTE_MOVES.allow(str(quote["status"]), "accepted"):
        return
    if quote["version"] == data["version"] == quote.get("sent_version"):
        ctx.update("quotes", str(data["quote"]), status="accepted")


@quotes.event("quote.revised", Revised, read="quotes.read")
def revised(ctx: Context, data: Mapping[str, Json]) -> None:
    """A colleague's version replaces an older one; versions never go back, and what is closed stays so."""
    id = str(data["quote"])
    quote = ctx.get("quotes", id)
    if quote is None or not QUOTE_MOVES.allow(str(quote["status"]), "draft"):
        return
    if whole(data, "version") > whole(quote, "version"):
        changed = {key: data[key] for key in ("total_minor", "note") if key in data}
        _new_version(ctx, id, whole(data, "version"), **changed)


def subject_quote(ctx: Context) -> str:
    """The quote that built records belong to; made where a scenario names none."""
    if ctx.get("quotes", SUBJECT) is None:
        ctx.create(
            "quotes",
            with_id=SUBJECT,
            contact=subject_contact(ctx),
            version=1,
            approved_version=None,
            total_minor=420000,
            currency="EUR",
            status="draft",
        )
    return SUBJECT


@quotes.fact(int)
def quote_version(ctx: Context) -> Json:
    """The current version of the quote Q-1."""
    return ctx.read("quotes", SUBJECT)["version"]


@quotes.sets("quote_version", int)
def set_quote_version(ctx: Context, value: int) -> None:
    subject_quote(ctx)
    ctx.update("quotes", SUBJECT, version=value)


@quotes.fact(int | None)
def approved_version(ctx: Context) -> Json:
    """The version of the quote Q-1 that was approved, or null."""
    return ctx.read("quotes", SUBJECT).get("approved_version")


@quotes.sets("approved_version", int | None)
def set_approved_version(ctx: Context, value: int | None) -> None:
    subject_quote(ctx)
    ctx.update("quotes", SUBJECT, approved_version=value)


@quotes.stimulus(int)
def edit_quote_to_version(ctx: Context, value: int) -> None:
    """A colleague edits the quote Q-1; it is now this version."""
    _new_version(ctx, SUBJECT, value)


@quotes.stimulus(int)
def approve_quote_version(ctx: Context, value: int) -> None:
    """The sales lead approves this version of the quote Q-1."""
    ctx.update("quotes", SUBJECT, approved_version=value)


@quotes.fact(dict[str, bool])
def quote_sent(ctx: Context) -> Json:
    """By quote: whether its current version has been sent."""
    found: dict[str, Json] = {}
    for id in ctx.claimable("quotes"):
        quote = ctx.read("quotes", id)
        found[id] = quote.get("sent_version") == quote["version"]
    return found


@quotes.fact(dict[str, bool])
def quote_approved(ctx: Context) -> Json:
    """By quote: whether its current version is the approved one."""
    found: dict[str, Json] = {}
    for id in ctx.claimable("quotes"):
        quote = ctx.read("quotes", id)
        found[id] = quote.get("approved_version") == quote["version"]
    return found


@quotes.fact(dict[str, bool])
def discount_agreed(ctx: Context) -> Json:
    """By quote: whether a discount stands in an approved version."""
    found: dict[str, Json] = {}
    for id in ctx.claimable("quotes"):
        quote = ctx.read("quotes", id)
        less = whole(quote, "discount_minor") > 0 or whole(quote, "list_minor") > whole(quote, "total_minor")
        found[id] = less and quote.get("approved_version") == quote["version"]
    return found
