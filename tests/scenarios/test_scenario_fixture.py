"""What exists and happens: each kind of wrong name or value is refused, and its right twin loads."""

from __future__ import annotations

import pytest

from scenario_texts import LONG, SHORT, edited, only_problem, place_of, problems_in

INVOICE = "currency: EUR, status: open}}"
EVENT = "- {at: +0s, id: evt_1, type: payment.succeeded,"
TENANT = "other_tenants: {northquay: {invoices: {I-400: "
FOREIGN = "{contact: C-77, total_minor: 1, received_minor: 0, currency: EUR, status: open}"


def with_line(line: str) -> tuple[str, str]:
    return ("expected:\n", f"{line}\nexpected:\n")


@pytest.mark.parametrize(
    ("old", "new", "path", "near"),
    [
        ("permissions: [crm.read,", "permissions: [crm.wread,", "role.permissions[0]", "crm.read"),
        (
            "finance_lead: {permissions: [crm.read,",
            "finance_lead: {permissions: [crm.rea,",
            "people.finance_lead.permissions[0]",
            "crm.read",
        ),
        ("[payments.refund]", "[payments.refnd]", "people.finance_lead.approves[0]", "payments.refund"),
        ("approves:", "tenant: brightwatr, approves:", "people.finance_lead.tenant", "brightwater"),
        ("  contacts:", "  contcts:", "initial.contcts", "contacts"),
        ("{name: Ida Holm,", "{nam: Ida, name: Ida Holm,", "initial.contacts.C-1.nam", "name"),
        ("{name: Ida Holm, ", "{", "initial.contacts.C-1", None),
        ("name: Ida Holm", "name: [Ida]", "initial.contacts.C-1.name", None),
        (INVOICE, "currency: EUX, status: open}}", "initial.invoices.I-400.currency", None),
        (INVOICE, "currency: EUR, status: closed}}", "initial.invoices.I-400.status", None),
        (INVOICE, INVOICE.replace("}}", ", due: 2026-03-01T10:00:00}}"), "initial.invoices.I-400.due", None),
        (INVOICE, INVOICE.replace("}}", ", due: 2026-03-01}}"), "initial.invoices.I-400.due", None),
        (
            INVOICE,
            INVOICE.replace("}}", ", lines: [{sku: A, quantity: -1}]}}"),
            "initial.invoices.I-400.lines[0].quantity",
            None,
        ),
        (
            "O-400: {contact: C-1, invoice: I-400",
            "O-400: {contact: C-1, invoice: I-40",
            "initial.orders.O-400.invoice",
            "I-400",
        ),
        (
            "O-400: {contact: C-1, invoice: I-400",
            "O-400: {contact: C-1, invoice: invoice_1",
            "initial.orders.O-400.invoice",
            None,
        ),
        ("type: payment.succeeded", "type: payment.succeded", "events[0].type", "payment.succeeded"),
        (
            "{payment: pay_1, invoice: I-400,",
            "{payment: pay_1, invoice: I-4,",
            "events[0].data.invoice",
            None,
        ),
        (
            "{payment: pay_1, invoice",
            "{paymnt: p, payment: pay_1, invoice",
            "events[0].data.paymnt",
            "payment",
        ),
        (
            "{payment: pay_1, invoice: I-400, amount_minor: 500000,",
            "{payment: pay_1, invoice: I-400,",
            "events[0].data",
            None,
        ),
        ("stimulus: {from: finance_lead", "stimulus: {from: finance_led", "stimulus.from", "finance_lead"),
        (EVENT, EVENT.replace("evt_1", "evt_1, from: ida"), "events[0].from", None),
        (
            "Book it and tell",
            'Book it", then: [{when: {asks: which_invoce}, message: I-400}], x: "tell',
            "stimulus.then[0].when.asks",
            "which_invoice",
        ),
        (*with_line(TENANT + "{contact: C-77}}}}"), "other_tenants.northquay.invoices.I-400", None),
        (
            *with_line("other_tenants: {northquay: {invoice: {}}}"),
            "other_tenants.northquay.invoice",
            "invoices",
        ),
        (*with_line("other_tenants: {brightwater: {}}"), "other_tenants.brightwater", None),
        (*with_line("providers: {bnk: {refund: [{answer: declined}]}}"), "providers.bnk", "bank"),
        (*with_line("providers: {bank: {refnd: [{answer: declined}]}}"), "providers.bank.refnd", "refund"),
        (
            *with_line("providers: {bank: {refund: [{answer: declind}]}}"),
            "providers.bank.refund[0].answer",
            "declined",
        ),
        (*with_line("providers: {bank: {refund: [{reason: no}]}}"), "providers.bank.refund[0]", None),
        (*with_line("providers: {bank: {refund: []}}"), "providers.bank.refund", None),
        (
            *with_line("providers: {mail: {send: [{answer: permissive}]}}"),
            "providers.mail.send[0].answer",
            None,
        ),
        (*with_line("faults: [{on: invoices.gt, kind: error}]"), "faults[0].on", "invoices.get"),
        (*with_line("faults: [{on: evt_2, kind: late}]"), "faults[0].on", "evt_1"),
        (*with_line("faults: [{on: evt_1, kind: lat}]"), "faults[0].kind", "late"),
        (*with_line("faults: [{on: evt_1, kind: error}]"), "faults[0].kind", None),
        (*with_line("faults: [{on: email.send, kind: duplicate}]"), "faults[0].kind", None),
        (*with_line("faults: [{on: email.send, kind: lost_ack, by: 2h}]"), "faults[0].by", None),
        (*with_line("faults: [{on: evt_1, kind: late, error: x}]"), "faults[0].error", None),
        (*with_line("faults: [{on: evt_1, kind: late, attempt: 2}]"), "faults[0].attempt", None),
        (*with_line("faults: [{on: evt_1, kind: late}, {on: evt_1, kind: late, by: 1h}]"), "faults[1]", None),
    ],
)
def test_each_wrong_name_or_value_is_refused_at_its_place(
    old: str, new: str, path: str, near: str | None
) -> None:
    text = edited(LONG, (old, new))
    if "contcts" in new:
        problem = next(found for found in problems_in(text) if found.path == path)
    else:
        problem = next((found for found in problems_in(text) if found.path == path), None) or only_problem(
            text
        )
    assert problem.path == path
    assert near is None or problem.nearest == near


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("approves:", "tenant: brightwater, approves:"),
        ("{name: Ida Holm,", "{note: null, name: Ida Holm,"),
        (INVOICE, INVOICE.replace("}}", ", due: 2026-03-01T10:00:00Z}}")),
        (INVOICE, INVOICE.replace("}}", ", lines: [{sku: A, quantity: 1}]}}")),
        (EVENT, EVENT.replace("evt_1", "evt_1, from: ida@holm.example.test")),
        (EVENT, EVENT.replace("evt_1", "evt_1, from: finance_lead")),
        ("stimulus: {from: finance_lead", "stimulus: {from: ida@holm.example.test"),
        with_line(TENANT + FOREIGN + "}}}"),
        with_line("providers: {bank: {refund: [{answer: declined, reason: no}, {answer: permissive}]}}"),
        with_line("faults: [{on: invoices.get, kind: error, occurrence: 2, attempt: 3, error: down}]"),
        with_line("faults: [{on: invoices.get, kind: lost_ack}]"),
        with_line("faults: [{on: evt_1, kind: late, by: +2h}, {on: evt_1, kind: duplicate}]"),
    ],
)
def test_their_right_twins_load(old: str, new: str) -> None:
    assert problems_in(edited(LONG, (old, new))) == ()


