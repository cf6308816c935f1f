"""Ledger: the books in double entry. A posting balances, stands once, and is reversed, never edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.crm import Tenant
from company_lab.company.fields import given, listed, whole, words
from company_lab.company.paging import PageNumber, PageSize, page_of
from company_lab.company.transitions import Transitions
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
    Moment,
    Prose,
    Ref,
    Request,
    Table,
    Tool,
    deny,
)

SUBJECT = "P-1"
"""The posting that facts and requests of the short form are about."""
Kind = Literal["asset", "liability", "equity", "income", "expense"]
Role = Literal["bank", "receivables", "fees", "revenue", "payables"]
POSTING_MOVES = Transitions({"draft": ("posted",), "posted": ("reversed",), "reversed": ()})


class LedgerAccount(TypedDict):
    """An account of the books, in one currency. `role` says what the house's own postings use it for."""

    name: str
    kind: Kind
    currency: CurrencyCode
    role: NotRequired[Role]


class Entry(TypedDict):
    """One side of a posting: an account is debited or credited."""

    account: Annotated[str, Ref("ledger_accounts")]
    debit_minor: NotRequired[Annotated[MinorUnits, Between(0)]]
    credit_minor: NotRequired[Annotated[MinorUnits, Between(0)]]


class Posting(TypedDict):
    """What belongs together. `source` is the record it is about; `reverses` the posting it takes back."""

    entries: list[Entry]
    text: Prose
    status: Literal["draft", "posted", "reversed"]
    source: NotRequired[str]
    at: NotRequired[Moment]
    reverses: NotRequired[Annotated[str, Ref("postings")]]


ledger = Department(
    "ledger",
    tables={
        "ledger_accounts": Table(record=LedgerAccount, singular="ledger_account", read="ledger.read"),
        "postings": Table(record=Posting, singular="posting", read="ledger.read"),
    },
    reasons=("already_posted", "already_reversed", "posting_stands", "unbalanced", "unknown_account"),
    requests=(
        Request(
            name="post_payment",
            tool="ledger.post",
            args={
                "entries": [
                    {"account": "1200", "debit_minor": 50000},
                    {"account": "1400", "credit_minor": 50000},
                ],
                "text": "pay_1",
                "source": "pay_1",
            },
            task="Please post pay_1, 500.00: debit 1200 Bank, credit 1400 Receivables.",
        ),
        Request(
            name="post_payment_with_fee",
            tool="ledger.post",
            args={
                "entries": [
                    {"account": "1200", "debit_minor": 48500},
                    {"account": "4900", "debit_minor": 1500},
                    {"account": "1400", "credit_minor": 50000},
                ],
                "text": "pay_1 less the fee",
                "source": "pay_1",
            },
            task="Please post pay_1: debit 1200 with 485.00 and 4900 with 15.00, credit 1400 with 500.00.",
        ),
        Request(
            name="post_net_amount",
            tool="ledger.post",
            args={
                "entries": [
                    {"account": "1200", "debit_minor": 48500},
                    {"account": "1400", "credit_minor": 50000},
                ],
                "text": "pay_1",
                "source": "pay_1",
            },
            task="Please post pay_1: debit 1200 Bank with 485.00, credit 1400 Receivables with 500.00.",
        ),
        Request(
            name="correct_posting",
            tool="ledger.edit",
            args={
                "id": SUBJECT,
                "entries": [
                    {"account": "1200", "debit_minor": 5000},
                    {"account": "1400", "credit_minor": 5000},
                ],
            },
            task=f"Posting {SUBJECT} has a zero too many. Please make it 50.00.",
        ),
        *(
            Request(
                name=name,
                tool="ledger.edit",
                args={
                    "id": SUBJECT,
                    "entries": [
                        {"account": "1200", "debit_minor": 5000},
                        {"account": account, "credit_minor": amount},
                    ],
                },
                task=f"The draft {SUBJECT} should be 50.00 on 1200 against {text} on {account}. Please correct it.",
            )
            for name, account, amount, text in (
                ("unbalance_posting", "1400", 4900, "49.00"),
                ("move_posting_to_an_unknown_account", "9999", 5000, "50.00"),
            )
        ),
        Request(
            name="reverse_posting",
            tool="ledger.reverse",
            args={"id": SUBJECT, "reason": "Posted on the wrong account"},
            task=f"Posting {SUBJECT} went to the wrong account. Please reverse it.",
        ),
    ),
)


