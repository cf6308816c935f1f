"""The short form: flat names are facts and stimuli, and what is left out has a default."""

from __future__ import annotations

import pytest

from company_lab.scenarios.model import DEFAULT_CLOCK
from company_lab.scenarios.short_form import expand, title_of
from scenario_texts import LONG, SHORT, edited, load, only_problem, place_of, problems_in
from small_world import SMALL_WORLD


def test_the_short_form_loads_as_printed() -> None:
    scenario = load(SHORT)
    assert scenario.initial.facts == {"quote_version": 3, "approved_version": 3}
    assert scenario.initial.tables == {}
    assert scenario.stimulus.happenings == (("edit_quote_to_version", 4),)
    assert scenario.stimulus.request == "send_quote"
    assert scenario.expected.facts == {
        "external_sends": 0,
        "decision": "require_approval",
        "review_reason": "quote_changed",
        "quote_version": 4,
    }
    assert scenario.is_contract
    assert scenario.reference == ()


def test_what_is_left_out_has_a_default() -> None:
    scenario = load(SHORT)
    assert scenario.format == 1
    assert scenario.title == "Changed quote invalidates approval"
    assert scenario.world == "company"
    assert (scenario.severity, scenario.split, scenario.locale) == ("major", "development", "en")
    assert scenario.clock == DEFAULT_CLOCK
    assert scenario.role.permissions is None
    assert scenario.expected.stop == "finished"
    assert scenario.limits.turns == 8


def test_facts_and_stimuli_keep_document_order_and_the_request_comes_last() -> None:
    text = edited(
        SHORT,
        ("  quote_version: 3\n  approved_version: 3", "  approved_version: 3\n  quote_version: 3"),
        ("  edit_quote_to_version: 4\n", ""),
        (
            "agent_request: send_quote",
            "agent_request: send_quote\n  edit_quote_to_version: 4\n  approve_quote_version: 2",
        ),
    )
    scenario = load(text)
    assert list(scenario.initial.facts) == ["approved_version", "quote_version"]
    assert [name for name, _ in scenario.stimulus.happenings] == [
        "edit_quote_to_version",
        "approve_quote_version",
    ]
    assert scenario.stimulus.request == "send_quote"


def test_both_forms_may_be_mixed() -> None:
    text = edited(
        SHORT,
        ("initial:\n", "initial:\n  contacts: {C-1: {name: Ida, email: ida@holm.example.test}}\n"),
        ("expected:\n", "expected:\n  actions: [{tool: crm.get, args: {id: C-1}}]\n"),
    )
    scenario = load(text)
    assert list(scenario.initial.tables) == ["contacts"]
    assert scenario.initial.facts["quote_version"] == 3
    assert scenario.expected.actions[0].tool == "crm.get"
    assert scenario.expected.facts["quote_version"] == 4


@pytest.mark.parametrize(
    ("old", "new", "path", "near"),
    [
        (
            "initial:\n  quote_version: 3",
            "initial:\n  qoute_version: 3",
            "initial.qoute_version",
            "quote_version",
        ),
        ("initial:\n", "initial:\n  contact: {}\n", "initial.contact", "contacts"),
        ("edit_quote_to_version: 4", "edit_quote_to_versoin: 4", None, "edit_quote_to_version"),
        ("agent_request: send_quote", "agent_request: send_quotes", "stimulus.agent_request", "send_quote"),
        ("external_sends: 0", "external_send: 0", "expected.external_send", "external_sends"),
        ("expected:\n", "expected:\n  forbiden: []\n", "expected.forbiden", "forbidden"),
        ("decision: require_approval", "decision: require_aproval", "expected.decision", "require_approval"),
        ("review_reason: quote_changed", "review_reason: quote_chnged", None, "quote_changed"),
    ],
)
def test_an_unknown_name_is_an_error_with_the_nearest(
    old: str, new: str, path: str | None, near: str
) -> None:
    problem = only_problem(edited(SHORT, (old, new)))
    assert problem.nearest == near
    assert path is None or problem.path == path


def test_a_misspelt_request_names_the_right_key() -> None:
    problems = problems_in(edited(SHORT, ("agent_request:", "agent_requst:")))
    assert ("stimulus.agent_requst", "agent_request") in {(found.path, found.nearest) for found in problems}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("initial:\n", "initial:\n  external_sends: 0\n", "can be expected but not set"),
        ("expected:\n", "expected:\n  vacation_from: 2026-03-01T00:00:00Z\n", "can be set but not expected"),
    ],
)
def test_facts_stand_only_where_the_world_can_set_or_read_them(old: str, new: str, message: str) -> None:
    assert message in only_problem(edited(SHORT, (old, new))).message


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("quote_version: 3", 'quote_version: "3"'),
        ("quote_version: 3", "quote_version: -3"),
        ("quote_version: 3", "quote_version: 3.5"),
        ("quote_version: 3", "quote_version: true"),
        ("edit_quote_to_version: 4", "edit_quote_to_version: four"),
        ("external_sends: 0", "external_sends: none"),
        ("initial:\n", "initial:\n  vacation_from: 2026-03-01T00:00:00\n"),
    ],
)
def test_values_of_facts_and_stimuli_are_checked_by_their_shapes(old: str, new: str) -> None:
    text = edited(SHORT, (old, new))
    problem = only_problem(text)
    value = new.partition(": ")[2].strip() if "vacation" not in new else "2026-03-01"
    assert (problem.line, problem.column) == place_of(text, value)


def test_names_of_the_model_are_no_keys_of_the_file() -> None:
    for section, name in (
        ("initial", "tables"),
        ("initial", "facts"),
        ("expected", "facts"),
        ("stimulus", "happenings"),
    ):
        problem = only_problem(edited(SHORT, (f"{section}:\n", f"{section}:\n  {name}: {{}}\n")))
        assert problem.path == f"{section}.{name}"


def test_expanding_leaves_the_document_as_it_is() -> None:
    document = load(SHORT).document
    before = str(document)
    expand(document, SMALL_WORLD)
    assert str(document) == before


@pytest.mark.parametrize(
    ("identifier", "title"),
    [
        ("changed_quote_invalidates_approval", "Changed quote invalidates approval"),
        ("refund-late", "Refund late"),
        ("Überweisung", "Überweisung"),
        ("__", "__"),
    ],
)
def test_a_title_is_made_from_the_id(identifier: str, title: str) -> None:
    assert title_of(identifier) == title


def test_a_title_that_is_given_stays() -> None:
    assert load(LONG).title == "A deposit arrived; the balance is still open"
