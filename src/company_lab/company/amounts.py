"""Amounts: which amounts may truly be said of a debt, a payment, a refund, a bill or a credit at a moment.

By record id, each amount with its currency: the single ones and what they come to together. Null stands where the
books know a sum and not what it is made of, so that no amount can be called wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from company_lab.company.bank import bank
from company_lab.company.bills import bills
from company_lab.company.charges import charges
from company_lab.company.credits import credits
from company_lab.company.fields import listed, whole, words
from company_lab.company.invoices import invoices, open_minor
from company_lab.company.payments import has_arrived, payments
from company_lab.company.refunds import refunds
from company_lab.company.write_offs import write_offs
from company_lab.worlds import Context, Json

Sums = dict[str, list[tuple[int, str]]]


def _told(sums: Mapping[str, Iterable[tuple[int, str]]], unknown: Iterable[str] = ()) -> Json:
    """The amounts of each record, and what they come to, once each; null for the unknown."""
    found: dict[str, Json] = {}
    for id, amounts in sums.items():
        listing = [amount for amount in amounts if amount[0] != 0]
        totals: dict[str, int] = {}
        for minor, currency in listing:
            totals[currency] = totals.get(currency, 0) + minor
        every = dict.fromkeys((*listing, *((minor, currency) for currency, minor in totals.items())))
        found[id] = [{"amount_minor": minor, "currency": currency} for minor, currency in every]
    return found | dict.fromkeys(unknown)


def _add(sums: Sums, names: Iterable[str | None], minor: int, currency: object) -> None:
    for name in names:
        if name is not None:
            sums.setdefault(name, []).append((minor, str(currency)))


@invoices.fact(dict[str, object])
def open_balances(ctx: Context) -> Json:
    """By invoice and by contact: what is still to be paid."""
    sums: Sums = {}
    for id in ctx.claimable("invoices"):
        invoice = ctx.read("invoices", id)
        _add(sums, (id, words(invoice, "contact")), max(0, open_minor(invoice)), invoice["currency"])
    return _told(sums)


@payments.fact(dict[str, object])
def received_amounts(ctx: Context) -> Json:
    """By payment, invoice and bank line: what has come in."""
    sums: Sums = {}
    for id in ctx.claimable("payments"):
        payment = ctx.read("payments", id)
        if not has_arrived(payment):
            continue
        named = {id: None, words(payment, "invoice"): None, words(payment, "booked_to"): None}
        _add(sums, named, whole(payment, "amount_minor"), payment["currency"])
        if "original_minor" in payment:
            _add(sums, [f"{id} as sent"], whole(payment, "original_minor"), payment.get("original_currency"))
    for id in ctx.claimable("bank_lines"):
        line = ctx.read("bank_lines", id)
        if whole(line, "amount_minor") > 0:
            _add(sums, [id], whole(line, "amount_minor"), line["currency"])
    unknown = []
    for id in ctx.claimable("invoices"):
        invoice = ctx.read("invoices", id)
        received = (whole(invoice, "received_minor"), str(invoice["currency"]))
        if received[0] > sum(minor for minor, currency in sums.get(id, ()) if currency == received[1]):
            unknown.append(id)
        elif received[0] and received not in sums.get(id, ()):
            _add(sums, [f"{id} received"], *received)
    return _told(sums, unknown)


@refunds.fact(dict[str, object])
def refunded_amounts(ctx: Context) -> Json:
    """By charge, order and contact: what has gone back to a card."""
    return _back(ctx, ("succeeded",))


@refunds.fact(dict[str, object])
def amounts_under_way(ctx: Context) -> Json:
    """By charge, order and contact: what has gone back, or is on its way back."""
    return _back(ctx, ("succeeded", "pending"))


def _back(ctx: Context, statuses: tuple[str, ...]) -> Json:
    sums: Sums = {}
    unknown: set[str] = set()
    for id in ctx.claimable("charges"):
        charge = ctx.read("charges", id)
        named = [id, words(charge, "order"), words(charge, "contact")]
        arrived = 0
        for refund in [ctx.read("refunds", one) for one in ctx.find("refunds", charge=id)]:
            minor = whole(refund, "amount_minor")
            arrived += minor if refund["status"] == "succeeded" else 0
            if refund["status"] in statuses:
                _add(sums, named, minor, refund["currency"])
        if whole(charge, "refunded_minor") != arrived:
            unknown |= {name for name in named if name is not None}
    return _told(sums, sorted(unknown))


@bills.fact(dict[str, object])
def bills_paid_amounts(ctx: Context) -> Json:
    """By bill and by supplier: what was paid, or is on its way."""
    sent = {
        str(payload["reference"]): whole(payload, "amount_minor")
        for entry in ctx.ledger(bank.name, "transfer")
        if isinstance(payload := entry["payload"], dict)
    }
    sums: Sums = {}
    for id in ctx.claimable("bills"):
        bill = ctx.read("bills", id)
        if bill["status"] in ("in_transfer", "paid"):
            minor = sent.get(id, whole(bill, "total_minor"))
            _add(sums, (id, words(bill, "supplier")), minor, bill["currency"])
    return _told(sums)


@credits.fact(dict[str, object])
def credit_amounts(ctx: Context) -> Json:
    """By credit, contact, invoice and payment: what a customer was credited."""
    sums: Sums = {}
    for id in ctx.claimable("credits"):
        credit = ctx.read("credits", id)
        named = [id, *(words(credit, name) for name in ("contact", "invoice", "payment"))]
        _add(sums, named, whole(credit, "amount_minor"), credit["currency"])
        left = whole(credit, "amount_minor") - whole(credit, "used_minor")
        _add(sums, [f"{id} left"], left, credit["currency"])
    return _told(sums)


@charges.fact(dict[str, object])
def charged_amounts(ctx: Context) -> Json:
    """By charge, invoice and order: what was taken from a card."""
    sums: Sums = {}
    for id in ctx.claimable("charges"):
        charge = ctx.read("charges", id)
        named = {id: None, words(charge, "invoice"): None, words(charge, "order"): None}
        if charge.get("status", "succeeded") == "succeeded":
            _add(sums, named, whole(charge, "captured_minor"), charge["currency"])
        for line in listed(charge, "lines"):
            if isinstance(line, dict):
                _add(sums, [f"{id} {line.get('item')}"], whole(line, "paid_minor"), charge["currency"])
    return _told(sums)


@write_offs.fact(dict[str, object])
def written_off_amounts(ctx: Context) -> Json:
    """By invoice: what was given up."""
    sums: Sums = {}
    unknown = []
    for id in ctx.claimable("invoices"):
        invoice = ctx.read("invoices", id)
        noted = [whole(one, "amount_minor") for one in listed(invoice, "write_offs") if isinstance(one, dict)]
        for minor in noted:
            _add(sums, [id], minor, invoice["currency"])
        if sum(noted) != whole(invoice, "written_off_minor"):
            unknown.append(id)
    return _told(sums, unknown)
