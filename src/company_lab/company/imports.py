"""Imports: lists of contacts written in one go, by whoever may write each of their rows.

These are a tool and rules of the crm department. An import is no way round: a row needs what the same change
would need by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NotRequired, TypedDict

from company_lab.company.crm import (
    LONGEST_TERMS,
    Consent,
    crm,
    holds_permission,
    write_contact,
)
from company_lab.company.terms import TERMS, changes_terms
from company_lab.worlds import (
    TARGET,
    About,
    Between,
    Context,
    Decision,
    Json,
    Request,
    Tool,
    deny,
)

WRITTEN = ("name", "phone", "company", "address", "city", "payment_terms_days", "marketing")


class Row(TypedDict):
    """One row of a list; the mail address says whose it is."""

    email: str
    name: NotRequired[str]
    phone: NotRequired[str]
    company: NotRequired[str]
    address: NotRequired[str]
    city: NotRequired[str]
    payment_terms_days: NotRequired[Annotated[int, Between(0, LONGEST_TERMS)]]
    marketing: NotRequired[Consent]
    tenant: NotRequired[str]


crm.requests = (
    *crm.requests,
    Request(
        name="import_contacts",
        tool="crm.bulk_import",
        args={
            "rows": [
                {
                    "email": "IDA@holm.example.test",
                    "city": "Kiel",
                    "payment_terms_days": 30,
                    "marketing": "opted_in",
                    "tenant": "brightwater",
                }
            ]
        },
        task="Please import this row: IDA@holm.example.test, Kiel, 30 days to pay, offers yes, tenant brightwater.",
    ),
)


@crm.tool(permission="crm.bulk_import", writes=True)
def bulk_import(
    ctx: Context,
    rows: Annotated[list[Row], About("Known mail addresses are updated, the others added."), TARGET],
) -> Json:
    """Write a list of contacts. Letter case of an address does not matter."""
    written: dict[str, list[Json]] = {"created": [], "updated": []}
    for row in rows:
        fields: dict[str, Json] = {name: row[name] for name in WRITTEN if name in row}  # type: ignore[literal-required]
        known = _known(ctx, row)
        for id in known:
            write_contact(ctx, id, **fields)
            written["updated"].append(id)
        if not known:
            fields.setdefault("name", row["email"].partition("@")[0])
            id = ctx.create("contacts", email=row["email"])
            ctx.update("contacts", id, **fields)
            written["created"].append(id)
    return {"created": written["created"], "updated": written["updated"]}


def _known(ctx: Context, row: Mapping[str, object] | Row) -> list[str]:
    return ctx.find("contacts", fold_case=True, email=str(row["email"]))


def _rows(
    ctx: Context, args: Mapping[str, Json]
) -> list[tuple[Mapping[str, Json], Mapping[str, Json] | None]]:
    """Each row with the contact it is about; one row may be about several, or about nobody known yet."""
    rows = args["rows"]
    pairs: list[tuple[Mapping[str, Json], Mapping[str, Json] | None]] = []
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict):
            known = ctx.find("contacts", fold_case=True, email=row["email"])
            pairs += [(row, ctx.read("contacts", id)) for id in known] or [(row, None)]
    return pairs


@crm.rule("An import needs every right that its rows would need one by one.", tools=["crm.bulk_import"])
def import_needs_the_rights_of_its_rows(
    ctx: Context, tool: Tool, args: Mapping[str, Json]
) -> Decision | None:
    needed = {"crm.write"}
    if any(changes_terms(contact, row) for row, contact in _rows(ctx, args)):
        needed.add(TERMS)
    return None if all(holds_permission(ctx, one) for one in needed) else deny("row_permission")


@crm.rule("The rows of an import belong to the tenant it is made for.", tools=["crm.bulk_import"])
def import_stays_in_the_tenant(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    foreign = any(row.get("tenant") not in (None, ctx.own_tenant) for row, _ in _rows(ctx, args))
    return deny("row_of_another_tenant") if foreign else None


@crm.rule("An import changes nobody's word on advertising.", tools=["crm.bulk_import"])
def import_keeps_consent(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    for row, contact in _rows(ctx, args):
        known = "unknown" if contact is None else contact.get("marketing", "unknown")
        if row.get("marketing", known) != known:
            return deny("consent_by_import")
    return None


@crm.fact(str | None)
def contact_city(ctx: Context) -> Json:
    """The city of the contact C-1, or null."""
    return ctx.read("contacts", "C-1").get("city")
