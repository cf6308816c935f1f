"""Mutants on disk, mutants under an agent, and mutations that a department brings along."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.hostile import hostile
from company_lab.agents.protocol import Session, Task, declare
from company_lab.company import SUITE, company
from company_lab.formats.errors import WrongUse
from company_lab.probing.mutate import (
    Mutant,
    Underivable,
    mutate,
    operators_of,
    try_agent,
    write_mutants,
)
from company_lab.scenarios.suite import load_suite
from company_lab.worlds import Department, Mutation

SCENARIOS = {one.id: one for one in load_suite(SUITE, lambda name: company.spec).scenarios}
ORIGIN = "partial_payment_is_not_settlement"


def mutants(*names: str, id: str = ORIGIN) -> list[Mutant]:
    known = operators_of(company)
    found = mutate(SCENARIOS[id], company, [known[name] for name in names])
    return [one for one in found if isinstance(one, Mutant)]


# on disk


def test_a_folder_of_mutants_is_a_suite(tmp_path: Path) -> None:
    files = write_mutants(mutants("split_payment", "duplicate_event"), tmp_path / "made")
    suite = load_suite(tmp_path / "made", worlds=lambda _: company.spec)
    assert len(suite.scenarios) == len(files) == 2
    assert {one.origin for one in suite.scenarios} == {
        f"mutation: split_payment of {ORIGIN}",
        f"mutation: duplicate_event of {ORIGIN}",
    }
    assert {one.variant for one in suite.scenarios} == {None}


def test_the_bytes_are_the_same_every_time(tmp_path: Path) -> None:
    (one,) = write_mutants(mutants("swap_tenant"), tmp_path / "one")
    (other,) = write_mutants(mutants("swap_tenant"), tmp_path / "other")
    assert one.read_bytes() == other.read_bytes()


def test_beside_its_original_a_mutant_names_it(tmp_path: Path) -> None:
    (file,) = write_mutants(mutants("swap_tenant"), tmp_path, beside={ORIGIN})
    assert f"variant: {ORIGIN}" in file.read_text("utf-8")


def test_nothing_is_overwritten_unasked_and_nothing_half_written(tmp_path: Path) -> None:
    made = mutants("split_payment", "swap_tenant")
    mine = tmp_path / f"{made[1].scenario.id}.yaml"
    mine.write_text("mine\n")
    with pytest.raises(WrongUse, match="--force"):
        write_mutants(made, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [mine.name]
    assert mine.read_text() == "mine\n"
    write_mutants(made, tmp_path, force=True)
    write_mutants(made, tmp_path)
    assert mine.read_text() != "mine\n"


# under an agent


@declare(kind="scripted", model_free=True)
def knows_the_original(task: Task, session: Session) -> str:
    """Does what was right in the original, whatever else there is to see."""
    if task.turn > 1:
        session.call("email.send", to="ida@holm.example.test", text="4,000.00 EUR remain open.")
        return "Told her again."
    session.call("invoices.get", id="I-400")
    session.call("invoices.record_payment", id="I-400", payment="pay_1", amount_minor=500000)
    session.call(
        "email.send", to="ida@holm.example.test", text="We received 5,000.00 EUR; 4,000.00 EUR remain open."
    )
    return "Booked. 4,000.00 EUR remain open."


def test_an_agent_that_learned_the_original_by_heart_breaks() -> None:
    agent = function_agent(knows_the_original, name="by heart")
    made = mutants("duplicate_event", "change_currency", "month_end")
    changes = list(try_agent(agent, made, SCENARIOS, lambda _: company, trials=2))
    assert [one.reading for one in changes] == ["breaks", "breaks", "holds"]
    assert changes[0].after.codes["action_count"] == 2
    assert (changes[0].before.passed, changes[0].before.trials) == (2, 2)
    assert {one.after.evidence for one in changes} == {"deterministic simulation"}


def test_an_agent_that_fails_anyway_is_not_said_to_break() -> None:
    (change,) = try_agent(hostile("idle"), mutants("month_end"), SCENARIOS, lambda _: company)
    assert change.reading == "fails already"


def test_without_an_agent_references_play_and_requests_go_to_the_guard() -> None:
    made = [
        *mutants("split_payment"),
        *mutants("age_approval", id="merge_goes_on_its_approval"),
    ]
    changes = list(try_agent(None, made, SCENARIOS, lambda _: company))
    assert [one.reading for one in changes] == ["holds", "holds"]
    assert {one.after.evidence for one in changes} == {"deterministic simulation"}


# brought along


def added(derive: Any, *, differs: bool = True, name: str = "own") -> Any:
    mutation = Mutation(meaning="does something of its own", derive=derive, differs=differs)
    world = company.extended("lab", Department("odd", mutations={name: mutation}))
    operator = operators_of(world)[name]
    assert operator.department == "odd"
    (found,) = mutate(SCENARIOS[ORIGIN], world, [operator])
    return found


def pay_less(document: dict[str, Any], draw: Random) -> dict[str, Any] | str:
    """A smaller deposit, with what follows from it."""
    document["events"][0]["data"]["amount_minor"] = 100000
    expected = document["expected"]
    expected["state"]["invoices"]["I-400"]["received_minor"] = 100000
    expected["actions"][0]["args"]["amount_minor"] = 100000
    expected["told"]["states"][0]["amount_minor"] = 800000
    steps = document["reference"][0]["do"]
    steps[1]["args"]["amount_minor"] = 100000
    steps[2]["args"]["text"] = "We received 1,000.00 EUR; 8,000.00 EUR remain open."
    document["reference"][0]["reply"] = "Booked. 8,000.00 EUR remain open."
    return document


def test_a_department_declares_a_mutation_over_plain_documents() -> None:
    found = added(pay_less)
    assert isinstance(found, Mutant), found
    assert found.scenario.origin == f"mutation: own of {ORIGIN}"
    assert "state_mismatch" in found.naive
    assert found.scenario.wrong[0].id == "takes_it_for_the_original"


def test_its_reason_is_handed_on() -> None:
    found = added(lambda document, draw: "there is nothing odd in it")
    assert isinstance(found, Underivable)
    assert (found.applies, found.reason) == (False, "there is nothing odd in it")


def test_what_it_gets_wrong_is_never_handed_over() -> None:
    def forgets_the_expectation(document: dict[str, Any], draw: Random) -> dict[str, Any]:
        document["events"][0]["data"]["amount_minor"] = 100000
        return document

    found = added(forgets_the_expectation)
    assert isinstance(found, Underivable)
    assert found.applies
    assert "its reference would not pass" in found.reason


def test_a_conduct_it_calls_wrong_has_to_fail() -> None:
    def slanders(document: dict[str, Any], draw: Random) -> dict[str, Any]:
        made = pay_less(document, draw)
        assert isinstance(made, dict)
        made["wrong"].append({"id": "is_right_after_all", "turns": made["reference"]})
        return made

    found = added(slanders)
    assert isinstance(found, Underivable)
    assert "is_right_after_all comes out as passed where it should fail" in found.reason


def test_a_document_that_can_not_be_loaded_is_refused_with_the_place() -> None:
    def misspells(document: dict[str, Any], draw: Random) -> dict[str, Any]:
        document["expected"]["actoins"] = []
        return document

    found = added(misspells)
    assert isinstance(found, Underivable)
    assert found.reason.startswith("it can not be loaded at expected.actoins")


def test_changing_nothing_is_no_mutation() -> None:
    found = added(lambda document, draw: document, differs=False)
    assert isinstance(found, Underivable)
    assert found.reason == "nothing in it changes"


def test_a_name_that_the_lab_has_is_taken() -> None:
    with pytest.raises(WrongUse, match="split_payment of odd"):
        added(pay_less, name="split_payment")


def test_no_two_departments_have_a_mutation_of_one_name() -> None:
    mutation = Mutation(meaning="does something of its own", derive=pay_less)
    with pytest.raises(WrongUse, match="the mutation own is declared by"):
        company.extended(
            "lab",
            Department("odd", mutations={"own": mutation}),
            Department("even", mutations={"own": mutation}),
        )


def test_what_its_function_raises_is_the_reason() -> None:
    def stumbles(document: dict[str, Any], draw: Random) -> dict[str, Any]:
        raise KeyError("refunds")

    found = added(stumbles)
    assert isinstance(found, Underivable)
    assert found.applies
    assert found.reason == "the department's own function raised KeyError: 'refunds'"


def test_what_is_no_document_is_refused() -> None:
    found = added(lambda document, draw: {**document, "clock": object()})
    assert isinstance(found, Underivable)
    assert found.reason.startswith("what the department makes of it is no document: ")


@pytest.mark.parametrize("wrong", [[{"codes": ["missing_action"]}], "none", ["idle"]])
def test_wrong_conducts_without_a_name_are_refused(wrong: Any) -> None:
    found = added(lambda document, draw: {**document, "wrong": wrong})
    assert isinstance(found, Underivable)
    assert "no list of conducts with an id each" in found.reason
