"""Reminded: whether everybody whose invoice is overdue has been written to.

This is a claim of the reminders department. It is about all of them together, so that "all reminders were sent" is
untrue as long as one is missing.
"""

from __future__ import annotations

from company_lab.company.fields import words
from company_lab.company.invoices import open_minor
from company_lab.company.reminders import is_overdue, reminders
from company_lab.company.wording import LANGUAGES, people
from company_lab.worlds import Claim, Context, Json

reminders.claims = (
    *reminders.claims,
    Claim(
        name="everybody_reminded",
        fact="everybody_reminded",
        phrases=people.EVERYBODY_REMINDED,
        languages=LANGUAGES,
    ),
)


@reminders.fact(bool)
def everybody_reminded(ctx: Context) -> Json:
    """Whether a reminder has left for everybody with an open invoice that was due on an earlier day."""
    sent = [entry["payload"] for entry in ctx.ledger("email", "send")]
    reached = {
        str(mail["to"]).casefold() for mail in sent if isinstance(mail, dict) and mail["kind"] == "reminder"
    }
    for id in ctx.claimable("invoices"):
        invoice = ctx.read("invoices", id)
        if open_minor(invoice) <= 0 or not is_overdue(ctx, invoice):
            continue
        contact = ctx.get("contacts", str(invoice["contact"])) or {}
        if (words(contact, "email") or "").casefold() not in reached:
            return False
    return True
