"""JUnit XML: what build servers make of a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
import xmlschema

from company_lab.reports import junit
from company_lab.runs import Store
from report_pages import NAME, episode, fill, plan_of
from written_reports import every_outcome, hostile, written

SCHEMA = Path(__file__).parents[1] / "support" / "junit.xsd"


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.temporary() as opened:
        yield opened


@pytest.fixture(scope="module")
def schema() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(str(SCHEMA))


def read(store: Store, run: str) -> ElementTree.Element:
    return ElementTree.fromstring(written(store, run, "junit"))


def kinds(root: ElementTree.Element) -> dict[str, str]:
    """What each case is, as a build server takes it."""
    return {
        f"{case.get('classname')} {case.get('name')}": case[0].tag if len(case) else "passed"
        for case in root.iter("testcase")
    }


def test_a_suite_for_each_scenario_and_a_case_for_each_trial(store: Store) -> None:
    root = read(store, every_outcome(store))
    assert [suite.get("name") for suite in root] == ["paid", "sent"]
    assert kinds(root) == {
        "paid trial 1": "passed",
        "paid trial 2": "failure",
        "paid trial 3": "failure",
        "sent trial 1": "error",
        "sent trial 2": "error",
        "sent trial 3": "error",
    }


@pytest.mark.fault("E18")
def test_the_counts_are_those_of_the_cases(store: Store) -> None:
    root = read(store, every_outcome(store))
    told = {name: root.get(name) for name in ("tests", "failures", "errors")}
    assert told == {"tests": "6", "failures": "2", "errors": "3"}
    for suite in root:
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases))
        assert suite.get("failures") == str(sum(case.find("failure") is not None for case in cases))
        assert suite.get("errors") == str(sum(case.find("error") is not None for case in cases))
        assert suite.get("skipped") == "0"


def test_what_has_no_score_says_why(store: Store) -> None:
    root = read(store, every_outcome(store))
    told = {str(error.get("type")): str(error.get("message")) for error in root.iter("error")}
    assert told["unscored"] == "unscored: expected.told: the reply could be read in two ways"
    assert told["invalid"] == "invalid: faults[0]: it never fired"
    assert told["lost"].startswith("lost: no episode is stored")


def test_a_failure_names_what_broke_and_where_to_look(store: Store) -> None:
    run = every_outcome(store)
    failure = next(read(store, run).iter("failure"))
    assert failure.get("type") == "other"
    assert str(failure.get("message")).startswith("forbidden_action: invoices.mark_paid was attempted once")
    text = failure.text or ""
    assert "expectation expected.forbidden[0]" in text
    assert f"company-lab show {run.rsplit('-', 1)[-1]} paid 2" in text


def test_every_file_follows_the_schema(store: Store, schema: xmlschema.XMLSchema) -> None:
    schema.validate(written(store, every_outcome(store), "junit").decode("utf-8"))


def test_the_schema_is_no_formality(store: Store, schema: xmlschema.XMLSchema) -> None:
    text = written(store, every_outcome(store), "junit").decode("utf-8")
    for good, bad in (("<failure ", "<broken "), ('tests="', 'count="'), (' name="trial 1"', "")):
        wrong = text.replace(good, bad).replace(
            "</failure>", "</broken>" if "broken" in bad else "</failure>"
        )
        assert not schema.is_valid(wrong)


@pytest.mark.fault("E18")
def test_characters_that_xml_can_not_hold_are_spelled_out(store: Store, schema: xmlschema.XMLSchema) -> None:
    run = fill(
        store,
        plan_of(["paid"], 1),
        [episode("paid", 1, failed=True, said="bad \x1b[31mred\x1b[0m \x00 \x0b \ufffe end ]]> & <x>")],
    )
    schema.validate(written(store, run, "junit").decode("utf-8"))
    failures = list(read(store, run).iter("failure"))
    assert len(failures) == 1
    for kept in ("\\x1b[31m", "\\x00", "\\x0b", "\\ufffe", "]]>", "& <x>"):
        assert kept in (failures[0].text or "")


def test_hostile_names_stay_names(store: Store, schema: xmlschema.XMLSchema) -> None:
    run = hostile(store)
    schema.validate(written(store, run, "junit").decode("utf-8"))
    root = read(store, run)
    assert {element.tag for element in root.iter()} <= {
        "testsuites", "testsuite", "properties", "property", "testcase", "failure", "error",
    }  # fmt: skip
    assert any(str(suite.get("name")).startswith(NAME[:20]) for suite in root)


def test_a_scenario_that_has_no_room_in_memory_is_written_all_the_same(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(junit, "SUITE_IN_MEMORY", 100)
    root = read(store, every_outcome(store))
    assert len(list(root.iter("testcase"))) == 6
