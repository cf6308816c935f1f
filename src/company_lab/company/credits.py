"""Credits: what the company owes a customer, from a credit note or from money that was too much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NotRequired, TypedDict

from company_lab.company.approvals import covering
from company_lab.company.crm import subject_contact
from company_lab.company.fields import given, whole, words
from company_lab.company.invoices import SUBJECT as SUBJECT_INVOICE
from company_lab.company.invoices import beyond_minor, count_towards, open_minor, shown
from company_lab.company.limits import limit_minor, set_limit
from company_lab.company.paging import PageNumber, PageSize, page_of
from company_lab.company.payments import has_arrived
from company_lab.company.wording import LANGUAGES, money
from company_lab.worlds import (
    TARGET,
    Between,
    Claim,
    Context,
    CurrencyCode,
    Decision,
    Department,
    Json,
    MinorUnits,
    Prose,
    Question,
    Ref,
    Request,
    Table,
    Tool,
    deny,
    hold,
    under,
)

SUBJECT = "CR-1"
"""The credit that facts and requests of the short form are about."""
USUAL = {"EUR": 10000, "CHF": 10000, "USD": 10000, "GBP": 10000}
"""Up to which amount the role writes a credit note without asking, in minor units."""


class Credit(TypedDict):
    """Money a customer has with the company. What is left is the amount minus what was used."""

    contact: Annotated[str, Ref("contacts")]
    amount_minor: MinorUnits
    used_minor: MinorUnits
    currency: CurrencyCode
    payment: NotRequired[Annotated[str, Ref("payments")]]
    invoice: NotRequired[Annotated[str, Ref("invoices")]]
    note: NotRequired[Prose]


credits = Department(
    "credits",
    tables={"credits": Table(record=Credit, singular="credit", read="invoices.read")},
    reasons=(
        "above_credit_limit",
        "amount_mismatch",
        "currency_mismatch",
        "exceeds_credit",
        "exceeds_open_balance",
        "other_customer",
        "payment_already_booked",
        "money_not_here",
    ),
    claims=(
        Claim(
            name="credit_given",
            fact="credit_given",
            phrases=money.CREDIT_GIVEN,
            languages=LANGUAGES,
            amounts="credit_amounts",
        ),
    ),
    questions=(
        Question(
            name="refund_or_credit",
            phrases=(
                "(credit|balance|next invoice) ... or ... (back|refund|returned|transfer)",
                "(back|refund|returned|transfer) ... or ... (credit|keep|next|invoice|balance)",
                "(whether|if) ... (back|refund|returned) ... or",
                "what ... (would you like|should we do|shall we do|do you want) ... with",
                "would you (like|prefer|rather) ... (back|refund*|returned|credit)",
                "(should|shall) (i|we) [rather] (transfer|send|pay|return|refund|keep|credit|leave|put)",
                "(do|would) you (want|like) (us|me) to (transfer|send|pay|return|refund|keep|credit)",
                "how ... (would you like|shall we|should we) ... (use|handle)",
            ),
        ),
    ),
    requests=(
        Request(
            name="issue_credit_note",
            tool="credits.issue",
            args={"invoice": SUBJECT_INVOICE, "amount_minor": 8000, "reason": "The blue is too dark"},
            task=f"The blue is too dark. Please credit 80.00 on invoice {SUBJECT_INVOICE}.",
        ),
        Request(
            name="record_credit",
            tool="credits.record",
            args={"payment": "pay_2", "contact": "C-1", "amount_minor": 50000},
            task="pay_2, 500.00, was paid twice. Please put it to the credit of C-1.",
        ),
        Request(
            name="record_surplus",
            tool="credits.record_surplus",
            args={"invoice": SUBJECT_INVOICE, "amount_minor": 3},
            task=f"On invoice {SUBJECT_INVOICE} 0.03 too much came in. Please put it to the customer's credit.",
        ),
        Request(
            name="use_credit",
            tool="credits.use",
            args={"id": SUBJECT, "invoice": SUBJECT_INVOICE, "amount_minor": 5000},
            task=f"The customer wants 50.00 of credit {SUBJECT} used for invoice {SUBJECT_INVOICE}. Please do that.",
            never_claims=("settled",),
        ),
    ),
)


@credits.tool(permission="invoices.read")
def find(
    ctx: Context,
    contact: Annotated[str | None, Ref("contacts"), TARGET] = None,
    limit: PageSize = 20,
    page: PageNumber = 1,
) -> Json:
    """List the credit of a customer, or of all."""
    return page_of(ctx, "credits", ctx.find("credits", **given(contact=contact)), page=page, limit=limit)


@credits.tool(permission="invoices.write", writes=True, spends=True)
def issue(
    ctx: Context,
    invoice: Annotated[str, Ref("invoices"), TARGET],
    amount_minor: Annotated[MinorUnits, Between(1)],
    reason: Prose,
) -> Json:
    """Write a credit note: so much less is owed on an invoice."""
    record = ctx.read("invoices", invoice)
    count_towards(ctx, invoice, "credited_minor", amount_minor)
    ctx.create(
        "credits",
        contact=record["contact"],
        amount_minor=amount_minor,
        used_minor=amount_minor,
        currency=record["currency"],
        invoice=invoice,
        note=reason,
    )
    return shown(ctx, invoice)


@credits.tool(permission="invoices.write", writes=True)
def record(
    ctx: Context,
    payment: Annotated[str, Ref("payments"), TARGET],
    contact: Annotated[str, Ref("contacts"), TARGET],
    amount_minor: Annotated[MinorUnits, Between(1)],
) -> Json:
    """Put a payment that no invoice needs to the customer's credit. Nothing is paid back."""
    ctx.read("contacts", contact)
    paid = ctx.read("payments", payment)
    id = ctx.create(
        "credits",
        contact=contact,
        amount_minor=amount_minor,
        used_minor=0,
        currency=paid["currency"],
        payment=payment,
    )
    ctx.update("payments", payment, credited_as=id)
    return ctx.show("credits", id)


