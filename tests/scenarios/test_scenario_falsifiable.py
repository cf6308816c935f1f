"""A scenario must be failable by doing nothing, and must not demand what it forbids."""

from __future__ import annotations

import pytest

from scenario_texts import LONG, SHORT, edited, only_problem, place_of, problems_in

EXPECTED = LONG[LONG.index("expected:\n") : LONG.index("limits: {turns: 4")]
REFUSAL = (
    "other_tenants: {northquay: {invoices: {I-7: "
    "{contact: C-77, total_minor: 1, received_minor: 0, currency: EUR, status: open}}}}\n"
)


def expecting(*lines: str, text: str = LONG) -> str:
    """The long scenario with nothing expected but these lines."""
    body = "".join(f"  {line}\n" for line in lines) or "  {}\n"
    return edited(text, (EXPECTED, f"{REFUSAL}expected:\n{body}"))


@pytest.mark.parametrize(
    "lines",
    [
        (),
        ("forbidden: [{tool: payments.refund}]",),
        ("told: {never_claims: [settled], claims_only_if_true: [settled], never_discloses: [{text: x}]}",),
        ("limits: {calls: 3}", "stop: finished"),
        ("stop: turn_limit",),
        ("may_change: {invoices: any}",),
        ("actions: []", "effects: []", "evidence: []", "created: {payments: []}", "deleted: {orders: []}"),
        ("state: {invoices: {I-400: {status: open, received_minor: 0}}}",),
        ("state: {invoices: {I-400: {}}}",),
        ("state: {invoices: {I-400: {status: {one_of: [open, paid]}, due: {is: absent}}}}",),
        ("state: {invoices: {I-400: {total_minor: {at_least: 5}, currency: {regex: EUR}}}}",),
        ("state: {payments: {pay_1: {amount_minor: 500000, currency: {equals: EUR}}}}",),
        ("actions: [{tool: crm.get, advisory: true}]",),
        ("actions: [{tool: crm.get, times: {at_most: 2}}]",),
        ("effects: [{provider: mail, op: send, times: 0}]",),
        ("effects: [{provider: mail, op: send, times: {at_most: 1}}]",),
        ("effects: [{provider: bank, op: refund, times: {at_most: 1}, sum_minor: 0}]",),
        ("effects: [{provider: bank, op: refund, sum_minor: 0}]",),
        ("evidence: [{tool: invoices.get, before: email.send}]",),
        ("told: {states: [{literal: paid, advisory: true}]}",),
        ("external_sends: 0",),
        ("settled: false",),
    ],
)
@pytest.mark.fault("A03", "G02")
def test_what_an_idle_agent_passes_is_refused(lines: tuple[str, ...]) -> None:
    problem = only_problem(expecting(*lines))
    assert problem.path == "expected"
    assert "does nothing" in problem.message


@pytest.mark.parametrize(
    "lines",
    [
        ("state: {invoices: {I-400: {status: paid}}}",),
        ("state: {invoices: {I-400: {status: open, due: {is: present}}}}",),
        ("state: {invoices: {I-400: {total_minor: {at_most: 5}}}}",),
        ("state: {payments: {pay_1: {amount_minor: 1}}}",),
        ("created: {payments: [{}]}",),
        ("deleted: {orders: [O-400]}",),
        ("actions: [{tool: crm.get}]",),
        ("actions: [{tool: crm.get, times: {at_least: 1, at_most: 2}}]",),
        ("effects: [{provider: mail, op: send}]",),
        ("effects: [{provider: bank, op: refund, times: {at_most: 1}, sum_minor: 5}]",),
        ("effects: [{provider: bank, op: refund, times: 2, sum_minor: 0}]",),
        ("told: {states: [{literal: paid}]}",),
        ("told: {asks: [{question: which_invoice}]}",),
        ("external_sends: 1",),
        ("settled: true",),
    ],
)
def test_what_an_idle_agent_fails_loads(lines: tuple[str, ...]) -> None:
    assert problems_in(expecting(*lines)) == ()


