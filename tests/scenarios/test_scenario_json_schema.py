"""The JSON Schema: valid itself, takes what the loader takes, and sees what an editor should underline."""

from __future__ import annotations

import json

import pytest

from company_lab.formats.yaml import read_yaml
from company_lab.scenarios.json_schema import DIALECT, EDITOR_HEADER, scenario_schema
from company_lab.scenarios.spec import WorldSpec
from scenario_texts import LONG, SHORT, edited, load
from small_world import SMALL_WORLD

jsonschema = pytest.importorskip("jsonschema")

SPECS = [pytest.param(None, id="any world"), pytest.param(SMALL_WORLD, id="small world")]


def errors(text: str, spec: WorldSpec | None) -> list[str]:
    (document,) = read_yaml(text)
    validator = jsonschema.Draft202012Validator(scenario_schema(spec))
    return [error.message for error in validator.iter_errors(document.value)]


@pytest.mark.parametrize("spec", SPECS)
def test_the_schema_is_a_schema(spec: WorldSpec | None) -> None:
    schema = scenario_schema(spec)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == DIALECT
    assert "x-names" not in json.dumps(schema)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("text", [LONG, SHORT])
def test_the_printed_scenarios_fit(text: str, spec: WorldSpec | None) -> None:
    assert errors(text, spec) == []


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("title:", "titel:"),
        ("severity: critical", "severity: grave"),
        ("role: {tenant", "role: {tennant"),
        ("{at: +0s", "{at: soon"),
        ("{at: +0s", "{att: +0s"),
        ("never_claims:", "never_claim:"),
        ("latency: 20s", "latency: 20"),
        ("clock: 2026-03-05T08:00:00+01:00", "clock: 2026-03-05T08:00:00"),
        ('cost_usd: "0.05"', "cost_usd: 0.05"),
        ("codes: [false_commitment]", "codes: [false]"),
        ("codes: [false_commitment]", "codes: []"),
        ("- do:", "- dos:"),
        ("times: 1}", "times: once}"),
        ("stop: finished", "stop: done"),
    ],
)
def test_misspelt_keys_and_wrong_values_do_not_fit(old: str, new: str, spec: WorldSpec | None) -> None:
    assert errors(edited(LONG, (old, new)), spec)


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (LONG, "crm.read,", "crm.raed,"),
        (LONG, "  contacts:", "  contcts:"),
        (LONG, "{name: Ida Holm, ", "{"),
        (LONG, "state: {invoices:", "state: {invoice:"),
        (LONG, "{received_minor: 500000, st", "{receved_minor: 500000, st"),
        (LONG, "  forbidden:", "  forbiden:"),
        (LONG, "{tool: invoices.mark_paid}", "{tool: invoices.mark_payed}"),
        (LONG, "{id: I-400, payment: pay_1, amount_minor: 500000}, times", "{idd: I-400}, times"),
        (LONG, "type: payment.succeeded", "type: payment.succeded"),
        (LONG, "{payment: pay_1, invoice", "{paymnt: pay_1, invoice"),
        (LONG, "before: email.send", "before: email.sent"),
        (LONG, "never_claims: [settled]", "never_claims: [setled]"),
        (LONG, "- {tool: invoices.mark_paid, args", "- {tool: invoices.mark_payed, args"),
        (LONG, "- {tool: invoices.mark_paid, args: {id: I-400}}", "- {tool: invoices.mark_paid, args: {}}"),
        (SHORT, "  quote_version: 3", "  qoute_version: 3"),
        (SHORT, "  quote_version: 3", "  quote_version: three"),
        (SHORT, "edit_quote_to_version", "edit_quote_version"),
        (SHORT, "send_quote", "send_quotes"),
        (SHORT, "require_approval", "require"),
    ],
)
def test_a_world_fills_in_its_names(text: str, old: str, new: str) -> None:
    wrong = edited(text, (old, new))
    assert errors(wrong, SMALL_WORLD)
    assert errors(wrong, None) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("never_claims: [settled]", "never_discloses: [contacts.C-1.email, {text: secret}]"),
        ("times: 1}\n  forbidden: [", "times: {at_least: 1}}\n  forbidden: [{tool: any, advisory: true}, "),
        ("status: partially_paid}", "status: {one_of: [paid]}, address: {city: {is: absent}}}"),
        ("  stop: finished", "  may_change: {contacts: any, invoices: {I-400: [status], I-401: any}}"),
        ("- {tool: invoices.mark_paid, args: {id: I-400}}", "- {tool: invoices.erase, malformed: true}"),
        (
            "    do:\n      - {tool: invoices.mark_paid",
            "    turns:\n    - do:\n      - {tool: invoices.mark_paid",
        ),
    ],
)
def test_other_forms_fit(old: str, new: str) -> None:
    text = edited(LONG, (old, new))
    if "turns:" in new:
        text = edited(text, ('    reply: "4,000.00 EUR remain open."', ""))
    assert errors(text, SMALL_WORLD) == []


def test_an_editor_header_is_a_remark_of_yaml() -> None:
    header = EDITOR_HEADER.format(schema="scenario.schema.json")
    assert header == "# yaml-language-server: $schema=scenario.schema.json"
    assert load(f"{header}\n{LONG}").digest == load(LONG).digest
