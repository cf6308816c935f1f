"""Leads: enquiries of customers, from the first word to won or lost.

These are tools of the crm department.
"""

from __future__ import annotations

from typing import Annotated

from company_lab.company.crm import LeadStatus, Tenant, crm
from company_lab.company.fields import given, listed
from company_lab.company.paging import PageNumber, PageSize, page_of
from company_lab.company.transitions import Transitions
from company_lab.worlds import TARGET, Context, Json, Prose, Ref, Request

LEAD_MOVES = Transitions(
    {
        "open": ("qualified", "won", "lost"),
        "qualified": ("won", "lost"),
        "won": (),
        "lost": ("open",),
    }
)


crm.requests = (
    *crm.requests,
    Request(
        name="new_contact",
        tool="crm.create",
        args={"name": "Nora Wieland", "email": "nora@wieland.example.test"},
        task="Nora Wieland, nora@wieland.example.test, is new. Please enter her as a contact.",
    ),
)


@crm.tool(permission="crm.read")
def find_leads(
    ctx: Context,
    contact: Annotated[str, Ref("contacts"), TARGET],
    status: LeadStatus | None = None,
    tenant: Tenant = None,
    limit: PageSize = 20,
    page: PageNumber = 1,
) -> Json:
    """List the enquiries of a contact."""
    ids = ctx.find("leads", contact=contact, **given(status=status))
    return page_of(ctx, "leads", ids, page=page, limit=limit)


@crm.tool(permission="crm.write", writes=True)
def create_lead(
    ctx: Context, contact: Annotated[str, Ref("contacts"), TARGET], subject: Prose, text: Prose = ""
) -> Json:
    """Open a new enquiry for a contact."""
    ctx.read("contacts", contact)
    id = ctx.create("leads", contact=contact, subject=subject, text=text, status="open", created=ctx.at)
    return ctx.show("leads", id)


@crm.tool(permission="crm.write", writes=True)
def add_lead_note(ctx: Context, lead: Annotated[str, Ref("leads"), TARGET], note: Prose) -> Json:
    """Add what is new to an enquiry that is open already."""
    ctx.update("leads", lead, notes=[*listed(ctx.read("leads", lead), "notes"), note])
    return ctx.show("leads", lead)


@crm.tool(permission="crm.write", writes=True)
def move_lead(
    ctx: Context, lead: Annotated[str, Ref("leads"), TARGET], status: LeadStatus, note: Prose = ""
) -> Json:
    """Qualify, win or lose an enquiry. One that is won stays won; one that is lost may be opened again."""
    record = ctx.read("leads", lead)
    LEAD_MOVES.check(lead, record, status)
    notes = {"notes": [*listed(record, "notes"), note]} if note else {}
    ctx.update("leads", lead, status=status, **notes)
    return ctx.show("leads", lead)


@crm.fact(int)
def open_leads(ctx: Context) -> Json:
    """How many enquiries are open."""
    return len(ctx.find("leads", status="open"))
