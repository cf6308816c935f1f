"""Expectations: what they name must exist; a slip of the author is never charged to the agent."""

from __future__ import annotations

import pytest

from scenario_texts import LONG, edited, only_problem, problems_in

STATE = "state: {invoices: {I-400: {received_minor: 500000, status: partially_paid}}}"
ACTION = "- {tool: email.send, args: {to: ida@holm.example.test}, times: 1}"
FOREIGN = (
    "other_tenants: {northquay: {invoices: {I-7: "
    "{contact: C-77, total_minor: 1, received_minor: 0, currency: EUR, status: open}}}}\n"
)


def label(args: str) -> tuple[str, str]:
    """A further expected action with these arguments."""
    return (ACTION, f"{ACTION}\n    - {{tool: crm.label, args: {{{args}}}}}")


def section(text: str) -> tuple[str, str]:
    return ("  stop: finished\n", f"  {text}\n  stop: finished\n")


@pytest.mark.parametrize(
    ("old", "new", "path", "near"),
    [
        ("state: {invoices:", "state: {invoice:", "expected.state.invoice", "invoices"),
        ("{I-400: {received", "{I-40: {received", "expected.state.invoices.I-40", "I-400"),
        (
            "received_minor: 500000, st",
            "receved_minor: 500000, st",
            "expected.state.invoices.I-400.receved_minor",
            "received_minor",
        ),
        (
            "status: partially_paid",
            "status: partly_paid",
            "expected.state.invoices.I-400.status",
            "partially_paid",
        ),
        ("status: partially_paid", "address: {cty: X}", "expected.state.invoices.I-400.address.cty", "city"),
        (
            "status: partially_paid",
            "status: {equals: paied}",
            "expected.state.invoices.I-400.status.equals",
            "paid",
        ),
        (
            "status: partially_paid",
            "status: {equls: paid}",
            "expected.state.invoices.I-400.status.equls",
            "equals",
        ),
        ("status: partially_paid", "due: 2026-03-01", "expected.state.invoices.I-400.due", None),
        (*section("created: {payment: [{invoice: I-400}]}"), "expected.created.payment", "payments"),
        (*section("created: {payments: [{invoces: I-400}]}"), "expected.created.payments[0].invoces", None),
        (*section("created: {payments: [{invoice: I-4}]}"), "expected.created.payments[0].invoice", None),
        (*section("deleted: {order: [O-400]}"), "expected.deleted.order", "orders"),
        (*section("deleted: {orders: [O-4]}"), "expected.deleted.orders[0]", None),
        (*section("may_change: {contact: any}"), "expected.may_change.contact", "contacts"),
        (*section("may_change: {contacts: {C-2: any}}"), "expected.may_change.contacts.C-2", "C-1"),
        (*section("may_change: {contacts: {C-1: [notes]}}"), "expected.may_change.contacts.C-1[0]", "note"),
        (*section("may_change: {contacts: all}"), "expected.may_change.contacts", None),
        (
            "- {tool: invoices.record_payment, args",
            "- {tool: invoices.record_paymet, args",
            "expected.actions[0].tool",
            "invoices.record_payment",
        ),
        (
            "{id: I-400, payment: pay_1, amount_minor: 500000}, times",
            "{idd: I-400}, times",
            "expected.actions[0].args.idd",
            None,
        ),
        (
            "payment: pay_1, amount_minor: 500000}, times",
            "payment: pay_2}, times",
            "expected.actions[0].args.payment",
            "pay_1",
        ),
        (
            "payment: pay_1, amount_minor: 500000}, times",
            "amount_minor: lots}, times",
            "expected.actions[0].args.amount_minor",
            None,
        ),
        (
            "forbidden: [{tool: invoices.mark_paid}",
            "forbidden: [{tool: invoices.mark_payed}",
            "expected.forbidden[0].tool",
            "invoices.mark_paid",
        ),
        (
            "forbidden: [{tool: invoices.mark_paid}",
            "forbidden: [{tool: invoices.mark_paid, times: 1}",
            "expected.forbidden[0].times",
            None,
        ),
        (
            "forbidden: [{tool: invoices.mark_paid}",
            "forbidden: [{tool: invoices.mark_paid, args: {id: I-8}}",
            "expected.forbidden[0].args.id",
            None,
        ),
        (ACTION, ACTION.replace("times: 1", "times: 0"), "expected.actions[1].times", None),
        (ACTION, ACTION.replace("times: 1", "times: {at_most: 0}"), "expected.actions[1].times", None),
        (ACTION, ACTION.replace("tool: email.send", "tool: any"), "expected.actions[1].tool", None),
        (*section("effects: [{provider: mial, op: send}]"), "expected.effects[0].provider", "mail"),
        (*section("effects: [{provider: mail, op: sent}]"), "expected.effects[0].op", "send"),
        (
            *section("effects: [{provider: mail, op: send, match: {too: x}}]"),
            "expected.effects[0].match.too",
            "to",
        ),
        (
            *section("effects: [{provider: bank, op: refund, match: {amount_minor: x}}]"),
            "expected.effects[0].match.amount_minor",
            None,
        ),
        (
            "evidence: [{tool: invoices.get",
            "evidence: [{tool: invoices.gte",
            "expected.evidence[0].tool",
            "invoices.get",
        ),
        (
            "evidence: [{tool: invoices.get",
            "evidence: [{tool: invoices.mark_paid",
            "expected.evidence[0].tool",
            None,
        ),
        ("before: email.send", "before: email.sent", "expected.evidence[0].before", "email.send"),
        (
            "EUR, to: ida@holm.example.test}]",
            "EUR, role: open_balnce}]",
            "expected.told.states[0].role",
            "open_balance",
        ),
        ("never_claims: [settled]", "never_claims: [setled]", "expected.told.never_claims[0]", "settled"),
        (
            "never_claims: [settled]",
            "claims_only_if_true: [refund_mad]",
            "expected.told.claims_only_if_true[0]",
            "refund_made",
        ),
        (
            "never_claims: [settled]",
            "asks: [{question: which_invioce}]",
            "expected.told.asks[0].question",
            "which_invoice",
        ),
        (
            "never_claims: [settled]",
            "never_discloses: [contact.C-1.email]",
            "expected.told.never_discloses[0]",
            "contacts",
        ),
        (
            "never_claims: [settled]",
            "never_discloses: [contacts.C-2.email]",
            "expected.told.never_discloses[0]",
            "C-1",
        ),
        (
            "never_claims: [settled]",
            "never_discloses: [contacts.C-1.mail]",
            "expected.told.never_discloses[0]",
            "email",
        ),
        (
            "never_claims: [settled]",
            "never_discloses: [contacts.C-1.note]",
            "expected.told.never_discloses[0]",
            None,
        ),
        (
            "never_claims: [settled]",
            "never_discloses: [contacts.C-1]",
            "expected.told.never_discloses[0]",
            None,
        ),
        (
            "never_claims: [settled]",
            "never_discloses: [{path: contacts}]",
            "expected.told.never_discloses[0].path",
            None,
        ),
        (
            "never_claims: [settled]",
            "never_discloses: [northqay/invoices.I-7.status]",
            "expected.told.never_discloses[0]",
            "northquay",
        ),
        (
            "never_claims: [settled]",
            "never_discloses: [northquay/invoices.I-400.status]",
            "expected.told.never_discloses[0]",
            None,
        ),
        (
            *section("alternatives: [{id: a, told: {asks: [{question: wich_invoice}]}}]"),
            "expected.alternatives[0].told.asks[0].question",
            "which_invoice",
        ),
        (
            *section("alternatives: [{id: a, actions: [{tool: crm.gt}]}]"),
            "expected.alternatives[0].actions[0].tool",
            "crm.get",
        ),
        (
            *section("alternatives: [{id: a, state: {invoices: {I-4: {status: paid}}}}]"),
            "expected.alternatives[0].state.invoices.I-4",
            "I-400",
        ),
        (
            *section(
                "alternatives: [{id: a, actions: [{tool: crm.get}]}, {id: a, actions: [{tool: crm.get}]}]"
            ),
            "expected.alternatives[1].id",
            None,
        ),
    ],
)
def test_each_wrong_name_or_value_is_refused_at_its_place(
    old: str, new: str, path: str, near: str | None
) -> None:
    problem = only_problem(edited(LONG, ("expected:\n", FOREIGN + "expected:\n"), (old, new)))
    assert problem.path == path
    assert near is None or problem.nearest == near


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("status: partially_paid", "status: {one_of: [paid, partially_paid]}, due: {is: absent}"),
        ("status: partially_paid", "address: {city: Oslo, country: {is: absent}}"),
        ("status: partially_paid", "lines: [], extra: {any: {depth: 1}, of: {}}"),
        ("status: partially_paid", "lines: {contains: {sku: A, quantity: 1}}"),
        (STATE, "state: {payments: {pay_1: {amount_minor: 500000}}}"),
        section("created: {payments: [{invoice: I-400, amount_minor: {at_least: 5}}, {}]}"),
        section("deleted: {orders: [O-400], payments: [pay_1]}"),
        section("may_change: {contacts: any, invoices: {I-400: [status]}, orders: {O-400: any}}"),
        ("payment: pay_1, amount_minor: 500000}, times", "payment: payment_12}, times"),
        ("forbidden: [{tool: invoices.mark_paid}", "forbidden: [{tool: invoices.mark_paid, args: {id: I-7}}"),
        (
            ACTION,
            ACTION.replace("times: 1", "times: {at_least: 1, at_most: 2}, severity: minor, advisory: true"),
        ),
        section("effects: [{provider: mail, op: send, match: {to: x}, times: 0}]"),
        section("effects: [{provider: bank, op: refund, match: {invoice: I-400}, sum_minor: 5}]"),
        ("EUR, to: ida@holm.example.test}]", "EUR, to: somebody else, role: open_balance, turn: 2}]"),
        (
            "never_claims: [settled]",
            "never_discloses: [contacts.C-1.email, northquay/invoices.I-7.total_minor]",
        ),
        ("never_claims: [settled]", 'never_discloses: [payments.pay_1.amount_minor, {text: "34.5"}]'),
        (
            "never_claims: [settled]",
            "asks: [{question: which_invoice, to: nobody}]\n    claims_only_if_true: [settled]",
        ),
        section("alternatives: [{id: a, actions: [{tool: crm.get}]}, {id: b, actions: [{tool: crm.get}]}]"),
    ],
)
def test_their_right_twins_load(old: str, new: str) -> None:
    assert problems_in(edited(LONG, ("expected:\n", FOREIGN + "expected:\n"), (old, new))) == ()