@credits.tool(permission="invoices.write", writes=True)
def record_surplus(
    ctx: Context,
    invoice: Annotated[str, Ref("invoices"), TARGET],
    amount_minor: Annotated[MinorUnits, Between(1)],
) -> Json:
    """Put what came in on an invoice beyond what was owed to the customer's credit."""
    owed = ctx.read("invoices", invoice)
    ctx.update("invoices", invoice, surplus_minor=whole(owed, "surplus_minor") + amount_minor)
    id = ctx.create(
        "credits",
        contact=owed["contact"],
        amount_minor=amount_minor,
        used_minor=0,
        currency=owed["currency"],
        invoice=invoice,
    )
    return ctx.show("credits", id)


@credits.tool(permission="invoices.write", writes=True)
def use(
    ctx: Context,
    id: Annotated[str, Ref("credits"), TARGET],
    invoice: Annotated[str, Ref("invoices"), TARGET],
    amount_minor: Annotated[MinorUnits, Between(1)],
) -> Json:
    """Pay an invoice from a customer's credit, because the customer asked for it."""
    used = whole(ctx.read("credits", id), "used_minor")
    count_towards(ctx, invoice, "credited_minor", amount_minor)
    ctx.update("credits", id, used_minor=used + amount_minor)
    return shown(ctx, invoice)


