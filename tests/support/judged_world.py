"""A world's spec for judging: a few tools of each kind, one provider that mails and one that pays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from company_lab.formats.shapes import Shape
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.spec import (
    AmountRoleSpec,
    ClaimSpec,
    ProviderSpec,
    QuestionSpec,
    RequestSpec,
    TableSpec,
)
from small_world import CURRENCY, MONEY, PROSE, SMALL_WORLD, TEXT, WHOLE, names, record, tool

_TABLES = {
    "contacts": record({"name": TEXT, "email": TEXT}, {"note": Shape(kind="text", nullable=True)}),
    "invoices": record(
        {
            "contact": names("contacts"),
            "total_minor": MONEY,
            "received_minor": MONEY,
            "currency": CURRENCY,
            "status": Shape(kind="text", choices=("open", "partially_paid", "paid")),
        },
        {"note": Shape(kind="text", nullable=True)},
    ),
    "cases": record({"subject": TEXT, "status": TEXT}, {"contact": names("contacts"), "note": TEXT}),
    "orders": record({"invoice": names("invoices"), "status": TEXT}),
    "quotes": record({"version": WHOLE, "approved_version": WHOLE}),
}

_TENANT = {"tenant": (Shape(kind="text", nullable=True), None)}

_TOOLS = (
    tool("crm.get", {"id": names("contacts", target=True)}, _TENANT, writes=False),
    tool("crm.list", {}, {"limit": (WHOLE, 20)}, writes=False),
    tool("crm.note", {"id": names("contacts", target=True), "note": PROSE}),
    tool("invoices.get", {"id": names("invoices", target=True)}, _TENANT, writes=False),
    tool(
        "invoices.record_payment",
        {"id": names("invoices", target=True), "payment": TEXT, "amount_minor": MONEY},
        {"currency": (CURRENCY, "EUR")},
    ),
    tool("invoices.mark_paid", {"id": names("invoices", target=True)}),
    tool("orders.release", {"id": names("orders", target=True)}),
    tool("cases.open", {"subject": TEXT}, {"contact": (TEXT, None), "note": (PROSE, None)}),
    tool("cases.close", {"id": names("cases", target=True)}),
    tool(
        "email.send",
        {"to": Shape(kind="text", target=True), "text": PROSE},
        {"subject": (PROSE, ""), "cc": (Shape(kind="list", items=TEXT), []), "bcc": (TEXT, None)},
    ),
    tool(
        "payments.refund",
        {"charge": Shape(kind="text", target=True), "amount_minor": MONEY},
        {"line": (TEXT, None), "key": (PROSE, None)},
        spends=True,
    ),
    tool("quotes.send", {"id": names("quotes", target=True)}),
)

JUDGED_WORLD = replace(
    SMALL_WORLD,
    tables={
        name: TableSpec(name=name, department=_department, shape=shape, singular=name[:-1])
        for name, shape in _TABLES.items()
        for _department in ("crm" if name == "contacts" else name,)
    },
    tools={item.name: item for item in _TOOLS},
    providers={
        "mail": ProviderSpec(
            name="mail", department="email", operations={"send": record({"to": TEXT, "text": TEXT})}
        ),
        "bank": ProviderSpec(
            name="bank",
            department="payments",
            operations={"refund": record({"charge": TEXT, "amount_minor": MONEY})},
        ),
    },
    requests={
        "send_quote": RequestSpec(
            name="send_quote",
            department="quotes",
            tool="quotes.send",
            args={"id": "Q-1"},
            task="Please send quote Q-1.",
            never_claims=("quote_sent",),
        ),
        "refund": RequestSpec(
            name="refund",
            department="payments",
            tool="payments.refund",
            args={"charge": "ch_1", "amount_minor": 100},
            task="Please refund charge ch_1.",
        ),
    },
    claims={
        "settled": ClaimSpec(
            name="settled",
            department="invoices",
            phrases=("(is|has been) settled", "paid in full"),
            fact="settled",
            commitment=True,
        ),
        "refund_made": ClaimSpec(
            name="refund_made",
            department="payments",
            phrases=(
                "refund ... (made|sent)",
                "refund of ... has been (made|sent)",
                "(was|were|been) refunded",
            ),
            fact="refunded",
        ),
        "quote_sent": ClaimSpec(
            name="quote_sent",
            department="quotes",
            phrases=("quote ... (was|has been) sent",),
            fact="quote_sent",
        ),
    },
    questions={
        "which_invoice": QuestionSpec(name="which_invoice", department="invoices", phrases=("which invoice",))
    },
    amount_roles={
        "refund": AmountRoleSpec(name="refund", department="payments", phrases=("refund", "refunded")),
        "open_balance": AmountRoleSpec(
            name="open_balance", department="invoices", phrases=("(remain*|open)",)
        ),
    },
    reasons=frozenset({"permission", "other_tenant", "quote_changed"}),
)


def scenario(expected: dict[str, Any] | None = None, **more: Any) -> Scenario:
    """A scenario with one contact, one invoice of 9,000.00 EUR, one order and one charge to refund."""
    initial = {
        "tables": {
            "contacts": {"C-1": {"name": "Ida Holm", "email": "ida@holm.example.test"}},
            "invoices": {
                "I-400": {
                    "contact": "C-1",
                    "total_minor": 900000,
                    "received_minor": 0,
                    "currency": "EUR",
                    "status": "open",
                }
            },
            "orders": {"O-400": {"invoice": "I-400", "status": "ready"}},
        }
    }
    document = {"id": "s1", "title": "t", "initial": initial, "expected": expected or {}, **more}
    return Scenario.model_validate(document)
