"""Audits find what was planted, and nothing where nothing is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.company import SUITE, company
from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse
from company_lab.probing.audit import (
    AUDITS,
    SCRIPTED,
    AuditReport,
    Finding,
    audit_agents,
    audit_suite,
    keep,
    stored,
)
from company_lab.probing.audit.leaves import otherwise, put
from company_lab.probing.audit.phrases import spoken
from company_lab.reports.audit_page import audit_lines, audit_page
from company_lab.runs import Store
from company_lab.scenarios.matchers import holds
from company_lab.scenarios.model import Suite
from company_lab.scenarios.suite import load_suite
from company_lab.worlds.registry import resolve_world

HERE = Path(__file__).parent
BAD, GOOD, WORLDS = HERE / "bad_suite", HERE / "good_suite", HERE / "bad_worlds"
BESIDE = {"A3": {"A2"}, "C4": {"A2"}}
"""Whoever passes by refusing, or by talking to the judge, passes by saying just that."""


def suite_at(path: Path) -> Suite:
    return load_suite(path, worlds=lambda name: resolve_world(name).spec)


@pytest.fixture(scope="module")
def bad() -> AuditReport:
    return audit_suite(suite_at(BAD), resolve_world, processes=1)


def grave(findings: Sequence[Finding], file: Path) -> set[str]:
    return {one.audit for one in findings if Path(one.file) == file and one.level != "info"}


@pytest.mark.fault("A03")
@pytest.mark.parametrize("file", sorted(BAD.glob("*.yaml")), ids=lambda file: file.stem)
def test_a_planted_defect_is_found_by_its_audit_and_by_no_other(bad: AuditReport, file: Path) -> None:
    code = file.stem.upper()
    assert grave(bad.findings, file) == {code} | BESIDE.get(code, set())
    assert {one.level for one in bad.findings if one.audit == code and Path(one.file) == file} >= {
        AUDITS[code].level
    }


@pytest.mark.parametrize("file", sorted(WORLDS.glob("*.yaml")), ids=lambda file: file.stem)
def test_a_defect_of_the_world_is_found_by_its_audit(file: Path) -> None:
    report = audit_suite(suite_at(file), resolve_world, only=[file.stem], processes=1)
    assert grave(report.findings, file) == {file.stem.upper()}


def test_every_audit_has_a_planted_defect() -> None:
    planted = {file.stem.upper() for folder in (BAD, WORLDS) for file in folder.glob("*.yaml")}
    assert planted == set(AUDITS)


def test_a_good_suite_has_no_finding_and_notices_every_mutant() -> None:
    report = audit_suite(suite_at(GOOD), resolve_world, processes=1)
    assert report.findings == ()
    assert not report.blocking
    assert report.killed.killed == report.killed.total > 50
    assert set(report.mutants) == {"deposit_is_booked", "rest_is_booked"}


def test_the_result_does_not_depend_on_how_the_work_is_shared(bad: AuditReport) -> None:
    heard: list[tuple[int, int]] = []
    again = audit_suite(
        suite_at(BAD), resolve_world, processes=2, watch=lambda done, of: heard.append((done, of))
    )
    assert again.to_json() == bad.to_json()
    assert [done for done, _ in heard] == list(range(1, len(heard) + 1))
    assert heard[-1][0] == heard[-1][1]


def test_a_finding_says_where_it_stands_and_what_to_do(bad: AuditReport) -> None:
    (finding,) = (one for one in bad.findings if one.audit == "B10")
    line = (BAD / "b10.yaml").read_text("utf-8").splitlines()[(finding.line or 0) - 1]
    assert line.strip() == "calls: 12"
    assert finding.path == "expected.limits.calls"
    assert finding.remedy
    assert Finding.from_json(finding.to_json()) == finding


def test_counts_are_those_of_the_findings(bad: AuditReport) -> None:
    document = bad.to_json()
    assert document["suite"] == suite_at(BAD).digest
    assert document["blocking"] == sum(one.level == "block" for one in bad.findings) > 0
    assert document["warnings"] == sum(one.level == "warn" for one in bad.findings) > 0
    by_scenario = document["by_scenario"]
    assert isinstance(by_scenario, dict)
    assert document["mutants"] == sum(one.total for one in bad.mutants.values())
    assert set(by_scenario) == set(bad.mutants)
    assert document["killed"] < document["mutants"]  # type: ignore[operator]


def test_what_is_only_worth_knowing_is_told_where_it_is_asked_for(bad: AuditReport) -> None:
    info = replace(bad.findings[0], level="info", accepted=None)
    report = replace(bad, findings=(info,))
    short, long = list(audit_lines(report)), list(audit_lines(report, verbose=True))
    assert "0 blocking, 0 warnings, 1 to know (shown with -v), 0 accepted" in short
    assert "0 blocking, 0 warnings, 1 to know, 0 accepted" in long
    assert not any(info.evidence in line for line in short)
    assert any(info.evidence in line for line in long)


def test_what_a_scenario_accepts_is_shown_and_does_not_block(tmp_path: Path) -> None:
    text = (BAD / "c1.yaml").read_text("utf-8")
    (tmp_path / "c1.yaml").write_text(
        text + "audit: {accepts: {C1: the task is about arithmetic}}\n", "utf-8"
    )
    report = audit_suite(suite_at(tmp_path), resolve_world, only=["C1"], processes=1)
    assert not report.blocking
    assert [one.accepted for one in report.findings] == ["the task is about arithmetic"]
    assert report.to_json()["accepted"] == 1
    assert "the task is about arithmetic" in "\n".join(audit_lines(report))


def test_to_accept_that_doing_nothing_passes_accepts_nothing_else(tmp_path: Path) -> None:
    text = (BAD / "a1.yaml").read_text("utf-8")
    (tmp_path / "a1.yaml").write_text(text + "audit: {accepts: {A1: nothing is to be done}}\n", "utf-8")
    report = audit_suite(suite_at(tmp_path), resolve_world, only=["A1", "A2", "C4"], processes=1)
    assert [(one.audit, one.counts) for one in report.findings] == [("A1", False), ("A2", True), ("C4", True)]


def test_what_is_given_in_the_task_is_no_leak(tmp_path: Path) -> None:
    text = (BAD / "c1.yaml").read_text("utf-8")
    (tmp_path / "c1.yaml").write_text(text + "audit: {given: [400.00 EUR]}\n", "utf-8")
    assert audit_suite(suite_at(tmp_path), resolve_world, only=["C1"], processes=1).findings == ()


def test_accepting_what_no_audit_finds_is_an_error(tmp_path: Path) -> None:
    text = (BAD / "c1.yaml").read_text("utf-8")
    (tmp_path / "c1.yaml").write_text(text + "audit: {accepts: {B77: why not}}\n", "utf-8")
    with pytest.raises(WrongUse, match=r"c1\.yaml:\d+: bad_c1 accepts findings of B77.*did you mean B7"):
        audit_suite(suite_at(tmp_path), resolve_world, processes=1)


def test_an_unknown_audit_is_named_with_the_nearest() -> None:
    with pytest.raises(WrongUse, match="there is no audit B11; did you mean B1"):
        audit_suite(suite_at(GOOD), resolve_world, only=["b11"])


def test_a_stored_audit_is_found_until_the_code_changes(bad: AuditReport, tmp_path: Path) -> None:
    with Store(tmp_path / "runs.db") as store:
        assert stored(store, bad.suite) is None
        keep(store, bad)
        assert stored(store, bad.suite) == bad.to_json()
        assert stored(store, "0" * 64) is None
        store.file("audit", bad.suite, {**bad.to_json(), "code": "older"})
        assert stored(store, bad.suite) is None


class Lenient:
    """A suite from elsewhere that lets everybody pass one scenario who says anything."""

    scenarios = ("easy", "hard")

    def __init__(self) -> None:
        self.played: list[tuple[str, str]] = []

    def play(self, agent: str, scenario: str) -> bool:
        self.played.append((agent, scenario))
        return scenario == "easy" and agent != "idle"


def test_a_suite_from_elsewhere_is_audited_by_who_passes_alone() -> None:
    suite = Lenient()
    found = audit_agents(suite)
    assert [(one.scenario, one.audit) for one in found] == [
        ("easy", code) for code in ("A1", "A2", "A3", "A4", "A5", "C4")
    ]
    assert {agent for agent, _ in suite.played} == set(SCRIPTED)
    assert len(suite.played) == len(set(suite.played)), "nobody plays anything twice"
    assert audit_agents(Lenient(), only=["A4"])[0].level == "block"


def test_a_page_names_every_audit_and_every_grave_finding(bad: AuditReport) -> None:
    page = audit_page(bad, command="company-lab audit bad_suite")
    assert all(f"| {code} |" in page for code in AUDITS)
    assert all(one.scenario in page for one in bad.findings if one.scenario and one.level != "info")
    hostile = replace(bad, findings=(replace(bad.findings[0], evidence="<b>|x|\n`y`"),))
    assert "&lt;b&gt;\\|x\\| 'y'" in audit_page(hostile, command="c")


@pytest.mark.timeout(400)  # a minute of two cores on a machine with other work
def test_the_shipped_suite_has_nothing_that_blocks_and_nothing_to_warn_of() -> None:
    report = audit_suite(suite_at(SUITE), lambda name: company)
    assert [one for one in report.findings if one.level != "info" and one.counts] == []
    assert report.killed.total > 9000
    assert report.killed.killed >= report.killed.total - 1, "all but the one its scenario accepts"


LEAVES: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=6)
)
FLAT: st.SearchStrategy[Any] = LEAVES | st.lists(LEAVES, max_size=3)
VALUES: st.SearchStrategy[Json] = (
    FLAT
    | st.lists(FLAT, max_size=3)
    | st.dictionaries(st.text("abc", min_size=1, max_size=2), FLAT, max_size=2)
)


@given(VALUES)
def test_a_value_does_not_meet_the_mutant_of_itself(value: Json) -> None:
    forms: tuple[Json, ...] = (
        value,
        {"equals": value},
        {"one_of": [value]},
        {"any": True},
        {"is": "present"},
    )
    for wanted in forms:
        assert holds(wanted, value) <= (not holds(otherwise(wanted), value))


@given(st.integers(-(10**6), 10**6) | st.text(st.characters(codec="ascii"), max_size=6))
def test_a_value_does_not_meet_the_mutant_of_its_bound(value: int | str) -> None:
    for name in ("at_least", "at_most"):
        assert holds({name: value}, value)
        assert not holds(otherwise({name: value}), value) or (name, value) == ("at_most", "")
    if isinstance(value, str):
        assert not holds(otherwise({"contains": value}), value)
        assert not holds(otherwise({"regex": ""}), value)


def test_putting_a_value_changes_nothing_in_place() -> None:
    document: Json = {"a": [{"b": 1}, {"c": 2}]}
    assert put(document, ("a", 1, "c"), 3) == {"a": [{"b": 1}, {"c": 3}]}
    assert document == {"a": [{"b": 1}, {"c": 2}]}


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("is [now] settled", "is settled"),
        ("(paid|settled) in full", "paid in full"),
        ("which ... order*", "which order"),
    ],
)
def test_a_phrase_can_be_said(phrase: str, said: str) -> None:
    assert spoken(phrase) == said
