"""Faults in scenarios: each kind with the keys it needs loads, and whatever does not belong is told with its place."""

from __future__ import annotations

import jsonschema
import pytest

from company_lab.formats.canonical import Json
from company_lab.formats.errors import Problems
from company_lab.scenarios.fault_kinds import EVENT_FAULTS, KEYS, KINDS, TOOL_FAULTS
from company_lab.scenarios.json_schema import scenario_schema
from company_lab.scenarios.model import Fault, Scenario
from company_lab.scenarios.schedules import fault_document, read_schedule
from scenario_texts import LONG, edited, load, only_problem, problems_in
from small_world import SMALL_WORLD

CHANGE = "change: {invoices: {I-400: {received_minor: 1}}}"
NEEDED = {"by": "by: 1d1h", "at": "at: before", "change": CHANGE}
GOOD = {
    "by": "by: 2h",
    "error": "error: down",
    "at": "at: saved",
    "restart": "restart: task",
    "change": CHANGE,
}


def text(faults: str) -> str:
    return edited(LONG, ("expected:\n", f"faults: {faults}\nexpected:\n"))


def fault(kind: str, *more: str, on: str | None = None) -> str:
    named = on or ("evt_1" if kind in EVENT_FAULTS else "invoices.get")
    needed = [words for key, words in NEEDED.items() if key in KINDS[kind].needs and not _has(more, key)]
    return "[{" + ", ".join((f"on: {named}", f"kind: {kind}", *needed, *more)) + "}]"


def _has(more: tuple[str, ...], key: str) -> bool:
    return any(words.startswith(f"{key}:") for words in more)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_loads_with_what_it_needs(kind: str) -> None:
    (loaded,) = load(text(fault(kind))).faults
    assert (loaded.kind, loaded.occurrence, loaded.attempt) == (kind, 1, 1)


@pytest.mark.parametrize(
    ("kind", "key"), [(kind.name, key) for kind in KINDS.values() for key in sorted(kind.needs)]
)
def test_what_a_kind_needs_is_asked_for(kind: str, key: str) -> None:
    problem = only_problem(text(fault(kind).replace(f", {NEEDED[key]}", "")))
    assert problem.path == "faults[0]"
    assert f"needs {key}" in problem.message
    assert f"{key}:" in str(problem.expected)


@pytest.mark.parametrize(
    ("kind", "key"),
    [(kind.name, key) for kind in KINDS.values() for key in GOOD if key not in kind.takes],
)
def test_a_key_that_a_kind_has_no_use_for_is_refused_and_says_whose_it_is(kind: str, key: str) -> None:
    problem = only_problem(text(fault(kind, GOOD[key])))
    assert problem.path == f"faults[0].{key}"
    takers = [name for name, one in KINDS.items() if key in one.takes]
    assert takers[0] in str(problem.fix)


@pytest.mark.parametrize("kind", sorted(EVENT_FAULTS))
@pytest.mark.parametrize("key", ["occurrence", "attempt"])
def test_deliveries_are_not_counted(kind: str, key: str) -> None:
    assert only_problem(text(fault(kind, f"{key}: 2"))).path == f"faults[0].{key}"


@pytest.mark.parametrize("kind", sorted(TOOL_FAULTS))
def test_what_happens_to_tools_does_not_happen_to_events(kind: str) -> None:
    problem = only_problem(text(fault(kind, on="evt_1")))
    assert (problem.path, "is an event" in problem.message) == ("faults[0].kind", True)


@pytest.mark.parametrize("kind", sorted(EVENT_FAULTS))
def test_what_happens_to_events_does_not_happen_to_tools(kind: str) -> None:
    problem = only_problem(text(fault(kind, on="invoices.get")))
    assert (problem.path, "is a tool" in problem.message) == ("faults[0].kind", True)