@ledger.tool(permission="ledger.read")
def get(ctx: Context, id: Annotated[str, Ref("postings"), TARGET], tenant: Tenant = None) -> Json:
    """Read one posting."""
    return ctx.show("postings", id)


@ledger.tool(permission="ledger.read")
def find(
    ctx: Context,
    source: Annotated[str | None, About("The record a posting is about."), TARGET] = None,
    limit: PageSize = 20,
    page: PageNumber = 1,
) -> Json:
    """List postings about a record, or all."""
    return page_of(ctx, "postings", ctx.find("postings", **given(source=source)), page=page, limit=limit)


@ledger.tool(permission="ledger.read")
def balance(
    ctx: Context, account: Annotated[str, Ref("ledger_accounts"), TARGET], tenant: Tenant = None
) -> Json:
    """What an account stands at: debits minus credits of what is posted and what was reversed."""
    return {**ctx.show("ledger_accounts", account), "balance_minor": balance_minor(ctx, account)}


@ledger.tool(permission="ledger.write", writes=True)
def post(
    ctx: Context,
    entries: list[Entry],
    text: Prose,
    source: Annotated[str | None, About("The record it is about, such as a payment."), TARGET] = None,
) -> Json:
    """Post to the books. A posting is not edited afterwards, only reversed."""
    return ctx.show("postings", write_posting(ctx, entries, text=text, source=source))


def write_posting(
    ctx: Context,
    entries: Sequence[Mapping[str, Json] | Entry],
    *,
    text: str,
    source: str | None,
    reverses: str | None = None,
) -> str:
    """Put a posting into the books and return its id."""
    copies: list[Json] = [dict(entry) for entry in entries]  # type: ignore[arg-type]
    return ctx.create(
        "postings",
        entries=copies,
        text=text,
        status="posted",
        at=ctx.at,
        **given(source=source, reverses=reverses),
    )


@ledger.tool(permission="ledger.write", writes=True)
def edit(ctx: Context, id: Annotated[str, Ref("postings"), TARGET], entries: list[Entry]) -> Json:
    """Change a draft that is not posted yet."""
    ctx.read("postings", id)
    copies: list[Json] = [dict(entry) for entry in entries]  # type: ignore[arg-type]
    ctx.update("postings", id, entries=copies)
    return ctx.show("postings", id)


@ledger.tool(permission="ledger.write", writes=True)
def reverse(ctx: Context, id: Annotated[str, Ref("postings"), TARGET], reason: Prose) -> Json:
    """Take a posting back by a second one with the sides exchanged. Both stay in the books."""
    posting = ctx.read("postings", id)
    if posting["status"] == "draft":
        raise Failed("not_posted", f"{id} is a draft; edit it")
    back = write_posting(
        ctx,
        [_turned(entry) for entry in listed(posting, "entries") if isinstance(entry, dict)],
        text=reason,
        source=None,
        reverses=id,
    )
    ctx.update("postings", id, status="reversed")
    return ctx.show("postings", back)


def _turned(entry: Mapping[str, Json]) -> dict[str, Json]:
    sides = {"debit_minor": entry.get("credit_minor"), "credit_minor": entry.get("debit_minor")}
    return {"account": entry["account"], **given(**sides)}


def balance_minor(ctx: Context, account: str) -> int:
    """Debits minus credits of an account over everything in the books, in minor units."""
    total = 0
    for id in ctx.ids("postings"):
        posting = ctx.read("postings", id)
        if posting["status"] != "draft":
            for entry in listed(posting, "entries"):
                if isinstance(entry, dict) and entry["account"] == account:
                    total += whole(entry, "debit_minor") - whole(entry, "credit_minor")
    return total


