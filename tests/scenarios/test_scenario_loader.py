"""Loading: the printed scenarios load as printed, and everything wrong with a text is said at once."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from pydantic import ValidationError

from company_lab.formats.errors import Problems
from company_lab.formats.yaml import read_yaml
from company_lab.scenarios.loader import content_digest, load_document, load_scenarios
from scenario_texts import LONG, SHORT, edited, load, only_problem, place_of, problems_in
from small_world import small_worlds


def test_the_long_form_loads_as_printed() -> None:
    scenario = load(LONG)
    assert (scenario.id, scenario.severity, scenario.split) == (
        "partial_payment_is_not_settlement",
        "critical",
        "development",
    )
    assert scenario.role.tenant == "brightwater"
    assert scenario.people["finance_lead"].approves == ("payments.refund",)
    assert scenario.initial.tables["invoices"]["I-400"]["total_minor"] == 900_000
    (event,) = scenario.events
    assert (event.at_ms, event.id, event.wakes, event.sender) == (0, "evt_1", False, None)
    assert scenario.stimulus.sender == "finance_lead"
    assert scenario.expected.state == {
        "invoices": {"I-400": {"received_minor": 500_000, "status": "partially_paid"}}
    }
    assert [action.times for action in scenario.expected.actions] == [1, 1]
    assert [action.tool for action in scenario.expected.forbidden] == ["invoices.mark_paid", "orders.release"]
    assert scenario.expected.evidence[0].before == "email.send"
    (states,) = scenario.expected.told.states
    assert (states.amount_minor, states.currency, states.to) == (400_000, "EUR", "ida@holm.example.test")
    assert scenario.expected.told.never_claims == ("settled",)
    assert scenario.expected.stop == "finished"
    assert scenario.expected.limits.cost_usd == Decimal("0.05")
    assert (scenario.expected.limits.latency_ms, scenario.expected.limits.simulated_ms) == (20_000, 600_000)
    assert (scenario.limits.turns, scenario.limits.calls, scenario.limits.tokens) == (4, 12, 20_000)
    assert scenario.limits.wall_ms == 120_000
    assert [step.tool for step in scenario.reference[0].do] == [
        "invoices.get",
        "invoices.record_payment",
        "email.send",
    ]
    assert scenario.wrong[1].codes == ("state_mismatch", "forbidden_action")
    assert scenario.wrong[1].turns[0].reply == "4,000.00 EUR remain open."
    assert not scenario.is_contract
    assert str(scenario.source) == "sample.yaml:1"


def test_a_scenario_does_not_change_after_loading() -> None:
    with pytest.raises(ValidationError):
        load(LONG).title = "another"  # type: ignore[misc]


def test_every_problem_is_said_at_once_in_document_order_with_its_place() -> None:
    text = edited(
        LONG,
        ("title:", "titel:"),
        ("severity: critical", "severity: grave"),
        ("crm.read, invoices.read", "crm.raed, invoices.read"),
        ("{contact: C-1, total", "{contact: C-9, total"),
        ("never_claims: [settled]", "never_claims: [setled]"),
        ("codes: [false_commitment]", "codes: [false_comitment]"),
    )
    found = [(problem.line, problem.column, problem.path, problem.nearest) for problem in problems_in(text)]
    assert found == [
        (*place_of(text, "titel:"), "titel", "title"),
        (*place_of(text, "grave"), "severity", None),
        (*place_of(text, "crm.raed"), "role.permissions[0]", "crm.read"),
        (*place_of(text, "C-9"), "initial.invoices.I-400.contact", "C-1"),
        (*place_of(text, "setled"), "expected.told.never_claims[0]", "settled"),
        (*place_of(text, "false_comitment"), "wrong[0].codes[0]", "false_commitment"),
    ]


def test_problems_of_the_text_do_not_hide_those_of_the_scenario() -> None:
    text = edited(LONG, ("id: partial", "id: partial\nid: partial"), ("stop: finished", "stop: .nan"))
    text = edited(text, ("[settled]", "[setled]"))
    messages = [problem.message for problem in problems_in(text)]
    assert any("stands twice" in message for message in messages)
    assert any("finite" in message for message in messages)
    assert any("setled" in message for message in messages)


def test_a_problem_names_what_was_found_and_what_was_expected() -> None:
    problem = only_problem(edited(LONG, ("currency: EUR, status: open}", "currency: EUR, status: opne}")))
    assert problem.file == "sample.yaml"
    assert (problem.found, problem.expected, problem.nearest) == (
        "'opne'",
        "one of open, partially_paid, paid",
        "open",
    )


@pytest.mark.parametrize(
    ("written", "shown"),
    [("1.10", "the number 1.1"), ("0o14", "the number 12"), ("true", "a boolean"), ("5", "the number 5")],
)
@pytest.mark.fault("E03")
def test_another_scalar_in_the_place_of_text_shows_what_was_read_and_how_to_quote_it(
    written: str, shown: str
) -> None:
    for old, new in (("name: Ida Holm", f"name: {written}"), ("family: settlement", f"family: {written}")):
        problem = only_problem(edited(LONG, (old, new)))
        assert problem.found == f"{written}, read as {shown}"
        assert problem.fix == f'quote it: "{written}"'
        assert load(edited(LONG, (old, edited(new, (written, f'"{written}"')))))


@pytest.mark.parametrize("text", ["- a\n- b", "just text", "5"])
def test_a_document_that_is_no_mapping_is_refused(text: str) -> None:
    assert "a scenario is a mapping" in only_problem(text).message


def test_a_file_may_hold_several_documents() -> None:
    scenarios = load_scenarios(f"{LONG}\n---\n{SHORT}", file="two.yaml", worlds=small_worlds)
    assert [scenario.id for scenario in scenarios] == [
        "partial_payment_is_not_settlement",
        "changed_quote_invalidates_approval",
    ]
    assert scenarios[1].source.line == LONG.count("\n") + 3


def test_ids_that_stand_twice_in_a_file_name_both_places() -> None:
    problem = only_problem(f"{LONG}\n---\n{LONG}")
    second = LONG.count("\n") + 2 + place_of(LONG, "partial_payment")[0]
    assert (problem.path, problem.line) == ("id", second)
    assert "sample.yaml:2" in problem.message


def test_an_unknown_world_is_a_problem_at_its_key() -> None:
    text = edited(LONG, ("world: company", "world: compny"), ("stop: finished", "stop: fnished"))
    world, stop = problems_in(text)
    assert (world.path, world.line) == ("world", place_of(text, "compny")[0])
    assert "did you mean company" in world.message
    assert stop.nearest == "finished"


# digests


@pytest.mark.fault("E10")
def test_spelling_does_not_change_the_digest() -> None:
    plain = load(LONG).digest
    assert load(LONG.replace("\n", "\r\n")).digest == plain
    assert load(LONG.rstrip("\n")).digest == plain
    assert load("# a remark\n" + LONG).digest == plain
    assert load(edited(LONG, ("stop: finished", 'stop: "finished"'))).digest == plain
    assert load(edited(LONG, ("amount_minor: 500000", "amount_minor: 0x7A120"))).digest == plain


def test_key_order_does_not_change_the_digest() -> None:
    def reversed_keys(value: object) -> object:
        if isinstance(value, dict):
            return {key: reversed_keys(item) for key, item in reversed(value.items())}
        return [reversed_keys(item) for item in value] if isinstance(value, list) else value

    for text in (LONG, SHORT):
        (document,) = read_yaml(text)
        backwards = json.dumps(reversed_keys(document.value), ensure_ascii=False)
        assert list(load(backwards).document) != list(load(text).document)
        assert load(backwards).digest == load(text).digest


def test_values_and_the_order_of_lists_change_the_digest() -> None:
    plain = load(LONG).digest
    assert load(edited(LONG, ("total_minor: 900000", "total_minor: 900001"))).digest != plain
    assert load(edited(LONG, ("[crm.read, invoices.read", "[invoices.read, crm.read"))).digest != plain


def test_a_default_written_out_is_content() -> None:
    assert load("format: 1\n" + SHORT).digest != load(SHORT).digest


def test_the_order_of_several_stimuli_is_content() -> None:
    first = edited(
        SHORT, ("edit_quote_to_version: 4", "edit_quote_to_version: 4\n  approve_quote_version: 4")
    )
    second = edited(
        SHORT, ("edit_quote_to_version: 4", "approve_quote_version: 4\n  edit_quote_to_version: 4")
    )
    assert load(first).document == load(second).document
    assert load(first).digest != load(second).digest


def test_an_integral_float_is_its_integer() -> None:
    as_float = edited(LONG, ("status: open}}", "status: open, discount: 5.0}}"))
    as_integer = edited(LONG, ("status: open}}", "status: open, discount: 5}}"))
    assert load(as_float).digest == load(as_integer).digest
    assert type(load(as_float).initial.tables["invoices"]["I-400"]["discount"]) is int


def test_a_document_that_never_was_a_text_loads_to_the_same_scenario() -> None:
    scenario = load(LONG)
    again = load_document(scenario.document, worlds=small_worlds, file="sample.yaml")
    assert again.digest == scenario.digest == content_digest(scenario.document)
    assert again == scenario
    with pytest.raises(Problems) as caught:
        load_document({**scenario.document, "severity": "grave"}, worlds=small_worlds)
    assert [(problem.path, problem.line) for problem in caught.value.problems] == [("severity", None)]