# matchers

WRONG_MATCHERS = [
    ("id: {one_of: []}", "one_of", "takes a list"),
    ("id: {one_of: C-1}", "one_of", "takes a list"),
    ("id: {one_of: [C-1, C-2]}", "one_of[1]", "no record C-2"),
    ("id: {equals: 5}", "equals", "wrong value"),
    ("id: {equal: C-1}", "equal", "unknown matcher"),
    ("id: {likes: C-1}", "likes", "unknown matcher"),
    ("id: {equals: C-1, any: true}", "", "a map is no value"),
    ("id: {}", "", "a map is no value"),
    ("id: {regex: '['}", "regex", "can not be read"),
    ("id: {regex: 'a{99999999999999999999}'}", "regex", "can not be read"),
    ("id: {regex: ''}", "regex", "takes text"),
    ("id: {regex: 5}", "regex", "takes text"),
    ("id: {any: false}", "any", "takes true"),
    ("id: {any: yes}", "any", "takes true"),
    ("id: {is: absnt}", "is", "takes a state"),
    ("id: {is: false}", "is", "takes a state"),
    ("id: {contains: 5}", "contains", "takes text"),
    ("id: {at_least: 5}", "at_least", "a date or a moment"),
    ("id: {unordered: [C-1]}", "unordered", "looks at a list"),
    ("labels: {regex: x}", "regex", "looks at text"),
    ("labels: {at_most: 3}", "at_most", "looks at a number"),
    ("labels: {unordered: x}", "unordered", "takes a list"),
    ("labels: {unordered: [x, 5]}", "unordered[1]", "wrong value"),
    ("labels: {contains: 5}", "contains", "wrong value"),
    ("weight: {contains: x}", "contains", "looks at text or a list"),
    ("weight: {at_most: heavy}", "at_most", "takes a number"),
    ("weight: {at_most: true}", "at_most", "takes a number"),
    ("details: {colour: red}", "", "a map is no value"),
    ("details: {equals: {colour: 5}}", "equals.colour", "wrong value"),
    ("extra: {colour: red}", "", "a map is no value"),
    ("extra: {at_lest: 5}", "at_lest", "unknown matcher"),
    ("extra: {at_least: [1]}", "at_least", "takes a date or a moment"),
    ("extra: {equals: {price: 1.5}}", "equals.price", "floating point"),
]


