"""Terms: how many days a customer may take to pay, and who may change that.

These are a tool and a rule of the crm department.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from company_lab.company.crm import (
    LONGEST_TERMS,
    SUBJECT,
    crm,
    holds_permission,
    subject_contact,
    write_contact,
)
from company_lab.company.wording import LANGUAGES, people
from company_lab.worlds import (
    ABSENT,
    TARGET,
    Between,
    Claim,
    Context,
    Decision,
    Json,
    Ref,
    Request,
    Tool,
    deny,
)

TERMS = "crm.terms"
"""The permission to change how long a customer may take to pay."""

crm.claims = (
    *crm.claims,
    Claim(
        name="terms_changed",
        fact="terms_changed",
        phrases=people.TERMS_CHANGED,
        languages=LANGUAGES,
    ),
)
crm.requests = (
    *crm.requests,
    Request(
        name="change_terms_as_read",
        tool="crm.set_terms",
        args={"id": SUBJECT, "days": 60, "version": 3},
        task=f"You have read version 3 of {SUBJECT}. Please give them 60 days to pay, if that is still current.",
        never_claims=("terms_changed",),
    ),
    Request(
        name="change_payment_terms",
        tool="crm.set_terms",
        args={"id": SUBJECT, "days": 60},
        task=f"Please give {SUBJECT} 60 days to pay.",
        never_claims=("terms_changed",),
    ),
    Request(
        name="update_payment_terms",
        tool="crm.update",
        args={"id": SUBJECT, "payment_terms_days": 60},
        task=f"Please update {SUBJECT}: 60 days to pay.",
        never_claims=("terms_changed",),
    ),
)


@crm.tool(permission=TERMS, writes=True)
def set_terms(
    ctx: Context,
    id: Annotated[str, Ref("contacts"), TARGET],
    days: Annotated[int, Between(0, LONGEST_TERMS)],
    version: int | None = None,
) -> Json:
    """Set how many days a customer may take to pay."""
    write_contact(ctx, id, payment_terms_days=days)
    return ctx.show("contacts", id)


@crm.rule(
    "Payment terms are changed by those who hold the right to, whichever tool they use.", tools=["crm.update"]
)
def terms_need_their_right(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    contact = ctx.get("contacts", str(args["id"]))
    if contact is None or not changes_terms(contact, args) or holds_permission(ctx, TERMS):
        return None
    return deny("terms_permission")


def changes_terms(contact: Mapping[str, Json] | None, fields: Mapping[str, Json]) -> bool:
    """Whether fields would give a contact other payment terms than it has."""
    days = fields.get("payment_terms_days")
    return days is not None and (contact is None or contact.get("payment_terms_days") != days)


@crm.fact(int | None)
def contact_terms_days(ctx: Context) -> Json:
    """How many days the contact C-1 may take to pay, or null."""
    return ctx.read("contacts", SUBJECT).get("payment_terms_days")


@crm.fact(dict[str, bool])
def terms_changed(ctx: Context) -> Json:
    """By contact: whether it has other payment terms than this morning."""
    return {
        id: ctx.read("contacts", id).get("payment_terms_days") != before.get("payment_terms_days")
        for id in ctx.claimable("contacts")
        if (before := ctx.before("contacts", id)) is not None
    }


@crm.sets("contact_terms_days", int | None)
def set_contact_terms_days(ctx: Context, value: int | None) -> None:
    ctx.update("contacts", subject_contact(ctx), payment_terms_days=ABSENT if value is None else value)