def test_event_ids_that_stand_twice_name_both_lines() -> None:
    event = LONG[LONG.index("  - {at: +0s") : LONG.index("stimulus:")]
    text = edited(LONG, (event, event + event))
    problem = only_problem(text)
    assert problem.path == "events[1].id"
    assert f"first in line {place_of(text, EVENT)[0]}" in problem.message


def test_something_must_set_the_agent_to_work() -> None:
    silent = LONG[: LONG.index("stimulus:")] + LONG[LONG.index("expected:") :]
    assert "nothing sets the agent to work" in only_problem(silent).message
    assert problems_in(edited(silent, ("id: evt_1,", "id: evt_1, wakes: true,"))) == ()


@pytest.mark.parametrize("value", ["9000.0", "9000.5", "9e3"])
@pytest.mark.parametrize(
    ("old", "number", "path"),
    [
        ("total_minor: 900000", "900000", "initial.invoices.I-400.total_minor"),
        ("amount_minor: 500000, currency: EUR}}", "500000", "events[0].data.amount_minor"),
        ("{received_minor: 500000", "500000", "expected.state.invoices.I-400.received_minor"),
        ("amount_minor: 500000}, times", "500000", "expected.actions[0].args.amount_minor"),
        ("amount_minor: 500000}}\n", "500000", "reference[0].do[1].args.amount_minor"),
        ("amount_minor: 400000", "400000", "expected.told.states[0].amount_minor"),
    ],
)
def test_an_amount_is_never_a_float(old: str, number: str, path: str, value: str) -> None:
    text = edited(LONG, (old, old.replace(number, value)))
    assert {problem.path for problem in problems_in(text)} == {path}


