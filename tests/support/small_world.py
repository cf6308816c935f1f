"""A hand-made WorldSpec: small, but with every kind of name a scenario can use."""

from __future__ import annotations

from collections.abc import Mapping

from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse, nearest
from company_lab.formats.shapes import Parameter, Shape, Signature
from company_lab.scenarios.fault_kinds import KINDS
from company_lab.scenarios.spec import (
    AmountRoleSpec,
    ClaimSpec,
    EventSpec,
    FactSpec,
    ProviderSpec,
    QuestionSpec,
    RequestSpec,
    StimulusSpec,
    TableSpec,
    ToolSpec,
    WorldSpec,
)

TEXT = Shape(kind="text")
PROSE = Shape(kind="text", prose=True)
WHOLE = Shape(kind="integer", minimum=0)
MONEY = Shape(kind="integer", money=True)
CURRENCY = Shape(kind="text", currency=True)


def names(table: str, *, target: bool = False) -> Shape:
    return Shape(kind="text", references=table, target=target)


def record(required: Mapping[str, Shape], optional: Mapping[str, Shape] | None = None) -> Shape:
    return Shape(kind="object", fields={**required, **(optional or {})}, required=frozenset(required))


TABLES = {
    "contacts": (
        "contact",
        record({"name": TEXT, "email": TEXT}, {"note": Shape(kind="text", nullable=True)}),
    ),
    "invoices": (
        "invoice",
        record(
            {
                "contact": names("contacts"),
                "total_minor": MONEY,
                "received_minor": MONEY,
                "currency": CURRENCY,
                "status": Shape(kind="text", choices=("open", "partially_paid", "paid")),
            },
            {
                "due": Shape(kind="text", moment=True),
                "lines": Shape(kind="list", items=record({"sku": TEXT, "quantity": WHOLE})),
                "discount": Shape(kind="number"),
                "address": record({"city": TEXT}, {"country": TEXT}),
                "extra": Shape(),
            },
        ),
    ),
    "orders": (
        "order",
        record(
            {
                "contact": names("contacts"),
                "invoice": names("invoices"),
                "status": TEXT,
                "release": Shape(kind="text", choices=("when_fully_paid", "at_once")),
            }
        ),
    ),
    "quotes": ("quote", record({"version": WHOLE, "approved_version": WHOLE})),
    "payments": (
        "payment",
        record({"invoice": names("invoices"), "amount_minor": MONEY, "currency": CURRENCY}),
    ),
}


def tool(
    name: str,
    required: Mapping[str, Shape] | None = None,
    optional: Mapping[str, tuple[Shape, Json]] | None = None,
    *,
    writes: bool = True,
    spends: bool = False,
) -> ToolSpec:
    parameters = {key: Parameter(name=key, shape=shape) for key, shape in (required or {}).items()}
    for key, (shape, default) in (optional or {}).items():
        parameters[key] = Parameter(name=key, shape=shape, required=False, default=default)
    return ToolSpec(
        name=name,
        department=name.partition(".")[0],
        description=f"{name} of the small world",
        signature=Signature(parameters),
        writes=writes,
        spends=spends,
    )


TOOLS = (
    tool("crm.get", {"id": names("contacts", target=True)}, writes=False),
    tool(
        "crm.label",
        {"id": names("contacts", target=True)},
        {
            "labels": (Shape(kind="list", items=TEXT), []),
            "details": (Shape(kind="object", values=TEXT), {}),
            "extra": (Shape(), None),
            "weight": (Shape(kind="number"), 1),
        },
    ),
    tool("invoices.get", {"id": names("invoices", target=True)}, writes=False),
    tool(
        "invoices.record_payment",
        {"id": names("invoices", target=True), "payment": names("payments"), "amount_minor": MONEY},
    ),
    tool("invoices.mark_paid", {"id": names("invoices", target=True)}),
    tool("orders.release", {"id": names("orders", target=True)}),
    tool(
        "email.send",
        {"to": Shape(kind="text", target=True), "text": PROSE},
        {"subject": (PROSE, ""), "cc": (Shape(kind="list", items=TEXT), [])},
    ),
    tool("payments.refund", {"invoice": names("invoices"), "amount_minor": MONEY}, spends=True),
    tool("quotes.send", {"id": names("quotes", target=True)}),
)

FACTS = (
    ("quote_version", WHOLE, True, True),
    ("approved_version", WHOLE, True, True),
    ("vacation_from", Shape(kind="text", moment=True), True, False),
    ("external_sends", WHOLE, False, True),
    ("decision", Shape(kind="text", choices=("allow", "require_approval", "deny")), False, True),
    ("review_reason", Shape(kind="text", choices=("quote_changed", "budget")), False, True),
    ("settled", Shape(kind="boolean"), False, True),
)

PERMISSIONS = ("crm.read", "invoices.read", "invoices.write", "orders.write", "email.send", "quotes.write")

SMALL_WORLD = WorldSpec(
    name="company",
    departments=("crm", "invoices", "orders", "email", "payments", "quotes"),
    tables={
        name: TableSpec(name=name, department=name, shape=shape, singular=singular)
        for name, (singular, shape) in TABLES.items()
    },
    tools={item.name: item for item in TOOLS},
    providers={
        "mail": ProviderSpec(
            name="mail",
            department="email",
            operations={"send": record({"to": TEXT, "text": TEXT})},
            answers=("declined", "pending"),
        ),
        "bank": ProviderSpec(
            name="bank",
            department="payments",
            operations={"refund": record({"invoice": names("invoices"), "amount_minor": MONEY})},
            answers=("declined", "pending", "permissive"),
        ),
    },
    events={
        "payment.succeeded": EventSpec(
            type="payment.succeeded",
            department="payments",
            shape=record(
                {
                    "payment": names("payments"),
                    "invoice": names("invoices"),
                    "amount_minor": MONEY,
                    "currency": CURRENCY,
                }
            ),
            brings={"payment": "payments"},
        ),
        "mail.received": EventSpec(type="mail.received", department="email", shape=record({"text": TEXT})),
    },
    facts={
        name: FactSpec(
            name=name,
            department="quotes",
            description=f"the fact {name}",
            shape=shape,
            settable=settable,
            expectable=expectable,
        )
        for name, shape, settable, expectable in FACTS
    },
    stimuli={
        name: StimulusSpec(name=name, department="quotes", description=name, shape=WHOLE)
        for name in ("edit_quote_to_version", "approve_quote_version")
    },
    requests={
        "send_quote": RequestSpec(
            name="send_quote",
            department="quotes",
            tool="quotes.send",
            args={"id": "Q-1"},
            task="Send the quote.",
        )
    },
    claims={
        "settled": ClaimSpec(
            name="settled", department="invoices", phrases=("is settled",), fact="settled", commitment=True
        ),
        "refund_made": ClaimSpec(
            name="refund_made", department="payments", phrases=("we refunded",), fact="settled"
        ),
    },
    questions={
        "which_invoice": QuestionSpec(name="which_invoice", department="invoices", phrases=("which invoice",))
    },
    amount_roles={
        "open_balance": AmountRoleSpec(name="open_balance", department="invoices", phrases=("remain open",))
    },
    rules={},
    permissions=frozenset(PERMISSIONS),
    reasons=frozenset({"quote_changed", "budget"}),
    fault_kinds=frozenset(KINDS),
    digest="0" * 64,
)


def small_worlds(name: str) -> WorldSpec:
    """The worlds of these tests: one, called company."""
    if name != "company":
        close = nearest(name, ["company"])
        raise WrongUse(f"there is no world {name}" + (f"; did you mean {close}?" if close else ""))
    return SMALL_WORLD
