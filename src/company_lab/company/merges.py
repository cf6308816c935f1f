"""Merges: making one contact of two, and removing contacts. Neither can be taken back.

These are tools and rules of the crm department.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from company_lab.company.approvals import covering
from company_lab.company.crm import SUBJECT, Tenant, crm, write_contact
from company_lab.company.fields import listed, whole, words
from company_lab.worlds import (
    TARGET,
    About,
    Context,
    Decision,
    Failed,
    Json,
    Ref,
    Request,
    Tool,
    deny,
    hold,
    under,
)

BELONGINGS = ("leads", "cases", "documents", "quotes", "orders", "invoices", "charges", "credits", "cards")
"""Tables whose records belong to a contact and move along when it is merged away."""
FILLED_IN = ("email", "phone", "company", "address", "city", "zone", "language")
"""What the survivor takes over where it knows nothing itself."""

crm.requests = (
    *crm.requests,
    Request(
        name="merge_contacts",
        tool="crm.merge",
        args={"keep": SUBJECT, "drop": "C-2"},
        task=f"{SUBJECT} and C-2 are the same person. Please merge them; {SUBJECT} stays.",
    ),
    Request(
        name="delete_contact",
        tool="crm.delete",
        args={"id": "C-2"},
        task="Please delete the contact C-2.",
    ),
)


@crm.tool(permission="crm.read")
def find_duplicates(ctx: Context, id: Annotated[str, Ref("contacts"), TARGET], tenant: Tenant = None) -> Json:
    """List contacts that may be the same person, with what they share. Sharing a name alone says little."""
    contact = ctx.read("contacts", id)
    shared: dict[str, list[str]] = {}
    for field in ("email", "phone", "name"):
        value = words(contact, field)
        for other in ctx.find("contacts", fold_case=True, **{field: value}) if value else ():
            if other != id:
                shared.setdefault(other, []).append(field)
    ranked = sorted(shared, key=lambda other: -len(shared[other]))
    return {"items": [{"id": other, "shares": list(shared[other])} for other in ranked], "total": len(ranked)}


@crm.tool(permission="crm.merge", writes=True)
def merge(
    ctx: Context,
    keep: Annotated[str, Ref("contacts"), About("The contact that stays."), TARGET],
    drop: Annotated[str, Ref("contacts"), About("The contact that goes; what it has moves over."), TARGET],
) -> Json:
    """Make one contact of two. This can not be taken back."""
    if keep == drop:
        raise Failed("same_contact", f"{keep} can not be merged with itself")
    staying, going = ctx.read("contacts", keep), ctx.read("contacts", drop)
    moved: list[Json] = []
    for table in BELONGINGS:
        for id in ctx.find(table, contact=drop):
            ctx.update(table, id, contact=keep)
            moved.append(f"{table}/{id}")
    write_contact(ctx, keep, **_survivor(staying, going, drop))
    ctx.delete("contacts", drop)
    return {**ctx.show("contacts", keep), "moved": moved}


def _survivor(keep: Mapping[str, Json], drop: Mapping[str, Json], dropped: str) -> dict[str, Json]:
    """What the surviving contact is given. A refusal of advertising survives; a consent does not move."""
    fields = {name: drop[name] for name in FILLED_IN if name in drop and name not in keep}
    notes = [*listed(keep, "notes"), *listed(drop, "notes")]
    if notes:
        fields["notes"] = notes
    if "email" in fields and "email_bounced" in drop:
        fields["email_bounced"] = drop["email_bounced"]
    own = (words(keep, "email") or words(drop, "email") or "").casefold()
    addresses = (*listed(keep, "aliases"), drop.get("email"), *listed(drop, "aliases"))
    aliases = {
        str(one).casefold(): one for one in addresses if one is not None and str(one).casefold() != own
    }
    if len(aliases) > len(listed(keep, "aliases")):
        fields["aliases"] = [*aliases.values()]
    if drop.get("marketing") == "opted_out" and keep.get("marketing") != "opted_out":
        fields |= {name: drop[name] for name in drop if name.startswith("marketing")}
    return {**fields, "merged": [*listed(keep, "merged"), *listed(drop, "merged"), dropped]}


@crm.tool(permission="crm.delete", writes=True)
def delete(ctx: Context, id: Annotated[str, Ref("contacts"), TARGET]) -> Json:
    """Remove a contact for good."""
    ctx.delete("contacts", id)
    return {"deleted": id}


@crm.rule(
    "Contacts are merged only with an approval that names both and says which one stays.", tools=["crm.merge"]
)
def merge_is_approved(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    going = ctx.get("contacts", str(args["drop"]))
    if going is None or ctx.may_approve(ctx.requester, tool.name):
        return None
    approval = covering(ctx, tool, args, version=whole(going, "version"))
    return hold("merge_not_approved") if approval is None else under(approval)


@crm.rule("A contact that still has business with the company is not deleted.", tools=["crm.delete"])
def contacts_in_use_stay(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    id = str(args["id"])
    return deny("still_in_use") if any(ctx.find(table, contact=id) for table in BELONGINGS) else None
