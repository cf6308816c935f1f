"""Consent: what people said about advertising, when, and where.

These are tools and rules of the crm department. Nothing but `crm.record_consent`, and the person's own click,
changes what somebody said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.crm import SUBJECT, Consent, crm, subject_contact, write_contact
from company_lab.company.fields import words
from company_lab.company.wording import LANGUAGES, people
from company_lab.formats.time import parse_moment
from company_lab.worlds import (
    TARGET,
    About,
    Claim,
    Context,
    Decision,
    Failed,
    Json,
    Moment,
    Ref,
    Request,
    Tool,
    deny,
)


class ConsentGiven(TypedDict):
    """A person clicked: they allow or refuse advertising."""

    contact: Annotated[str, Ref("contacts")]
    marketing: Literal["opted_in", "opted_out"]
    at: NotRequired[Moment]
    source: NotRequired[str]


crm.requests = (
    *crm.requests,
    Request(
        name="record_opt_in",
        tool="crm.record_consent",
        args={
            "id": SUBJECT,
            "marketing": "opted_in",
            "source": "card from the trade fair",
            "at": "2026-02-14T12:00:00+00:00",
        },
        task="Ida Holm, C-1, ticked the box for offers at the trade fair, 14 February at noon UTC. Record it, please.",
    ),
)
crm.claims = (
    *crm.claims,
    Claim(
        name="unsubscribed",
        fact="unsubscribed",
        phrases=people.UNSUBSCRIBED,
        languages=LANGUAGES,
    ),
)


@crm.tool(permission="crm.write", writes=True)
def record_consent(
    ctx: Context,
    id: Annotated[str, Ref("contacts"), TARGET],
    marketing: Consent,
    source: Annotated[str, About("Where the person said so, such as a form or a mail.")],
    at: Annotated[Moment | None, About("When the person said so; leave out for just now.")] = None,
) -> Json:
    """Record that a person allowed or refused advertising, with the moment and the source."""
    if at is not None and parse_moment(at) > ctx.now:
        raise Failed("moment_ahead", f"{at} lies ahead; nobody has said anything then")
    write_contact(ctx, id, marketing=marketing, marketing_since=at or ctx.at, marketing_source=source)
    return ctx.show("contacts", id)


@crm.rule(
    "The newest word on advertising counts: an older yes never undoes a later no.",
    tools=["crm.record_consent"],
)
def newest_consent_counts(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    contact = ctx.get("contacts", str(args["id"]))
    said = words(args, "at")
    if contact is None or said is None or contact.get("marketing") != "opted_out":
        return None
    if args["marketing"] == "opted_out":
        return None
    since = words(contact, "marketing_since")
    newer = since is not None and parse_moment(said) > parse_moment(since)
    return None if newer else deny("newer_consent")


@crm.event("consent.given", ConsentGiven, read="crm.read")
def consent_given(ctx: Context, data: Mapping[str, Json]) -> None:
    """A person clicked on a form or a link; a word older than what is known changes nothing."""
    id = str(data["contact"])
    contact = ctx.get("contacts", id)
    if contact is None:
        return
    since, said = words(contact, "marketing_since"), words(data, "at") or ctx.at
    if since is None or parse_moment(said) > parse_moment(since):
        source = words(data, "source") or "link in a mail"
        write_contact(ctx, id, marketing=data["marketing"], marketing_since=said, marketing_source=source)


@crm.fact(dict[str, bool])
def unsubscribed(ctx: Context) -> Json:
    """By contact: whether they are recorded as not wanting advertising."""
    return {id: ctx.read("contacts", id).get("marketing") == "opted_out" for id in ctx.claimable("contacts")}


@crm.fact(Moment | None)
def opted_out_since(ctx: Context) -> Json:
    """Since when the contact C-1 does not want advertising, or null."""
    contact = ctx.read("contacts", SUBJECT)
    return contact.get("marketing_since") if contact.get("marketing") == "opted_out" else None


@crm.sets("opted_out_since", Moment | None)
def set_opted_out_since(ctx: Context, value: str | None) -> None:
    if value is not None:
        ctx.update("contacts", subject_contact(ctx), marketing="opted_out", marketing_since=value)
