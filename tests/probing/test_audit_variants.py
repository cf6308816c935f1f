"""Audits of what is just as right (B4), of how amounts are written (B5), and of agents with known bugs (H2)."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.evaluation.texts.amounts import find_amounts
from company_lab.probing.audit import Finding, audit_suite
from company_lab.probing.audit.renaming import generated_ids, renamed
from company_lab.probing.audit.spellings import right_spellings, wrong_spellings
from company_lab.probing.audit.subject import Subject
from company_lab.probing.seeded_bugs import BANK, world
from company_lab.scenarios.suite import load_suite
from company_lab.worlds.registry import resolve_world

GOOD = (Path(__file__).parent / "good_suite" / "good.yaml").read_text("utf-8")
STATE = "  state: {invoices: {I-7: {received_minor: 50000, status: partially_paid}}}"
BILLS = files("company_lab.probing.seeded_bugs").joinpath("pay_run.yaml").read_text("utf-8")
EVENTS = files("company_lab.probing.seeded_bugs").joinpath("shop_events.yaml").read_text("utf-8")


def audited(folder: Path, code: str, **texts: str) -> tuple[Finding, ...]:
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text, "utf-8")
    suite = load_suite(folder, worlds=lambda name: resolve_world(name).spec)
    return audit_suite(suite, resolve_world, only=[code], processes=1).findings


def test_an_expectation_that_hangs_on_which_record_was_created_first_is_too_strict(tmp_path: Path) -> None:
    text = BILLS.replace("states: [{id: B-1}", "states: [{id: transfer_1}, {id: B-1}", 1)
    text = text.replace("reply: B-1 is paid. B-2", "reply: B-1 is paid (transfer_1). B-2", 1)
    found = audited(tmp_path, "B4", bills=text)
    assert "warn" in {one.level for one in found}
    assert any("created in another order (transfer_1 as transfer_4" in one.evidence for one in found)


def test_an_expectation_that_describes_new_records_holds_under_all_their_ids(tmp_path: Path) -> None:
    assert audited(tmp_path, "B4", bills=BILLS) == ()


def test_the_only_id_that_a_table_gives_out_may_be_spelled_out_and_is_told(tmp_path: Path) -> None:
    text = EVENTS.replace("expected:\n", "expected:\n  told: {states: [{id: parcel_1}]}\n", 1)
    text = text.replace("reply: O-1 is with the carrier.", "reply: O-1 is with the carrier, parcel_1.", 1)
    text = text.replace("      - {tool: shop.ship, args: {order: O-2, key: ship-O-2}}\n", "", 1)
    (finding,) = audited(tmp_path, "B4", events=text)
    assert (finding.level, finding.audit) == ("info", "B4")
    assert "parcel_1" in finding.evidence


def test_ids_are_renamed_wherever_they_stand_and_nothing_else_is() -> None:
    subject = Subject(BANK["correct"].scenario(), world)
    generated = generated_ids(subject)
    assert generated.tables == {"transfers": ("transfer_1", "transfer_2", "transfer_3", "transfer_4")}
    assert generated.spelled == frozenset()
    new = generated.elsewhere(spelled=True)
    records = subject.reference.trace.records
    changed = renamed(records, new)
    assert changed != records
    assert "transfer_1'" not in str(changed)
    assert renamed(changed, {now: old for old, now in new.items()}) == records
    odd = [{"text": "transfer_1, xtransfer_1 and transfer_12", "transfer_1": 1}]
    assert renamed(odd, {"transfer_1": "transfer_9"}) == [
        {"text": "transfer_9, xtransfer_1 and transfer_12", "transfer_9": 1}
    ]


@given(st.integers(1, 10**9), st.sampled_from(["EUR", "USD", "GBP", "CHF", "JPY", "KWD"]))
def test_spellings_are_labelled_truly(amount: int, currency: str) -> None:
    def states(text: str) -> bool:
        return any(
            all(found.matches(amount, currency)) and currency in found.candidates and found.readings
            for found in find_amounts(f"Your balance is {text} now.", "en-US" if currency == "USD" else "en")
        )

    if currency != "KWD":  # 1.000 of three decimals is read either way in plain English
        assert all(map(states, right_spellings(amount, currency)))
    assert not any(map(states, wrong_spellings(amount, currency)))


def test_an_amount_is_written_as_other_people_write_it() -> None:
    assert [*right_spellings(400000, "EUR")] == [
        "EUR 4,000.00",
        "4.000,00 EUR",
        "4000.00 EUR",
        "€4,000.00",
        "4000 EUR",
    ]
    assert {"4.000,01 EUR", "40.000,00 EUR", "€400,000.00", "400000 EUR", "4.000,00 CHF"} <= {
        *wrong_spellings(400000, "EUR")
    }


def test_a_suite_that_wants_one_spelling_refuses_right_ones(tmp_path: Path) -> None:
    text = GOOD.replace("    states:\n", "    states:\n    - literal: 400.00 EUR\n", 1)
    found = audited(tmp_path, "B5", good=text)
    refused = [one for one in found if "does not pass when it writes" in one.evidence]
    assert {one.level for one in refused} == {"warn"}
    assert any("'400,00 EUR'" in one.evidence for one in refused)


def test_a_good_suite_takes_right_spellings_and_no_wrong_ones(tmp_path: Path) -> None:
    assert audited(tmp_path, "B5", good=GOOD) == ()


def test_an_amount_that_an_alternative_need_not_state_may_be_written_wrong_and_blocks(tmp_path: Path) -> None:
    start, end = GOOD.index("  actions:\n"), GOOD.index("  forbidden:\n")
    lax = "  alternatives:\n  - id: says_what_it_likes\n" + "".join(
        f"  {line}\n" for line in STATE.splitlines() + GOOD[start:end].splitlines()
    )
    found = audited(tmp_path, "B5", good=GOOD[:start] + lax + GOOD[start:])
    wrong = [one for one in found if "passes though it writes" in one.evidence]
    assert {one.level for one in wrong} == {"block"}
    assert any("'4.000,00 EUR' for '400.00 EUR'" in one.evidence for one in wrong)


@pytest.mark.fault("A03")
def test_a_suite_in_the_world_of_the_bank_shows_every_seeded_bug(tmp_path: Path) -> None:
    assert audited(tmp_path, "H2", bills=BILLS, events=EVENTS) == ()


def test_a_seeded_bug_that_no_schedule_shows_blocks(tmp_path: Path) -> None:
    found = audited(tmp_path, "H2", events=EVENTS.replace("  shelves_are_current: true\n", "", 1))
    (finding,) = found
    assert finding.level == "block"
    assert "the seeded bug order_ignored in four_events_of_a_shop" in finding.evidence


def test_a_sound_agent_that_fails_under_some_schedule_blocks(tmp_path: Path) -> None:
    harsh = BILLS.replace("expected:\n", "expected:\n  forbidden: [{tool: bank.find_transfers}]\n", 1)
    (finding,) = audited(tmp_path, "H2", bills=harsh)
    assert finding.level == "block"
    assert "the agent without a bug (correct) fails under" in finding.evidence


def test_a_scenario_that_asks_for_something_else_is_left_out_and_that_is_told(tmp_path: Path) -> None:
    (finding,) = audited(tmp_path, "H2", bills=BILLS.replace("{id: B-4}]", "{literal: Farewell}]", 1))
    assert finding.level == "info"
    assert "are not asked" in finding.evidence


def test_a_fault_that_never_happens_is_found_in_a_contract_scenario_too(tmp_path: Path) -> None:
    contract = (
        "id: changed\ninitial: {quote_version: 3, approved_version: 3}\n"
        "stimulus: {edit_quote_to_version: 4, agent_request: send_quote}\n"
        "faults: [{on: email.send, kind: lost_ack}]\nexpected: {decision: require_approval}\n"
    )
    (finding,) = audited(tmp_path, "H1", contract=contract)
    assert (finding.level, finding.path) == ("block", "faults[0]")