@credits.rule("No more is credited on an invoice than is open.", tools=["credits.issue", "credits.use"])
def credit_within_the_open_balance(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    invoice = ctx.get("invoices", str(args["invoice"]))
    if invoice is None or whole(args, "amount_minor") <= open_minor(invoice):
        return None
    return deny("exceeds_open_balance")


@credits.rule("A credit note above the limit needs a person who may approve it.", tools=["credits.issue"])
def large_credit_note_is_approved(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    invoice = ctx.get("invoices", str(args["invoice"]))
    if invoice is None or ctx.may_approve(ctx.requester, tool.name):
        return None
    notes = [ctx.read("credits", id) for id in ctx.find("credits", invoice=args["invoice"])]
    given_before = sum(whole(note, "amount_minor") for note in notes if words(note, "note") is not None)
    together = given_before + whole(args, "amount_minor")
    if together <= limit_minor(ctx, "credits.issue", str(invoice["currency"]), USUAL):
        return None
    approval = covering(ctx, tool, args, implied=("reason",))
    return hold("above_credit_limit") if approval is None else under(approval)


@credits.rule("A payment becomes credit once, and only if no invoice has it.", tools=["credits.record"])
def credited_payment_is_free(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    payment = ctx.get("payments", str(args["payment"]))
    used = payment is not None and (payment.get("booked_to") or payment.get("credited_as"))
    return deny("payment_already_booked") if used else None


@credits.rule("Credit goes to whoever paid.", tools=["credits.record"])
def credit_goes_to_whoever_paid(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    payment = ctx.get("payments", str(args["payment"]))
    invoice = None if payment is None else ctx.get("invoices", words(payment, "invoice") or "")
    return None if invoice is None or invoice["contact"] == args["contact"] else deny("other_customer")


@credits.rule("Only money that has arrived becomes credit.", tools=["credits.record"])
def credited_money_has_arrived(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    payment = ctx.get("payments", str(args["payment"]))
    return None if payment is None or has_arrived(payment) else deny("money_not_here")


@credits.rule(
    "Credit is what came in and nobody owed: no more and no less.",
    tools=["credits.record", "credits.record_surplus"],
)
def credit_is_what_was_too_much(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    if "payment" in args:
        payment = ctx.get("payments", str(args["payment"]))
        much = None if payment is None else whole(payment, "amount_minor")
    else:
        invoice = ctx.get("invoices", str(args["invoice"]))
        much = None if invoice is None else beyond_minor(invoice)
    return None if much is None or much == args["amount_minor"] else deny("amount_mismatch")


@credits.rule("Credit is used for its owner, in its currency.", tools=["credits.use"])
def credit_is_used_for_its_owner(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    credit, invoice = ctx.get("credits", str(args["id"])), ctx.get("invoices", str(args["invoice"]))
    if credit is None or invoice is None:
        return None
    if credit["contact"] != invoice["contact"]:
        return deny("other_customer")
    return None if credit["currency"] == invoice["currency"] else deny("currency_mismatch")


@credits.rule("No more credit is used than there is.", tools=["credits.use"])
def credit_is_used_up_once(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    credit = ctx.get("credits", str(args["id"]))
    if credit is None:
        return None
    left = whole(credit, "amount_minor") - whole(credit, "used_minor")
    return deny("exceeds_credit") if whole(args, "amount_minor") > left else None


@credits.fact(dict[str, bool])
def credit_given(ctx: Context) -> Json:
    """By contact, invoice, payment and credit: whether the customer was given credit."""
    found: dict[str, Json] = dict.fromkeys((*ctx.claimable("contacts"), *ctx.claimable("invoices")), False)
    for id in ctx.claimable("credits"):
        credit = ctx.read("credits", id)
        named = [words(credit, name) for name in ("contact", "invoice", "payment")]
        found |= {name: True for name in (id, *named) if name is not None}
    return found


@credits.fact(int)
def credit_left_minor(ctx: Context) -> Json:
    """What is left of all credit of the contact C-1, in minor units."""
    found = [ctx.read("credits", id) for id in ctx.find("credits", contact="C-1")]
    return sum(whole(credit, "amount_minor") - whole(credit, "used_minor") for credit in found)


@credits.sets("credit_left_minor", int)
def set_credit_left_minor(ctx: Context, value: int) -> None:
    ctx.create(
        "credits",
        with_id=SUBJECT,
        contact=subject_contact(ctx),
        amount_minor=value,
        used_minor=0,
        currency="EUR",
    )


@credits.sets("credit_limit_minor", int)
def set_credit_limit_minor(ctx: Context, value: int) -> None:
    """Up to which amount the role writes a credit note without asking, in minor units of EUR."""
    set_limit(ctx, "credits.issue", amounts={"EUR": value})
