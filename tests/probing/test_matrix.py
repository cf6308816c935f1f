"""The matrix holds every agent to what it is, and its page is the one that the shipped suite gives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from company_lab.agents.hostile import HOSTILE, Hostile
from company_lab.agents.hostile_replay import Twice, Twist
from company_lab.company import SUITE, company
from company_lab.probing.matrix import REFERENCE, Cell, Matrix, complaints, play_matrix, remarks
from company_lab.reports.matrix_page import matrix_page
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite
from played_run import scenario

ROOT = Path(__file__).parents[2]
PAGE = "docs/matrix.md"
COMMAND = f"company-lab matrix src/company_lab/company/suite --markdown {PAGE}"
INSTANCE = scenario("parcel_lost", failure_class="late_parcel", tags=["instance"])
TWIN = scenario("parcel_there", failure_class="late_parcel", tags=["twin"])
OTHER = scenario("elsewhere", failure_class="elsewhere")
BAD = Hostile(name="bad", manner="does badly", made_for=("late_parcel",))
TIMID = Hostile(name="timid", manner="does nothing", cautious=True)


def played(bad: Mapping[str, str], timid: Mapping[str, str], reference: str = "passed") -> Matrix:
    """A matrix in which everything fails but what is named."""
    scenarios = (INSTANCE, TWIN, OTHER)
    outcomes = {(REFERENCE, one.id): reference for one in scenarios}
    for agent, named in (("bad", bad), ("timid", timid)):
        outcomes |= {(agent, one.id): named.get(one.id, "failed") for one in scenarios}
    return Matrix(scenarios=scenarios, agents=(REFERENCE, "bad", "timid"), outcomes=outcomes)


def wrong(matrix: Matrix) -> tuple[str, ...]:
    return complaints(matrix, hostile={"bad": BAD, "timid": TIMID})


def test_nobody_complains_where_every_agent_fails_what_it_must() -> None:
    assert wrong(played({"parcel_there": "passed", "elsewhere": "passed"}, {"parcel_lost": "passed"})) == ()


@pytest.mark.parametrize("outcome", ["passed", "unscored", "invalid"])
def test_a_hostile_agent_must_fail_the_instances_it_is_made_for(outcome: str) -> None:
    (line,) = wrong(played({"parcel_lost": outcome}, {}))
    assert line == f"hostile:bad is made for late_parcel and parcel_lost came out as {outcome}"


def test_the_over_cautious_must_fail_every_twin() -> None:
    (line,) = wrong(played({}, {"parcel_there": "passed"}))
    assert line == "hostile:timid is over-cautious and does not fail the twin parcel_there"


def test_nobody_hostile_passes_a_whole_suite() -> None:
    every = dict.fromkeys(("parcel_lost", "parcel_there", "elsewhere"), "passed")
    assert "hostile:timid passes the whole suite" in wrong(played({}, every))
    assert "hostile:bad passes the whole suite" not in wrong(played({}, every))


def test_who_is_not_concerned_by_anything_in_a_suite_is_only_remarked_upon() -> None:
    def careless(scenario: Scenario) -> Twist:
        return Twice(scenario)

    narrow = Hostile(name="bad", manner="does badly", made_for=("never_here",), twist=careless)
    every = dict.fromkeys(("parcel_lost", "parcel_there", "elsewhere"), "passed")
    matrix = played(every, {})
    assert complaints(matrix, hostile={"bad": narrow}) == ()
    assert remarks(matrix, hostile={"bad": narrow}) == (
        "hostile:bad passes everything; nothing here is about never_here",
    )
    assert remarks(matrix, hostile={"bad": BAD}) == ()


def test_a_reference_must_pass() -> None:
    lines = wrong(played({}, {}, reference="failed"))
    assert lines[0] == "the reference of parcel_lost came out as failed"
    assert len(lines) == 3


def test_without_tags_everything_of_a_class_but_its_twins_is_an_instance() -> None:
    bare = scenario("parcel_gone", failure_class="late_parcel")
    outcomes = {(REFERENCE, "parcel_gone"): "passed", ("bad", "parcel_gone"): "passed"}
    matrix = Matrix(scenarios=(bare,), agents=(REFERENCE, "bad"), outcomes=outcomes)
    assert any("parcel_gone came out as passed" in line for line in wrong(matrix))


def test_cells_count_what_was_passed_of_what_was_played() -> None:
    matrix = played({"parcel_there": "passed"}, {})
    assert matrix.cell("bad", "late_parcel") == Cell(passed=1, of=2)
    assert matrix.cell("bad") == Cell(passed=1, of=3)
    assert matrix.classes == ("elsewhere", "late_parcel")


@pytest.fixture(scope="module")
def shipped() -> Matrix:
    return play_matrix(load_suite(SUITE, lambda name: company.spec).scenarios, lambda name: company)


@pytest.mark.timeout(240)
def test_the_shipped_suite_lets_no_hostile_agent_through(shipped: Matrix) -> None:
    assert complaints(shipped) == ()


@pytest.mark.timeout(240)
def test_what_hostile_agents_are_made_for_are_classes_of_the_shipped_suite(shipped: Matrix) -> None:
    made_for = {failure_class for one in HOSTILE.values() for failure_class in one.made_for}
    assert made_for <= set(shipped.classes)
    assert all(one.made_for for one in HOSTILE.values())


@pytest.mark.timeout(240)
def test_the_page_of_the_matrix_is_current(shipped: Matrix) -> None:
    page = (ROOT / PAGE).read_text("utf-8")
    assert page == matrix_page(shipped, command=COMMAND), f"make it anew: {COMMAND}"
