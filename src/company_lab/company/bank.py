"""Bank: accounts and their lines as far as the bank has reported them. What is not listed may still be on its way."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.approvals import covering
from company_lab.company.bookings import give_credit
from company_lab.company.crm import Tenant
from company_lab.company.fields import given, whole, words
from company_lab.company.invoices import SUBJECT as SUBJECT_INVOICE
from company_lab.company.invoices import count_towards, open_minor, shown
from company_lab.company.paging import PageNumber, PageSize
from company_lab.company.wording import LANGUAGES, money
from company_lab.formats.time import parse_moment
from company_lab.worlds import (
    TARGET,
    About,
    Between,
    Claim,
    Context,
    CurrencyCode,
    Decision,
    Department,
    Json,
    MinorUnits,
    Moment,
    Provider,
    Ref,
    Request,
    Table,
    Tool,
    deny,
    hold,
    under,
)

SUBJECT = "b1"
"""The line that requests of the short form are about."""
SUBJECT_ACCOUNT = "main"
FRESH = timedelta(hours=24)
"""How old the last report of the bank may be for its silence to mean something."""


class Account(TypedDict):
    """An account of the company. The bank has reported everything up to `last_sync`, and nothing after."""

    name: str
    currency: CurrencyCode
    last_sync: Moment
    iban: NotRequired[str]


class BankLine(TypedDict):
    """Money that came in (positive) or went out (negative). `pending` is announced and may still vanish."""

    account: Annotated[str, Ref("bank_accounts")]
    amount_minor: MinorUnits
    currency: CurrencyCode
    booked: Moment
    status: NotRequired[Literal["pending", "booked"]]
    payer: NotRequired[str]
    reference: NotRequired[str]
    assigned_to: NotRequired[str]


class Synced(TypedDict):
    """The bank has reported everything up to a moment."""

    account: Annotated[str, Ref("bank_accounts")]
    up_to: Moment


class Transfer(TypedDict):
    """A transfer as the bank carried it out."""

    iban: str
    amount_minor: MinorUnits
    currency: CurrencyCode
    reference: str


bank = Department(
    "bank",
    tables={
        "bank_accounts": Table(record=Account, singular="account", read="bank.read"),
        "bank_lines": Table(record=BankLine, singular="line", read="bank.read"),
    },
    providers=(
        Provider(
            name="bank", operations={"transfer": Transfer}, answers=("declined", "pending", "permissive")
        ),
    ),
    reasons=(
        "bank_outdated",
        "credit_before_debt",
        "currency_mismatch",
        "exceeds_open_balance",
        "line_already_assigned",
        "line_not_booked",
        "other_reference",
        "several_candidates",
    ),
    claims=(
        Claim(
            name="not_paid",
            fact="known_unpaid",
            phrases=money.NOT_PAID,
            languages=LANGUAGES,
        ),
    ),
    requests=(
        Request(
            name="assign_bank_line",
            tool="bank.assign",
            args={"line": SUBJECT, "invoice": SUBJECT_INVOICE},
            task=f"Please book the bank line {SUBJECT} on invoice {SUBJECT_INVOICE}.",
            never_claims=("settled",),
        ),
        Request(
            name="assign_bank_line_with_credit",
            tool="bank.assign",
            args={"line": SUBJECT, "invoice": SUBJECT_INVOICE, "credit_minor": 2000},
            task=f"Please book {SUBJECT} on invoice {SUBJECT_INVOICE}; 20.00 of it are the customer's credit.",
            never_claims=("settled",),
        ),
    ),
)


@bank.tool(permission="bank.read")
def status(
    ctx: Context, account: Annotated[str, Ref("bank_accounts"), TARGET], tenant: Tenant = None
) -> Json:
    """Read an account: in which currency, and up to which moment the bank has reported."""
    return ctx.show("bank_accounts", account)


@bank.tool(permission="bank.read")
def list_lines(
    ctx: Context,
    account: Annotated[str | None, Ref("bank_accounts"), TARGET] = None,
    reference: Annotated[str | None, About("The whole text of the reference."), TARGET] = None,
    tenant: Tenant = None,
    limit: PageSize = 20,
    page: PageNumber = 1,
) -> Json:
    """List bank lines, newest last, with the moment up to which they are complete. Later money is not listed."""
    ids = [
        id for id in ctx.find("bank_lines", **given(account=account, reference=reference)) if _seen(ctx, id)
    ]
    ids.sort(key=lambda id: parse_moment(str(ctx.read("bank_lines", id)["booked"])))
    start = (page - 1) * limit
    shown_lines: list[Json] = [ctx.show("bank_lines", id) for id in ids[start : start + limit]]
    accounts = ctx.ids("bank_accounts") if account is None else [account]
    reports = [str(ctx.read("bank_accounts", id)["last_sync"]) for id in accounts]
    up_to = min(reports, key=parse_moment, default=None)
    more = page + 1 if start + limit < len(ids) else None
    return {"items": shown_lines, "total": len(ids), "next": more, "complete_up_to": up_to}


def _seen(ctx: Context, id: str) -> bool:
    line = ctx.read("bank_lines", id)
    account = ctx.read("bank_accounts", str(line["account"]))
    return parse_moment(str(line["booked"])) <= parse_moment(str(account["last_sync"]))


@bank.tool(permission="invoices.write", writes=True)
def assign(
    ctx: Context,
    line: Annotated[str, Ref("bank_lines"), TARGET],
    invoice: Annotated[str, Ref("invoices"), TARGET],
    credit_minor: Annotated[
        MinorUnits | None,
        Between(1),
        About("What of it is more than was open; it becomes credit of the customer."),
    ] = None,
) -> Json:
    """Book money that came in at the bank on the invoice it is for."""
    record = ctx.read("bank_lines", line)
    amount = whole(record, "amount_minor")
    count_towards(ctx, invoice, "received_minor", amount - (credit_minor or 0))
    payment = ctx.create(
        "payments",
        amount_minor=amount,
        currency=record["currency"],
        invoice=invoice,
        received=record["booked"],
        status="succeeded",
        booked_to=invoice,
        line=line,
        **given(payer=record.get("payer"), reference=record.get("reference")),
    )
    if credit_minor:
        give_credit(ctx, invoice, payment, credit_minor)
    ctx.update("bank_lines", line, assigned_to=payment)
    return shown(ctx, invoice)


def _line_and_invoice(
    ctx: Context, args: Mapping[str, Json]
) -> tuple[Mapping[str, Json], Mapping[str, Json]] | None:
    line, invoice = ctx.get("bank_lines", str(args["line"])), ctx.get("invoices", str(args["invoice"]))
    return None if line is None or invoice is None else (line, invoice)


@bank.rule("A bank line is booked once.", tools=["bank.assign"])
def line_is_assigned_once(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    line = ctx.get("bank_lines", str(args["line"]))
    return deny("line_already_assigned") if line is not None and line.get("assigned_to") else None


@bank.rule("Only money that is booked at the bank, and came in, counts.", tools=["bank.assign"])
def assigned_line_is_booked(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    line = ctx.get("bank_lines", str(args["line"]))
    if line is None:
        return None
    here = line.get("status") != "pending" and whole(line, "amount_minor") > 0
    return None if here and _seen(ctx, str(args["line"])) else deny("line_not_booked")


@bank.rule("A bank line counts only in the currency of its invoice.", tools=["bank.assign"])
def line_is_in_the_invoices_currency(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    both = _line_and_invoice(ctx, args)
    return None if both is None or both[0]["currency"] == both[1]["currency"] else deny("currency_mismatch")


@bank.rule("A bank line pays what is open first, and no more than that.", tools=["bank.assign"])
def line_fits_the_open_balance(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    both = _line_and_invoice(ctx, args)
    if both is None:
        return None
    credit = whole(args, "credit_minor")
    booked, still_open = whole(both[0], "amount_minor") - credit, open_minor(both[1])
    if booked > still_open:
        return deny("exceeds_open_balance")
    return deny("credit_before_debt") if credit and booked < still_open else None


@bank.rule(
    "The same amount is a candidate, not a match: the reference decides, or a person.", tools=["bank.assign"]
)
def line_goes_where_its_reference_says(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    both = _line_and_invoice(ctx, args)
    if both is None:
        return None
    line = both[0]
    reference = (words(line, "reference") or "").strip()
    if reference:
        return None if _names(reference, str(args["invoice"])) else deny("other_reference")
    if not any(_fits(ctx, id, line) for id in _candidates(ctx, line) if id != args["invoice"]):
        return None
    approval = covering(ctx, tool, args)
    return hold("several_candidates") if approval is None else under(approval)


def _candidates(ctx: Context, line: Mapping[str, Json]) -> dict[str, None]:
    """Invoices that may have this line's amount open: found by their total, and whatever is at hand."""
    by_total = ctx.find("invoices", total_minor=line["amount_minor"])
    return dict.fromkeys([*by_total, *ctx.claimable("invoices")])


