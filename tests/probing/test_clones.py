"""Clones tell the same story with everything else changed."""

from __future__ import annotations

import pytest

from company_lab.company import SUITE, company
from company_lab.formats.canonical import canonical
from company_lab.probing.clones import CanNotClone, clone
from company_lab.probing.rehearse import rehearse
from company_lab.scenarios.loader import load_document
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite
from depot import world as depot
from played_run import scenario as parcel

SCENARIOS = load_suite(SUITE, lambda name: company.spec).scenarios
BY_ID = {scenario.id: scenario for scenario in SCENARIOS}
PLAYED = [scenario for scenario in SCENARIOS if not scenario.is_contract]


def made(id: str, seed: int = 7) -> Scenario:
    return clone(BY_ID[id], company, seed=seed).scenario


def test_people_ids_amounts_and_days_are_others_everywhere() -> None:
    ours = BY_ID["partial_payment_is_not_settlement"]
    told = canonical(made(ours.id).document)
    for gone in (
        "Ida",
        "Holm",
        "holm",
        "C-1",
        "I-400",
        "O-400",
        "evt_1",
        "900000",
        "4,000.00",
        "EUR",
        "2026-03-05",
    ):
        assert gone in canonical(ours.document)
        assert gone not in told, gone


def test_a_clone_is_held_out_and_says_where_it_comes_from() -> None:
    theirs = made("partial_payment_is_not_settlement")
    assert (theirs.split, theirs.origin) == ("held_out", "partial_payment_is_not_settlement")
    assert theirs.id.startswith("partial_payment_is_not_settlement_")
    assert theirs.failure_class == "partial_payment"


@pytest.mark.parametrize("id", ["partial_payment_is_not_settlement", "shared_mailbox_could_be_either"])
def test_its_conducts_come_out_with_the_same_codes(id: str) -> None:
    ours, theirs = (
        [(one.conduct, one.verdict.codes) for one in rehearse(s, company)] for s in (BY_ID[id], made(id))
    )
    assert ours == theirs


def test_the_same_seed_makes_the_same_clone_and_another_seed_another_one() -> None:
    first, second, other = (made("duplicate_charge_is_refunded_once", seed) for seed in (1, 1, 2))
    assert first.digest == second.digest != other.digest


def test_twins_are_retold_alike() -> None:
    one, twin = made("shared_mailbox_could_be_either"), made("own_address_says_who_it_is")
    assert one.initial.tables["contacts"] == twin.initial.tables["contacts"]


@pytest.mark.parametrize(
    ("id", "why"),
    [
        ("changed_quote_invalidates_approval", "contract scenario"),
        ("draft_is_older_than_the_quote", "facts"),
    ],
)
def test_what_the_world_fixes_is_refused(id: str, why: str) -> None:
    with pytest.raises(CanNotClone, match=why):
        made(id)


def test_a_text_that_is_not_certain_is_refused_with_its_words() -> None:
    document = {**BY_ID["partial_payment_is_not_settlement"].document, "title": "Sixty euros too few"}
    told = load_document(document, worlds=lambda name: company.spec)
    with pytest.raises(CanNotClone, match="Sixty euros"):
        clone(told, company, seed=1)


def test_a_scenario_whose_conducts_surprise_is_refused() -> None:
    surprising = parcel(reference=[{"do": [], "reply": "I did nothing."}])
    with pytest.raises(CanNotClone, match="do not come out as declared"):
        clone(surprising, depot, seed=1)


def test_scenarios_of_other_worlds_are_cloned_too() -> None:
    theirs = clone(parcel(), depot, seed=1).scenario
    assert "P-1" not in theirs.initial.tables["parcels"]
    assert len(theirs.initial.tables["parcels"]) == len(parcel().initial.tables["parcels"])


@pytest.mark.timeout(240)
def test_four_of_five_shipped_scenarios_can_be_cloned() -> None:
    sample = PLAYED[::4]
    refused = {}
    for scenario in sample:
        try:
            clone(scenario, company, seed=20)
        except CanNotClone as reason:
            refused[scenario.id] = str(reason)
    assert len(refused) * 5 <= len(sample), refused