@pytest.mark.parametrize(
    ("faults", "path", "near"),
    [
        ("[{on: invoices.gt, kind: stale_read}]", "faults[0].on", "invoices.get"),
        ("[{on: invoices.get, kind: stale_reed}]", "faults[0].kind", "stale_read"),
        ("[{on: email.send, kind: stale_read}]", "faults[0].on", None),
        ("[{on: invoices.get, kind: outage, by: [1]}]", "faults[0].by", None),
        ("[{on: bnk, kind: outage, by: 1h}]", "faults[0].on", "bank"),
        ("[{on: bank, kind: error}]", "faults[0].on", None),
        ("[{on: bank, kind: outage, by: 1h, occurrence: 2}]", "faults[0].occurrence", None),
        ("[{on: invoices.get, kind: crash, at: during}]", "faults[0].at", None),
        ("[{on: invoices.get, kind: crash, at: before, restart: never}]", "faults[0].restart", None),
        ("[{on: invoices.get, kind: foreign_change, change: {}}]", "faults[0].change", None),
        (
            "[{on: invoices.get, kind: foreign_change, change: {invoice: {}}}]",
            "faults[0].change.invoice",
            "invoices",
        ),
        (
            "[{on: invoices.get, kind: foreign_change, change: {invoices: {I-40: {received_minor: 1}}}}]",
            "faults[0].change.invoices.I-40",
            "I-400",
        ),
        (
            "[{on: invoices.get, kind: foreign_change, change: {invoices: {I-400: {receved_minor: 1}}}}]",
            "faults[0].change.invoices.I-400.receved_minor",
            "received_minor",
        ),
        (
            "[{on: invoices.get, kind: foreign_change, change: {invoices: {I-400: {received_minor: no}}}}]",
            "faults[0].change.invoices.I-400.received_minor",
            None,
        ),
        (
            "[{on: invoices.get, kind: foreign_change, change: {invoices: {I-400: {received_minor: 1.5}}}}]",
            "faults[0].change.invoices.I-400.received_minor",
            None,
        ),
        (
            "[{on: invoices.get, kind: foreign_change, change: {invoices: {I-400: {}}}}]",
            "faults[0].change.invoices.I-400",
            None,
        ),
        (
            "[{on: invoices.get, kind: foreign_change, change: {invoices: [I-400]}}]",
            "faults[0].change.invoices",
            None,
        ),
        (
            "[{on: evt_1, kind: forged, change: {amount_minr: 1}}]",
            "faults[0].change.amount_minr",
            "amount_minor",
        ),
        ("[{on: evt_1, kind: forged, change: {payment: pay_1}}]", "faults[0].change.payment", None),
        (
            "[{on: invoices.get, kind: crash, at: before}, {on: invoices.get, kind: crash, at: before}]",
            "faults[1]",
            None,
        ),
    ],
)
@pytest.mark.fault("G01")
def test_whatever_does_not_fit_is_told_with_its_place(faults: str, path: str, near: str | None) -> None:
    found = problems_in(text(faults))
    assert [(problem.path, problem.nearest) for problem in found if problem.path == path] == [(path, near)], (
        found
    )


@pytest.mark.parametrize(
    "faults",
    [
        "[{on: bank, kind: outage, by: 25h, attempt: 2}]",
        "[{on: evt_1, kind: forged, change: {amount_minor: 900000}}]",
        "[{on: invoices.get, kind: crash, at: before}, {on: invoices.get, kind: crash, at: after}]",
        "[{on: invoices.get, kind: crash, at: saved, restart: transcript, by: 5m, attempt: 2}]",
        "[{on: invoices.get, kind: stale_read, by: 1h, occurrence: 2}]",
    ],
)
def test_what_fits_loads_and_is_valid_in_an_editor(faults: str) -> None:
    scenario = load(text(faults))
    assert scenario.faults
    validator = jsonschema.Draft202012Validator(scenario_schema(SMALL_WORLD))
    assert not list(validator.iter_errors(scenario.document))
    assert validator.is_valid({**scenario.document, "faults": [{**_first(scenario), "error": 1}]}) is False


def _first(scenario: Scenario) -> dict[str, Json]:
    return scenario.document["faults"][0]  # type: ignore[index,return-value]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_an_editor_knows_what_each_kind_needs_and_takes(kind: str) -> None:
    validator = jsonschema.Draft202012Validator(scenario_schema(SMALL_WORLD))
    scenario = load(text(fault(kind)))
    for key in KEYS:
        document = dict(_first(scenario))
        values: dict[str, Json] = {
            "occurrence": 2,
            "attempt": 2,
            "by": "1h",
            "error": "down",
            "at": "after",
            "restart": "task",
            "change": {"invoices": {"I-400": {"received_minor": 1}}},
        }
        with_it = {**document, key: values[key]}
        assert validator.is_valid({**scenario.document, "faults": [with_it]}) == (key in KINDS[kind].takes)
        if key in KINDS[kind].needs:
            document.pop(key)
            assert not validator.is_valid({**scenario.document, "faults": [document]})


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_fault_as_a_document_is_the_same_fault_when_it_is_read(kind: str) -> None:
    scenario = load(text(fault(kind, *(words for key, words in GOOD.items() if _may(kind, key)))))
    documents = [fault_document(one) for one in scenario.faults]
    assert read_schedule(documents, scenario, SMALL_WORLD) == scenario.faults
    assert documents == scenario.document["faults"]


def _may(kind: str, key: str) -> bool:
    return (
        key in KINDS[kind].takes
        and key not in KINDS[kind].needs
        and not (kind == "forged" and key == "change")
    )


def test_a_schedule_is_checked_like_a_scenario() -> None:
    scenario = load(LONG)
    with pytest.raises(Problems) as found:
        read_schedule(
            [
                {"on": "invoices.gt", "kind": "error"},
                {"on": "evt_1", "kind": "late", "by": "soon"},
                {"on": "evt_1", "kind": "late", "bye": "2h"},
            ],
            scenario,
            SMALL_WORLD,
        )
    paths = {problem.path for problem in found.value.problems}
    assert paths == {"faults[0].on", "faults[1].by", "faults[2].bye", "faults[2]"}


def test_what_is_not_said_is_not_written() -> None:
    assert fault_document(Fault(on="invoices.get", kind="error")) == {"on": "invoices.get", "kind": "error"}
    assert fault_document(Fault.model_validate({"on": "e", "kind": "late", "by": "36h"}))["by"] == "1d12h"