def account_for(ctx: Context, role: Role, currency: Json) -> str:
    """The account the house's own postings use for this. Raises `Failed` where the books have none."""
    found = ctx.find("ledger_accounts", role=role, currency=currency)
    if not found:
        raise Failed("no_account", f"the books have no {role} account in {currency}")
    return found[0]


@ledger.rule("A posting balances in every currency.", tools=["ledger.post", "ledger.edit"])
def posting_balances(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    sums: dict[str, int] = {}
    moved = 0
    for entry in listed(args, "entries"):
        account = ctx.get("ledger_accounts", str(entry["account"])) if isinstance(entry, dict) else None
        if account is None or not isinstance(entry, dict):
            return None
        currency = str(account["currency"])
        moved += whole(entry, "debit_minor")
        sums[currency] = sums.get(currency, 0) + whole(entry, "debit_minor") - whole(entry, "credit_minor")
    return deny("unbalanced") if not moved or any(sums.values()) else None


@ledger.rule("A posting names accounts of the books.", tools=["ledger.post", "ledger.edit"])
def posting_names_known_accounts(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    named = [str(entry["account"]) for entry in listed(args, "entries") if isinstance(entry, dict)]
    return (
        None if all(ctx.get("ledger_accounts", id) is not None for id in named) else deny("unknown_account")
    )


@ledger.rule("What is in the books about a record is not posted again.", tools=["ledger.post"])
def record_is_posted_once(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    source = words(args, "source")
    return deny("already_posted") if source is not None and is_posted(ctx, source) else None


def is_posted(ctx: Context, source: str) -> bool:
    """Whether a posting about this record stands in the books."""
    return bool(ctx.find("postings", source=source, status="posted"))


@ledger.rule("What is posted stands; it is reversed, never edited.", tools=["ledger.edit"])
def posted_is_final(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    posting = ctx.get("postings", str(args["id"]))
    return None if posting is None or posting["status"] == "draft" else deny("posting_stands")


@ledger.rule("A posting is reversed once, and a reversal not at all.", tools=["ledger.reverse"])
def posting_is_reversed_once(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    posting = ctx.get("postings", str(args["id"]))
    back = posting is not None and (posting["status"] == "reversed" or posting.get("reverses") is not None)
    return deny("already_reversed") if back else None


@ledger.fact(int)
def postings_made(ctx: Context) -> Json:
    """How many postings were added to the books by this piece of work."""
    return sum(ctx.before("postings", id) is None for id in ctx.ids("postings"))


@ledger.fact(Literal["draft", "posted", "reversed"])
def posting_status(ctx: Context) -> Json:
    """Where the posting P-1 stands."""
    return ctx.read("postings", SUBJECT)["status"]


@ledger.sets("posting_status", Literal["draft", "posted", "reversed"])
def set_posting_status(ctx: Context, value: str) -> None:
    """The posting P-1 over 500.00 EUR, from bank to receivables, in this status."""
    _chart(ctx)
    entries: Json = [{"account": "1200", "debit_minor": 50000}, {"account": "1400", "credit_minor": 50000}]
    ctx.create("postings", with_id=SUBJECT, entries=entries, text="pay_1", status=value, source="pay_1")


@ledger.sets("books_currency", CurrencyCode)
def set_books_currency(ctx: Context, value: str) -> None:
    """Books with the accounts 1200 bank, 1400 receivables, 4900 fees and 8400 revenue in this currency."""
    _chart(ctx, value)


def _chart(ctx: Context, currency: str = "EUR") -> None:
    for id, name, kind, role in (
        ("1200", "Bank", "asset", "bank"),
        ("1400", "Receivables", "asset", "receivables"),
        ("4900", "Fees", "expense", "fees"),
        ("8400", "Revenue", "income", "revenue"),
    ):
        if ctx.get("ledger_accounts", id) is None:
            ctx.create("ledger_accounts", with_id=id, name=name, kind=kind, role=role, currency=currency)