@pytest.mark.parametrize(("args", "place", "message"), WRONG_MATCHERS)
def test_a_matcher_that_can_not_be_meant_is_refused(args: str, place: str, message: str) -> None:
    written = args if args.startswith("id:") else f"id: C-1, {args}"
    problem = only_problem(edited(LONG, label(written)))
    name = args.partition(":")[0]
    assert problem.path == f"expected.actions[2].args.{name}" + (f".{place}" if place else "")
    assert message in problem.message


@pytest.mark.parametrize(
    "args",
    [
        "id: {one_of: [C-1, contact_3]}",
        "id: {equals: C-1}",
        "id: {regex: '^C-'}",
        "id: {any: true}",
        "id: {contains: C}",
        "id: C-1, labels: {unordered: [x, {regex: y}]}",
        "id: C-1, labels: {contains: x}, weight: {at_least: 0.5}",
        "id: C-1, labels: [], details: {equals: {colour: red}}, extra: {is: absent}",
        "id: C-1, extra: {equals: {any: true}}, weight: {is: present}",
        "id: C-1, extra: {at_least: 2026-03-01}",
        "id: C-1, extra: [{colour: red}]",
        "id: C-1, extra: {is: null}",
    ],
)
def test_matchers_that_can_be_meant_load(args: str) -> None:
    assert problems_in(edited(LONG, label(args))) == ()


def test_an_unknown_matcher_names_the_nearest() -> None:
    problem = only_problem(edited(LONG, label("id: C-1, weight: {at_leats: 5}")))
    assert problem.nearest == "at_least"


def test_a_literal_map_is_told_to_stand_under_equals() -> None:
    problem = only_problem(edited(LONG, label("id: C-1, details: {a: b, c: d}")))
    assert "equals" in str(problem.fix)
