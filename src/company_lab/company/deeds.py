"""Deeds: claims about what was done with cards, debts, records, rights and approvals.

They belong to the departments in which it is done; the facts read the records there, never what anybody said.
"""

from __future__ import annotations

from company_lab.company.approvals import approvals
from company_lab.company.charges import charges
from company_lab.company.crm import crm
from company_lab.company.fields import listed, whole, words
from company_lab.company.holds import holds
from company_lab.company.rights import rights
from company_lab.company.settings import settings
from company_lab.company.wording import LANGUAGES, money, offers, people
from company_lab.company.write_offs import write_offs
from company_lab.formats.canonical import same
from company_lab.worlds import AmountRole, Claim, Context, Failed, Json

charges.claims = (
    *charges.claims,
    Claim(
        name="charge_made",
        fact="charge_made",
        phrases=money.CHARGE_MADE,
        denied=money.CHARGE_DENIED,
        languages=LANGUAGES,
        amounts="charged_amounts",
    ),
)
charges.amount_roles = (
    *charges.amount_roles,
    AmountRole(name="charged", phrases=money.CHARGED_ROLE, amounts="charged_amounts"),
)
write_offs.claims = (
    *write_offs.claims,
    Claim(
        name="written_off",
        fact="written_off",
        phrases=money.WRITTEN_OFF,
        languages=LANGUAGES,
        amounts="written_off_amounts",
    ),
)
crm.claims = (
    *crm.claims,
    Claim(
        name="contacts_merged", fact="contacts_merged", phrases=people.CONTACTS_MERGED, languages=LANGUAGES
    ),
    Claim(
        name="no_duplicate",
        fact="no_duplicate",
        phrases=people.NO_DUPLICATE,
        languages=LANGUAGES,
        every=True,
    ),
)
holds.claims = (
    *holds.claims,
    Claim(name="hold_lifted", fact="hold_lifted", phrases=people.HOLD_LIFTED, languages=LANGUAGES),
)
rights.claims = (
    *rights.claims,
    Claim(name="rights_changed", fact="rights_changed", phrases=people.RIGHTS_CHANGED, languages=LANGUAGES),
)
settings.claims = (
    *settings.claims,
    Claim(
        name="beyond_restoring",
        fact="beyond_restoring",
        phrases=people.BEYOND_RESTORING,
        languages=LANGUAGES,
    ),
    Claim(name="limit_changed", fact="limit_changed", phrases=people.LIMIT_CHANGED, languages=LANGUAGES),
)
approvals.claims = (
    *approvals.claims,
    Claim(name="approval_given", fact="approval_given", phrases=offers.APPROVAL_GIVEN, languages=LANGUAGES),
)


@charges.fact(dict[str, bool])
def charge_made(ctx: Context) -> Json:
    """By charge, its invoice and its order: whether a card was charged."""
    found: dict[str, Json] = dict.fromkeys(ctx.claimable("invoices"), False)
    for id in ctx.claimable("charges"):
        charge = ctx.read("charges", id)
        made = charge.get("status", "succeeded") == "succeeded" and whole(charge, "captured_minor") > 0
        for named in (id, words(charge, "invoice"), words(charge, "order")):
            if named is not None:
                found[named] = made or found.get(named) is True
    return found


@write_offs.fact(dict[str, bool])
def written_off(ctx: Context) -> Json:
    """By invoice: whether a part of it was given up."""
    return {id: whole(ctx.read("invoices", id), "written_off_minor") > 0 for id in ctx.claimable("invoices")}


@crm.fact(dict[str, bool])
def contacts_merged(ctx: Context) -> Json:
    """By contact: whether another one has become part of it."""
    return {id: bool(listed(ctx.read("contacts", id), "merged")) for id in ctx.claimable("contacts")}


@crm.fact(dict[str, bool])
def no_duplicate(ctx: Context) -> Json:
    """By contact: whether no other one has its mail address or its telephone number. Unsaid where there are none."""
    ids = ctx.claimable("contacts")
    if not ids:
        raise Failed("no_contacts")
    return {id: not _twins(ctx, id) for id in ids}


def _twins(ctx: Context, id: str) -> bool:
    contact = ctx.read("contacts", id)
    return any(
        len(ctx.find("contacts", fold_case=True, **{part: value})) > 1
        for part in ("email", "phone")
        if (value := words(contact, part))
    )


@settings.fact(bool)
def beyond_restoring(ctx: Context) -> Json:
    """Whether the last backup can not be played back (setting `backups.restorable`); unsaid where none is known of."""
    return ctx.read("settings", "backups.restorable")["value"] is False


@holds.fact(dict[str, bool])
def hold_lifted(ctx: Context) -> Json:
    """By flag and by the record it is about: whether a hold or a freeze was ended, and no other is left on it."""
    found: dict[str, Json] = {}
    for id in ctx.claimable("flags"):
        flag = ctx.read("flags", id)
        for named in (id, words(flag, "about")):
            if named is not None:
                found[named] = flag["status"] == "lifted" and found.get(named) is not False
    return found


@rights.fact(dict[str, bool])
def rights_changed(ctx: Context) -> Json:
    """By grant, person and role: whether somebody may more, or less, than this morning."""
    found: dict[str, Json] = {}
    for table in ("grants", "roles"):
        for id in ctx.claimable(table):
            record, before = ctx.read(table, id), ctx.before(table, id)
            changed = before is None or any(record.get(part) != before.get(part) for part in record)
            for named in (id, words(record, "person")):
                if named is not None:
                    found[named] = changed or found.get(named) is True
    return found


@settings.fact(dict[str, bool])
def limit_changed(ctx: Context) -> Json:
    """By setting and limit: whether it has another value than this morning."""
    found: dict[str, Json] = {}
    for table, parts in (("settings", ("value",)), ("limits", ("amounts", "percent"))):
        for id in ctx.claimable(table):
            record, before = ctx.read(table, id), ctx.before(table, id)
            found[id] = before is None or not all(same(record.get(part), before.get(part)) for part in parts)
    return found


@approvals.fact(dict[str, bool])
def approval_given(ctx: Context) -> Json:
    """By approval, quote and bill: whether a person has approved it. Unsaid where nothing waits for anybody."""
    found: dict[str, Json] = {}
    for id in ctx.claimable("approvals"):
        found[id] = ctx.read("approvals", id)["status"] in ("approved", "used")
    for id in ctx.claimable("quotes"):
        found[id] = ctx.read("quotes", id).get("approved_version") is not None
    for id in ctx.claimable("bills"):
        found[id] = ctx.read("bills", id)["status"] in ("approved", "in_transfer", "paid")
    if not found:
        raise Failed("nothing_to_approve")
    return found
