"""Coverage finds holes, and the shipped suite has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from company_lab.company import SUITE, company
from company_lab.company.classes import CLASSES, FailureClass
from company_lab.probing.coverage import KINDS, coverage, holes
from company_lab.reports.class_page import HOLE, class_page
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite
from played_run import scenario

ROOT = Path(__file__).parents[2]
PAGE = "docs/classes.md"
COMMAND = f"company-lab coverage src/company_lab/company/suite --markdown {PAGE}"
LATE = FailureClass(name="late_parcel", title="Late parcel", wrong="It is late.", consequence="Nobody waits.")
WRONG = [
    {"id": "silent", "codes": ["missing_action"], "do": [], "reply": "Nothing."},
    {"id": "loud", "codes": ["missing_action"], "do": [], "reply": "NOTHING."},
]


def case(id: str, *tags: str, wrong: int = 2, faults: bool = False) -> Scenario:
    more = {"faults": [{"on": "depot.get", "kind": "error"}]} if faults else {}
    return scenario(id, failure_class="late_parcel", tags=list(tags), wrong=WRONG[:wrong], **more)


WHOLE = [case("one", "instance"), case("two", "twin"), case("three", "permissive", "faulted", faults=True)]


def test_a_class_with_everything_has_no_hole() -> None:
    (row,) = coverage(WHOLE, [LATE])
    assert dict(zip(KINDS, row.counts, strict=True)) == {
        "instance": 1,
        "twin": 1,
        "wrong": 4,
        "permissive": 1,
        "unguarded": 0,
        "faulted": 1,
    }
    assert row.is_whole
    assert holes([row]) == ()


@pytest.mark.parametrize(
    ("kept", "missing"),
    [
        ([1, 2], ["instance"]),
        ([0, 2], ["twin"]),
        ([0, 1], ["permissive", "faulted"]),
        ([], ["instance", "twin", "wrong", "permissive", "faulted"]),
    ],
)
def test_what_is_missing_is_a_hole(kept: list[int], missing: list[str]) -> None:
    (row,) = coverage([WHOLE[index] for index in kept], [LATE])
    assert list(row.holes) == missing
    assert HOLE in class_page([row], command="x")
    assert len(holes([row])) == len(missing)


def test_one_wrong_conduct_is_too_few() -> None:
    (row,) = coverage([case("one", "instance", wrong=1), case("two", "twin")], [LATE])
    assert "wrong" in row.holes


def test_a_tag_alone_makes_nothing_faulted() -> None:
    (row,) = coverage([*WHOLE, case("four", "faulted")], [LATE])
    assert row.untrue == ("four",)
    assert holes([row]) == ("four is tagged faulted, and nothing is disturbed in it",)


def test_a_class_says_what_can_not_be_asked_of_it() -> None:
    lenient = FailureClass(
        name="late_parcel",
        title="Late parcel",
        wrong="It is late.",
        consequence="Nobody waits.",
        no_permissive="nobody outside is asked",
        no_fault="nothing arrives in it",
    )
    (row,) = coverage(WHOLE[:2], [lenient])
    assert row.holes == ("unguarded",)
    (row,) = coverage([*WHOLE[:2], case("free", "unguarded")], [lenient])
    assert row.is_whole
    page = class_page([row], command="x")
    assert "no permissive variant: nobody outside is asked" in page
    assert HOLE not in page


def test_of_a_class_that_nobody_described_no_variants_are_asked_for() -> None:
    (row,) = coverage(WHOLE[:2])
    assert row.is_whole


def test_contracts_and_journeys_are_no_part_of_it() -> None:
    assert coverage([scenario("journey")]) == ()


SHIPPED = load_suite(SUITE, lambda name: company.spec).scenarios


def test_the_shipped_suite_has_no_hole_and_no_class_that_nobody_described() -> None:
    rows = coverage(SHIPPED, CLASSES)
    assert holes(rows) == ()
    assert [row.failure_class for row in rows] == [one.name for one in CLASSES]
    assert len(rows) == 41


def test_every_class_is_told_in_words_of_its_own() -> None:
    for told in ("title", "wrong", "consequence"):
        assert len({getattr(one, told) for one in CLASSES}) == len(CLASSES)


def test_the_page_of_classes_is_current() -> None:
    page = (ROOT / PAGE).read_text("utf-8")
    assert page == class_page(coverage(SHIPPED, CLASSES), command=COMMAND), f"make it anew: {COMMAND}"


def test_the_shipped_suite_holds_nothing_out() -> None:
    assert {one.split for one in SHIPPED} == {"development"}