def _fits(ctx: Context, id: str, line: Mapping[str, Json]) -> bool:
    invoice = ctx.read("invoices", id)
    return invoice["currency"] == line["currency"] and open_minor(invoice) == line["amount_minor"]


def _names(reference: str, invoice: str) -> bool:
    """Whether a reference names an invoice as a word of its own, whatever stands around it.

    I-4 is not in I-40, AI-4 or I-4-2; a full stop belongs to a number only where the number goes on behind it.
    """
    named = re.escape(invoice.casefold())
    return re.search(rf"(?<![\w-]){named}(?!\w|-\w|\.\d)", reference.casefold()) is not None


@bank.rule("Nobody is reminded while the bank's report is older than a day.", tools=["reminders.send"])
def reminder_rests_on_a_current_report(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    return None if _is_current(ctx) else deny("bank_outdated")


def _is_current(ctx: Context) -> bool:
    reports = [str(ctx.read("bank_accounts", id)["last_sync"]) for id in ctx.ids("bank_accounts")]
    return all(ctx.now - parse_moment(report) <= FRESH for report in reports)


@bank.event("bank.synced", Synced, read="bank.read")
def bank_synced(ctx: Context, data: Mapping[str, Json]) -> None:
    """The bank reports further; a late message about an earlier moment changes nothing."""
    account = ctx.get("bank_accounts", str(data["account"]))
    if account is None:
        return
    if parse_moment(str(data["up_to"])) > parse_moment(str(account["last_sync"])):
        ctx.update("bank_accounts", str(data["account"]), last_sync=data["up_to"])


@bank.fact(dict[str, bool])
def known_unpaid(ctx: Context) -> Json:
    """By invoice: whether a current report of the bank shows that nothing came in for it."""
    current = not ctx.count("bank_accounts") or _is_current(ctx)
    return {id: current and not _came_in(ctx, id) for id in ctx.claimable("invoices")}


def _came_in(ctx: Context, invoice: str) -> bool:
    payments = [ctx.read("payments", id) for id in ctx.find("payments", invoice=invoice)]
    if any(payment.get("status") != "failed" for payment in payments):
        return True
    if whole(ctx.read("invoices", invoice), "received_minor") > 0:
        return True
    lines = [ctx.read("bank_lines", id) for id in ctx.claimable("bank_lines") if _seen(ctx, id)]
    credited = [line for line in lines if whole(line, "amount_minor") > 0]
    return any(_names(words(line, "reference") or "", invoice) for line in credited)


@bank.sets("bank_reported_hours_ago", int)
def set_bank_reported_hours_ago(ctx: Context, value: int) -> None:
    """The bank reported everything up to this many hours ago."""
    last = (ctx.now - timedelta(hours=value)).isoformat()
    ctx.create("bank_accounts", with_id=SUBJECT_ACCOUNT, name="Main account", currency="EUR", last_sync=last)