@pytest.mark.parametrize("name", ["fee_minor", "amount", "price", "total", "grand_total", "unit_price"])
def test_names_of_amounts_hold_no_floats_where_no_shape_is_declared(name: str) -> None:
    def invoice(extra: str) -> str:
        return edited(LONG, (INVOICE, INVOICE.replace("}}", f", extra: {extra}}}}}")))

    problem = only_problem(invoice(f"{{deep: [{{{name}: 5.0}}]}}"))
    assert problem.path == f"initial.invoices.I-400.extra.deep[0].{name}"
    assert "floating point" in problem.message
    assert problems_in(invoice(f"{{{name}: 5, weight: 1.5, {name}s_of_day: 2.5}}")) == ()


def test_a_float_stands_where_the_shape_says_number() -> None:
    assert problems_in(edited(LONG, (INVOICE, INVOICE.replace("}}", ", discount: 2.5}}")))) == ()
    wrong = edited(LONG, (INVOICE, INVOICE.replace("}}", ", lines: [{sku: A, quantity: 2.5}]}}")))
    assert only_problem(wrong).path == "initial.invoices.I-400.lines[0].quantity"


@pytest.mark.fault("E02")
def test_a_clock_needs_a_zone() -> None:
    problem = only_problem(edited(LONG, ("08:00:00+01:00", "08:00:00")))
    assert problem.path == "clock"
    assert "zone" in problem.message


def test_records_that_facts_build_are_known_to_the_world_alone() -> None:
    action = "expected:\n  actions: [{tool: quotes.send, args: {id: Q-9}}]\n"
    assert problems_in(edited(SHORT, ("expected:\n", action))) == ()
    assert only_problem(edited(LONG, ("{id: I-400}, before", "{id: I-9}, before"))).nearest is None


OWNED = """
id: owned
initial:
  contacts: {C-1: {name: Ida Holm, email: ida@holm.example.test}}
  invoices: {I-1: {contact: C-1, total_minor: 1, received_minor: 0, currency: EUR, status: open}}
stimulus: {message: Please mark I-1 as paid.}
expected: {actions: [{tool: invoices.mark_paid, args: {id: I-1}}]}
reference: [{do: [{tool: invoices.mark_paid, args: {id: I-1}}], reply: Done.}]
"""


@pytest.mark.parametrize("table", ["contacts", "invoices"])
def test_a_misspelt_table_is_told_once_and_not_for_every_record_in_it(table: str) -> None:
    assert not problems_in(OWNED)
    problem = only_problem(edited(OWNED, (f"  {table}:", f"  {table}x:")))
    assert (problem.path, problem.nearest) == (f"initial.{table}x", table)


def test_a_record_that_stands_nowhere_is_told_beside_a_misspelt_table() -> None:
    text = edited(OWNED, ("  contacts:", "  contcts:"), ("contact: C-1", "contact: C-9"))
    assert [problem.path for problem in problems_in(text)] == [
        "initial.contcts",
        "initial.invoices.I-1.contact",
    ]
