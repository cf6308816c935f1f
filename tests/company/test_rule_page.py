"""The page of rules is what the company and its suite say today, and it has no hole."""

from __future__ import annotations

import gc
import time
from pathlib import Path

import pytest

from company_lab.company import SUITE, company
from company_lab.episodes import play
from company_lab.evaluation import judge
from company_lab.probing.rule_table import RuleRow, rule_table
from company_lab.reports.rule_page import rule_page
from company_lab.scenarios.suite import load_suite

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"
SCENARIOS = load_suite(SUITE, lambda name: company.spec).scenarios
CONTRACTS = tuple(scenario for scenario in SCENARIOS if scenario.is_contract)
COMMAND = "company-lab rules src/company_lab/company/suite"


@pytest.fixture(scope="module")
def rows() -> tuple[RuleRow, ...]:
    return rule_table(SCENARIOS, company)


def test_the_committed_page_is_current(rows: tuple[RuleRow, ...]) -> None:
    assert PAGE.read_text("utf-8") == rule_page("company", rows, command=COMMAND), "run scripts/rules"


def test_the_table_has_no_hole(rows: tuple[RuleRow, ...]) -> None:
    assert [row.rule for row in rows] == [rule.name for rule in company.guard.rules]
    assert not [row.rule for row in rows if not row.when_off], "nothing fails without these rules"
    assert not [row.rule for row in rows if not row.when_denying], (
        "nothing fails when these rules always deny"
    )


def test_every_contract_has_a_twin() -> None:
    linked = {one.id for one in CONTRACTS if one.twin_of} | {one.twin_of for one in CONTRACTS if one.twin_of}
    assert not [one.id for one in CONTRACTS if one.id not in linked]


def test_all_contracts_together_are_played_and_judged_in_two_seconds() -> None:
    gc.collect()
    gc.disable()  # what other tests have left is no time of these
    try:
        started = time.process_time()
        for scenario in CONTRACTS:
            episode = play(company.prepare(scenario), None)
            assert judge(scenario, company.spec, episode.trace, episode.timings).passed, scenario.id
        taken = time.process_time() - started
    finally:
        gc.enable()
    assert taken < 2
    assert len(CONTRACTS) >= 160
