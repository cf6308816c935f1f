"""Whatever is tried, possible or not: the books balance and agree with what the outside services did."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from company_lab.company.invoices import beyond_minor, open_minor
from money_books import TOTALS, Books

Step = tuple[str, dict[str, Any]]

invoice = st.sampled_from([*TOTALS])
payment = st.sampled_from(["pay_1", "pay_2", "pay_3", "pay_4"])
amount = st.sampled_from([1, 30, 700, 970, 2000, 4300, 5000, 24750, 25000, 35000, 60000, 430000])
currency = st.sampled_from(["EUR", "JPY", "KWD"])
charge = st.sampled_from(["ch_1", "ch_2", "ch_9"])
key = st.sampled_from([None, "k-1", "k-2"])
account = st.sampled_from(["1200-EUR", "1400-EUR", "1200-JPY", "1400-JPY", "9999"])
words = st.sampled_from(["", "because"])


def step(tool: str, **args: st.SearchStrategy[Any]) -> st.SearchStrategy[Step]:
    return st.tuples(st.just(tool), st.fixed_dictionaries(args))


entries = st.lists(
    st.one_of(
        st.fixed_dictionaries({"account": account, "debit_minor": amount}),
        st.fixed_dictionaries({"account": account, "credit_minor": amount}),
    ),
    max_size=3,
)
balanced = st.builds(
    lambda debit, credit, sum: [
        {"account": debit, "debit_minor": sum},
        {"account": credit, "credit_minor": sum},
    ],
    account,
    account,
    amount,
)
STEPS = st.one_of(
    step(
        "invoices.record_payment",
        id=invoice,
        payment=payment,
        amount_minor=amount,
        credit_minor=st.one_of(st.none(), amount),
    ),
    step("invoices.take_back_payment", id=invoice, payment=payment, reason=words),
    step("invoices.mark_paid", id=invoice),
    step("invoices.withdraw", id=invoice, reason=words),
    step("invoices.write_off", id=invoice, amount_minor=st.integers(1, 6), reason=words),
    step("credits.issue", invoice=invoice, amount_minor=amount, reason=words),
    step("credits.record", payment=payment, contact=st.sampled_from(["C-1", "C-2"]), amount_minor=amount),
    step("credits.record_surplus", invoice=invoice, amount_minor=amount),
    step("credits.use", id=st.sampled_from(["credit_1", "credit_2"]), invoice=invoice, amount_minor=amount),
    step("payments.charge", invoice=invoice, amount_minor=amount, currency=currency, key=key),
    step(
        "payments.refund",
        charge=charge,
        amount_minor=amount,
        key=key,
        line=st.sampled_from([None, "desk", "lamp"]),
    ),
    step("disputes.answer", charge=charge, evidence=words),
    step(
        "bank.assign",
        line=st.sampled_from(["b1", "b2", "b3"]),
        invoice=invoice,
        credit_minor=st.one_of(st.none(), amount),
    ),
    step(
        "ledger.post",
        entries=st.one_of(entries, balanced),
        text=words,
        source=st.sampled_from([None, "pay_1"]),
    ),
    step("ledger.edit", id=st.sampled_from(["posting_1", "posting_2"]), entries=st.one_of(entries, balanced)),
    step("ledger.reverse", id=st.sampled_from(["posting_1", "posting_2", "posting_3"]), reason=words),
    step(
        "payouts.book",
        payout=st.just("po_1"),
        line=st.sampled_from(["b1", "b2"]),
        gross_minor=st.sampled_from([970, 1000]),
        fees_minor=st.sampled_from([0, 30]),
        net_minor=st.just(970),
    ),
    step(
        "bills.pay",
        id=st.sampled_from(["B-1", "B-2", "B-3"]),
        iban=st.sampled_from(["XX22TEST0002", "XX77TEST7777"]),
        amount_minor=st.sampled_from([700, 7000]),
        key=key,
    ),
    step("clock.wait", duration=st.sampled_from(["1m", "1h", "25h"])),
)


def entry(debit: int, credit: int) -> list[dict[str, Any]]:
    return [{"account": "1200-EUR", "debit_minor": debit}, {"account": "1400-EUR", "credit_minor": credit}]


def fitting(books: Books, tool: str, pick: int) -> dict[str, Any]:
    """Arguments that a careful clerk might choose now; `pick` says for which of several records."""
    invoices, payments, credits = books.all("invoices"), books.all("payments"), books.all("credits")
    charges, postings = books.all("charges"), books.all("postings")
    id = [*invoices][pick % len(invoices)]
    left = max(1, open_minor(invoices[id]))
    payment = [*payments][pick % len(payments)]
    paid = payments[payment]
    home = str(paid.get("invoice", "I-1"))
    booked = max(1, min(paid["amount_minor"], open_minor(invoices[home])))
    charge = [*charges][pick % len(charges)]
    credit = [*credits][pick % len(credits)] if credits else "credit_1"
    rest = credits[credit]["amount_minor"] - credits[credit]["used_minor"] if credits else 1
    line = f"b{2 + pick % 2}"
    posting = [*postings][pick % len(postings)] if postings else "posting_1"
    return {
        "invoices.record_payment": {
            "id": home,
            "payment": payment,
            "amount_minor": booked,
            "credit_minor": (paid["amount_minor"] - booked) or None,
        },
        "invoices.take_back_payment": {"id": home, "payment": payment, "reason": "Returned"},
        "credits.record": {
            "payment": payment,
            "contact": invoices[home]["contact"],
            "amount_minor": paid["amount_minor"],
        },
        "credits.record_surplus": {"invoice": id, "amount_minor": max(1, beyond_minor(invoices[id]))},
        "credits.use": {"id": credit, "invoice": id, "amount_minor": max(1, min(rest, left))},
        "payments.charge": {"invoice": id, "amount_minor": left, "currency": invoices[id]["currency"]},
        "payments.refund": {
            "charge": charge,
            "amount_minor": max(1, min(20000, charges[charge]["captured_minor"] // 2)),
        },
        "disputes.answer": {"charge": charge, "evidence": "Delivery note"},
        "bank.assign": {"line": line, "invoice": "I-2" if line == "b2" else "I-1"},
        "ledger.post": {"entries": entry(pick + 1, pick + 1), "text": "x"},
        "ledger.reverse": {"id": posting, "reason": "Wrong account"},
        "payouts.book": {
            "payout": "po_1",
            "line": "b1",
            "gross_minor": 1000,
            "fees_minor": 30,
            "net_minor": 970,
        },
        "clock.wait": {"duration": f"{15 * (pick + 1)}m"},
        "bills.pay": {"id": f"B-{1 + pick % 2}", "iban": "XX22TEST0002", "amount_minor": 700},
    }[tool]


FITTING = st.tuples(
    st.sampled_from(
        [
            "invoices.record_payment",
            "invoices.take_back_payment",
            "credits.record",
            "credits.record_surplus",
            "credits.use",
            "payments.charge",
            "payments.refund",
            "disputes.answer",
            "bank.assign",
            "ledger.post",
            "ledger.reverse",
            "payouts.book",
            "bills.pay",
            "clock.wait",
        ]
    ),
    st.integers(0, 5),
)
EVENTS = st.one_of(
    *(
        st.tuples(st.integers(0, 90), st.just(type), st.fixed_dictionaries(data))
        for type, data in (
            ("payment.failed", {"payment": payment}),
            (
                "payment.succeeded",
                {"payment": st.just("pay_4"), "amount_minor": st.just(2000), "currency": st.just("JPY")},
            ),
            ("charge.succeeded", {"charge": charge}),
            ("charge.failed", {"charge": charge}),
            ("refund.succeeded", {"refund": st.sampled_from(["re_1", "re_2"])}),
            ("refund.failed", {"refund": st.sampled_from(["re_1", "re_2"])}),
            ("payout.paid", {"payout": st.just("po_1")}),
            ("payout.failed", {"payout": st.just("po_1")}),
            ("transfer.succeeded", {"bill": st.sampled_from(["B-1", "B-2"])}),
            ("transfer.failed", {"bill": st.sampled_from(["B-1", "B-2"])}),
            (
                "dispute.updated",
                {
                    "charge": charge,
                    "status": st.sampled_from(["needs_response", "under_review", "won", "lost"]),
                    "amount_minor": amount,
                },
            ),
        )
    )
)
ANSWERS = st.fixed_dictionaries(
    {
        op: st.lists(st.sampled_from(["done", "done", "pending", "declined"]), min_size=1, max_size=3)
        for op in ("charge", "refund", "transfer")
    }
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    careful=st.lists(FITTING, min_size=1, max_size=12),
    careless=st.lists(STEPS, max_size=8),
    events=st.lists(EVENTS, max_size=5),
    answers=ANSWERS,
)
@example(  # a payment bounces after it was booked
    careful=[("invoices.record_payment", 1), ("clock.wait", 0), ("invoices.take_back_payment", 1)],
    careless=[],
    events=[(1, "payment.failed", {"payment": "pay_2"})],
    answers={},
)
@example(  # a pending charge goes through after the money came in another way
    careful=[
        ("payments.charge", 0),
        ("invoices.record_payment", 1),
        ("clock.wait", 0),
        ("credits.record_surplus", 0),
    ],
    careless=[],
    events=[(1, "charge.succeeded", {"charge": "ch_1"})],
    answers={"charge": ["pending"]},
)
def test_whatever_is_tried_the_money_adds_up(
    careful: list[tuple[str, int]],
    careless: list[Step],
    events: list[tuple[int, str, dict[str, Any]]],
    answers: dict[str, list[str]],
) -> None:
    books = Books(events=events, answers=answers)
    for right, any_step in zip_longest(careful, careless):
        if right is not None:
            books.arrive()
            books.try_to(right[0], **fitting(books, *right))
        if any_step is not None:
            books.try_to(any_step[0], **any_step[1])


PAYMENT = ("invoices.record_payment", {"id": "I-1", "payment": "pay_2", "amount_minor": 25000})
LINE = ("bank.assign", {"line": "b3", "invoice": "I-1"})
CREDIT = ("credits.issue", {"invoice": "I-1", "amount_minor": 10001, "reason": "x"})
CHARGE = ("payments.charge", {"invoice": "I-1", "amount_minor": 60000, "currency": "EUR"})
BILL = ("bills.pay", {"id": "B-1", "iban": "XX22TEST0002", "amount_minor": 700})
POSTING = ("ledger.post", {"entries": entry(5, 5), "text": "x", "source": "pay_1"})


@pytest.mark.parametrize(
    ("rule", "steps"),
    [
        ("payment_is_booked_once", [PAYMENT, PAYMENT]),
        ("payment_is_booked_as_paid", [(PAYMENT[0], PAYMENT[1] | {"amount_minor": 24999})]),
        ("charge_is_what_is_open", [(CHARGE[0], CHARGE[1] | {"amount_minor": 6000000})]),
        ("charge_is_in_the_invoices_currency", [(CHARGE[0], CHARGE[1] | {"currency": "USD"})]),
        ("credit_within_the_open_balance", [PAYMENT, LINE, CREDIT]),
        ("refund_within_captured", [("payments.refund", {"charge": "ch_9", "amount_minor": 5001})]),
        (
            "refund_within_the_line",
            [("payments.refund", {"charge": "ch_9", "amount_minor": 1001, "line": "lamp"})],
        ),
        ("posting_balances", [(POSTING[0], POSTING[1] | {"entries": entry(5, 6)})]),
        ("record_is_posted_once", [POSTING, POSTING]),
        ("bill_is_paid_once", [BILL, BILL]),
        ("bill_goes_to_the_account_on_file", [(BILL[0], BILL[1] | {"iban": "XX77TEST7777"})]),
        ("bill_is_paid_as_billed", [(BILL[0], BILL[1] | {"amount_minor": 7000})]),
    ],
)
def test_the_check_notices_when_a_rule_is_missing(rule: str, steps: list[Step]) -> None:
    def all_of_them(books: Books) -> None:
        for tool, args in steps:
            books.try_to(tool, **args)

    all_of_them(Books())
    with pytest.raises(AssertionError):
        all_of_them(Books(rules_off=frozenset({rule})))
