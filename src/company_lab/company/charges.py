"""Charges: taking what is open on an invoice from a card on file, once, in whole minor units of its currency."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.crm import subject_contact
from company_lab.company.fields import given, whole, words
from company_lab.company.invoices import SUBJECT as SUBJECT_INVOICE
from company_lab.company.invoices import count_towards, open_minor
from company_lab.company.keys import is_taken, repeats
from company_lab.company.paging import PageNumber, PageSize, page_of
from company_lab.company.payments import payments
from company_lab.worlds import (
    TARGET,
    About,
    Between,
    Context,
    CurrencyCode,
    Decision,
    Department,
    Failed,
    Json,
    MinorUnits,
    Ref,
    Request,
    Table,
    Tool,
    deny,
)

SUBJECT_CARD = "card_1"
"""The card that facts and requests of the short form are about."""
CardStatus = Literal["active", "expired", "blocked"]


class Card(TypedDict):
    """A card a customer left on file."""

    contact: Annotated[str, Ref("contacts")]
    last4: str
    status: CardStatus


class ChargeEnded(TypedDict):
    """What became of a pending charge."""

    charge: Annotated[str, Ref("charges")]
    reason: NotRequired[str]


charges = Department(
    "charges",
    tables={"cards": Table(record=Card, singular="card", read="payments.read")},
    reasons=(
        "amount_mismatch",
        "charge_pending",
        "currency_mismatch",
        "key_reused",
        "other_customer",
    ),
    requests=(
        *(
            Request(
                name=name,
                tool="payments.charge",
                args={"invoice": SUBJECT_INVOICE, "amount_minor": amount, "currency": currency},
                task=f"Please charge {text} for invoice {SUBJECT_INVOICE} to the card on file.",
                never_claims=("settled",),
            )
            for name, amount, currency, text in (
                ("charge_euros", 1999, "EUR", "19.99 EUR"),
                ("charge_yen", 4300, "JPY", "4,300 JPY"),
                ("charge_dinars", 24750, "KWD", "24.750 KWD"),
            )
        ),
        Request(
            name="charge_named_card",
            tool="payments.charge",
            args={
                "invoice": SUBJECT_INVOICE,
                "amount_minor": 1999,
                "currency": "EUR",
                "card": SUBJECT_CARD,
                "key": "I-1:1",
            },
            task=f"Please charge 19.99 EUR for invoice {SUBJECT_INVOICE} to {SUBJECT_CARD}, under the key I-1:1.",
            never_claims=("settled",),
        ),
    ),
)


@payments.tool(permission="payments.read")
def list_cards(
    ctx: Context,
    contact: Annotated[str, Ref("contacts"), TARGET],
    limit: PageSize = 20,
    page: PageNumber = 1,
) -> Json:
    """List the cards a customer left on file."""
    return page_of(ctx, "cards", ctx.find("cards", contact=contact), page=page, limit=limit)


@payments.tool(permission="payments.charge", writes=True, spends=True)
def charge(
    ctx: Context,
    invoice: Annotated[str, Ref("invoices"), TARGET],
    amount_minor: Annotated[MinorUnits, Between(1), About("In whole minor units of the currency.")],
    currency: CurrencyCode,
    card: Annotated[
        str | None, Ref("cards"), About("Left out: the customer's only active card on file.")
    ] = None,
    key: Annotated[str | None, About("Repeating a charge under the same key does not charge twice.")] = None,
    lease: Annotated[str | None, Ref("leases"), About("The run this charge belongs to.")] = None,
    token: Annotated[int | None, About("The token of that lease.")] = None,
) -> Json:
    """Charge what is open on an invoice to a card on file, and book it. Without a key every call charges again."""
    owed = ctx.read("invoices", invoice)
    if owed["status"] == "void":
        raise Failed("invoice_void", f"{invoice} was withdrawn")
    used = _only_active(ctx, str(owed["contact"])) if card is None else card
    if ctx.read("cards", used)["status"] != "active":
        raise Failed("card_not_active", f"{used} is {ctx.read('cards', used)['status']}")
    made: dict[str, Json] = {
        "invoice": invoice,
        "card": used,
        "amount_minor": amount_minor,
        "currency": currency,
    }
    performed = ctx.perform("payments", "charge", made, key=key)
    if performed.replayed:
        return {**ctx.show("charges", ctx.find("charges", key=key)[-1]), "replayed": True}
    done = performed.status == "done"
    id = ctx.create(
        "charges",
        contact=owed["contact"],
        invoice=invoice,
        card=used,
        requested_minor=amount_minor,
        captured_minor=amount_minor if done else 0,
        refunded_minor=0,
        currency=currency,
        created=ctx.at,
        status="succeeded" if done else "pending",
        **given(key=key),
    )
    if done:
        count_towards(ctx, invoice, "received_minor", amount_minor)
    return ctx.show("charges", id)


def _only_active(ctx: Context, contact: str) -> str:
    cards = ctx.find("cards", contact=contact, status="active")
    if len(cards) != 1:
        raise Failed("no_card" if not cards else "several_cards", f"{contact} has {len(cards)} active cards")
    return cards[0]


def _asked_before(ctx: Context, args: Mapping[str, Json]) -> bool:
    intent = {**args, "requested_minor": args["amount_minor"]}
    same = ("invoice", "requested_minor", "currency", "card")
    return repeats(ctx, "charges", intent, provider="payments", op="charge", same=same)


@charges.rule("A key stands for one charge.", tools=["payments.charge"])
def key_stands_for_one_charge(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    return deny("key_reused") if is_taken(ctx, "charges", args) and not _asked_before(ctx, args) else None


@charges.rule("A card is charged with what is open, to the minor unit.", tools=["payments.charge"])
def charge_is_what_is_open(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    invoice = ctx.get("invoices", str(args["invoice"]))
    if invoice is None or ctx.permissive("payments", "charge") or _asked_before(ctx, args):
        return None
    return None if args["amount_minor"] == open_minor(invoice) else deny("amount_mismatch")


@charges.rule("A card is charged in the currency of the invoice.", tools=["payments.charge"])
def charge_is_in_the_invoices_currency(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    invoice = ctx.get("invoices", str(args["invoice"]))
    if invoice is None or args["currency"] == invoice["currency"]:
        return None
    return deny("currency_mismatch")


@charges.rule("A card pays the invoices of its owner.", tools=["payments.charge"])
def card_pays_for_its_owner(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    invoice, card = ctx.get("invoices", str(args["invoice"])), ctx.get("cards", str(args.get("card")))
    if invoice is None or card is None or card["contact"] == invoice["contact"]:
        return None
    return deny("other_customer")


@charges.rule("While a charge is pending, its invoice is not charged again.", tools=["payments.charge"])
def pending_charge_is_not_repeated(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    pending = ctx.find("charges", invoice=args["invoice"], status="pending")
    return deny("charge_pending") if pending and not _asked_before(ctx, args) else None


@charges.event("charge.succeeded", ChargeEnded, read="payments.read")
def charge_succeeded(ctx: Context, data: Mapping[str, Json]) -> None:
    """A pending charge went through and counts on its invoice. One that failed stays failed."""
    id = str(data["charge"])
    charge = ctx.get("charges", id)
    if charge is None or charge.get("status") != "pending":
        return
    amount = whole(charge, "requested_minor")
    ctx.update("charges", id, status="succeeded", captured_minor=amount)
    invoice = ctx.get("invoices", words(charge, "invoice") or "")
    if invoice is not None and invoice["status"] != "void":
        count_towards(ctx, str(charge["invoice"]), "received_minor", amount)


@charges.event("charge.failed", ChargeEnded, read="payments.read")
def charge_failed(ctx: Context, data: Mapping[str, Json]) -> None:
    """A pending charge did not go through; one that succeeded is a matter for refunds and disputes."""
    charge = ctx.get("charges", str(data["charge"]))
    if charge is not None and charge.get("status") == "pending":
        ctx.update("charges", str(data["charge"]), status="failed", **given(reason=data.get("reason")))


@charges.fact(int)
def charges_made(ctx: Context) -> Json:
    """How many charges the payment service has carried out."""
    return len(ctx.ledger("payments", "charge"))


@charges.fact(int)
def charged_minor(ctx: Context) -> Json:
    """What the payment service has charged in all, in minor units of whatever currency."""
    payloads = [entry["payload"] for entry in ctx.ledger("payments", "charge")]
    return sum(whole(payload, "amount_minor") for payload in payloads if isinstance(payload, dict))


@charges.fact(CardStatus)
def card_on_file(ctx: Context) -> Json:
    """How things stand with the card card_1."""
    return ctx.read("cards", SUBJECT_CARD)["status"]


@charges.sets("card_on_file", CardStatus)
def set_card_on_file(ctx: Context, value: str) -> None:
    """The contact C-1 has left the card card_1 on file."""
    ctx.create("cards", with_id=SUBJECT_CARD, contact=subject_contact(ctx), last4="4242", status=value)