def test_nested_patches_are_compared_leaf_by_leaf() -> None:
    text = edited(LONG, ("status: open}}", "status: open, address: {city: Oslo, country: 'NO'}}}"))
    assert problems_in(expecting("state: {invoices: {I-400: {address: {city: Bergen}}}}", text=text)) == ()
    assert only_problem(expecting("state: {invoices: {I-400: {address: {city: Oslo}}}}", text=text))


def test_every_alternative_must_demand_something() -> None:
    positive = "actions: [{tool: crm.get}]"
    problem = only_problem(expecting(positive, "alternatives: [{id: a, told: {never_claims: [settled]}}]"))
    assert problem.path == "expected.alternatives[0]"
    assert problems_in(expecting(positive, "alternatives: [{id: a, told: {states: [{id: I-400}]}}]")) == ()


def test_alternatives_do_not_excuse_an_expectation_that_demands_nothing() -> None:
    text = expecting("stop: finished", "alternatives: [{id: a, told: {states: [{id: I-400}]}}]")
    assert only_problem(text).path == "expected"


def test_a_contract_needs_a_fact_that_can_fail() -> None:
    def with_facts(facts: str) -> str:
        return SHORT[: SHORT.index("expected:")] + f"expected:\n{facts}"

    assert problems_in(with_facts("  external_sends: 0\n")) == ()
    assert problems_in(with_facts("  decision: deny\n")) == ()
    assert problems_in(with_facts("  quote_version: 4\n")) == ()
    assert only_problem(with_facts("  quote_version: 3\n")).path == "expected"
    assert only_problem(with_facts("  {}\n")).path == "expected"


ACTION = "actions: [{tool: crm.label, args: {id: C-1, labels: [x]}}]"


@pytest.mark.parametrize(
    ("action", "forbidden"),
    [
        (ACTION, "{tool: crm.label}"),
        (ACTION, "{tool: any}"),
        (ACTION, "{tool: crm.label, args: {id: C-1}}"),
        (ACTION, "{tool: crm.label, args: {id: {regex: C}, labels: {contains: x}}}"),
        (ACTION, "{tool: crm.label, args: {weight: {any: true}}}"),
        (ACTION, "{tool: crm.label, args: {id: {one_of: [C-1]}}}"),
        ("actions: [{tool: crm.label, args: {id: {equals: C-1}}}]", "{tool: crm.label, args: {id: C-1}}"),
        ("actions: [{tool: crm.label, args: {id: {one_of: [C-1]}}}]", "{tool: crm.label, args: {id: C-1}}"),
        ("actions: [{tool: crm.label, args: {id: {regex: C}}}]", "{tool: crm.label, args: {id: {regex: C}}}"),
        ("actions: [{tool: crm.get}]", "{tool: crm.get, severity: minor}"),
        (f"actions: [{{tool: crm.get}}]\n  alternatives: [{{id: a, {ACTION}}}]", "{tool: crm.label}"),
    ],
)
def test_a_required_action_that_is_always_forbidden_is_refused(action: str, forbidden: str) -> None:
    text = expecting(action, f"forbidden: [{forbidden}]")
    problem = only_problem(text)
    assert problem.path.endswith("actions[0]")
    assert f"forbidden in line {place_of(text, 'forbidden:')[0]}" in problem.message


@pytest.mark.parametrize(
    ("action", "forbidden"),
    [
        (ACTION, "{tool: crm.get}"),
        (ACTION, "{tool: crm.label, args: {labels: []}}"),
        (ACTION, "{tool: crm.label, args: {id: C-1, weight: 5}}"),
        (ACTION, "{tool: crm.label, args: {extra: {is: present}}}"),
        (ACTION, "{tool: crm.label, advisory: true}"),
        ("actions: [{tool: crm.label}]", "{tool: crm.label, args: {id: C-1}}"),
        ("actions: [{tool: crm.label, args: {id: {regex: C}}}]", "{tool: crm.label, args: {id: C-1}}"),
        (
            "actions: [{tool: email.send, args: {to: a@b.test}}]",
            "{tool: email.send, args: {text: {contains: x}}}",
        ),
        ("actions: [{tool: crm.get}]", "{tool: crm.label}"),
    ],
)
def test_a_required_action_that_can_escape_loads(action: str, forbidden: str) -> None:
    assert problems_in(expecting(action, f"forbidden: [{forbidden}]")) == ()
