"""Whatever stands in a file, loading answers with scenarios or with problems, and with nothing else."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from company_lab.formats.errors import Problem, Problems
from company_lab.formats.yaml import read_yaml
from company_lab.scenarios.loader import load_document, load_scenarios
from company_lab.scenarios.matchers import MATCHERS
from company_lab.scenarios.model import Scenario
from scenario_texts import LONG, SHORT
from small_world import small_worlds

FURTHER = """
other_tenants: {northquay: {invoices: {I-7:
  {contact: C-7, total_minor: 1, received_minor: 0, currency: EUR, status: open}}}}
providers: {bank: {refund: [{answer: declined}]}}
faults: [{on: invoices.get, kind: error}, {on: evt_1, kind: late, by: 2h}]
tags: [money]
twin_of: another
"""
EXPECTED = """
created: {payments: [{invoice: I-400, amount_minor: {at_least: 5}}]}
deleted: {orders: [O-400]}
may_change: {contacts: {C-1: [note]}, orders: any}
effects: [{provider: mail, op: send, match: {to: {regex: x}}, times: {at_most: 2}}]
alternatives: [{id: a, state: {invoices: {I-400: {status: paid}}}, actions: [{tool: crm.get}]}]
"""


def documents() -> list[Any]:
    long: Any = read_yaml(LONG)[0].value
    short: Any = read_yaml(SHORT)[0].value
    further: Any = read_yaml(FURTHER)[0].value
    expected: Any = read_yaml(EXPECTED)[0].value
    told = {"never_discloses": ["contacts.C-1.email", {"text": "x"}], "asks": [{"question": "which_invoice"}]}
    rich = {**copy.deepcopy(long), **further}
    rich["expected"] |= expected
    rich["expected"]["told"] |= told
    rich["stimulus"]["then"] = [{"when": {"after": "crm.get"}, "message": "x"}]
    return [long, short, rich]


DOCUMENTS = documents()
WORDS = st.sampled_from(
    [
        *MATCHERS,
        "any",
        "facts",
        "tables",
        "turns",
        "do",
        "reply",
        "times",
        "I-400",
        "crm.get",
        "northquay/invoices.I-7.total_minor",
        "payment_1",
        "+2h",
        "9" * 50 + "d",
        "2026-03-05T08:00:00+99:99",
        "0001-01-01T00:00:00Z",
        "[",
        "a{99999999999999999999}",
        "(?i",
        "\\u2028",
        "\x00",
        "",
        " ",
        "ä\u0308",
    ]
)
ATOMS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.sampled_from([0, 1, -1, 2**63, 1.5, 5.0, 1e300])
    | WORDS
)
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place inside a document as its container and key."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    for key in keys:
        yield value, key
        yield from places(value[key])


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    document = copy.deepcopy(draw(st.sampled_from(DOCUMENTS)))
    for _ in range(draw(st.integers(1, 4))):
        container, key = draw(st.sampled_from(list(places(document)) or [({"": None}, "")]))
        what = draw(st.integers(0, 5))
        if what == 0:
            del container[key]
        elif what == 1:
            container[key] = draw(VALUES)
        elif what == 2 and isinstance(container, dict):
            container[draw(WORDS)] = container.pop(key)
        elif what == 3 and isinstance(container, dict):
            container[draw(WORDS)] = draw(VALUES)
        elif what == 4:
            other, name = draw(st.sampled_from(list(places(document))))
            container[key] = copy.deepcopy(other[name])
        else:
            container[key] = {draw(WORDS): container[key]} if draw(st.booleans()) else [container[key]]
        if not document:
            break
    return document


def outcome(text: str | bytes) -> tuple[Sequence[Scenario], Sequence[Problem]]:
    """The scenarios of a text, or its problems; anything else that is raised is a defect."""
    try:
        return load_scenarios(text, file="sample.yaml", worlds=small_worlds), ()
    except Problems as found:
        return (), found.problems


def test_the_documents_to_be_mutated_load() -> None:
    for document in DOCUMENTS:
        assert outcome(json.dumps(document))[1] == ()


@settings(max_examples=400)
@given(mutated())
def test_a_mutated_document_loads_or_has_problems(document: Any) -> None:
    scenarios, problems = outcome(json.dumps(document, ensure_ascii=False))
    assert bool(scenarios) != bool(problems)
    places = [(problem.line or 0, problem.column or 0) for problem in problems]
    assert places == sorted(places)
    assert all(problem.file == "sample.yaml" and problem.line for problem in problems)
    for scenario in scenarios:
        again = load_document(scenario.document, worlds=small_worlds)
        assert again == load_document(again.document, worlds=small_worlds)
        assert again.digest == scenario.digest


@settings(max_examples=300)
@given(
    st.sampled_from([LONG, SHORT]),
    st.lists(
        st.tuples(
            st.integers(0, 4000), st.integers(0, 12), st.text("\n :-{}[],&*#?|>'\"%@`!aI0.9~", max_size=4)
        )
    ),
)
def test_a_mutated_text_loads_or_has_problems(text: str, changes: list[tuple[int, int, str]]) -> None:
    for place, length, put in changes:
        at = place % (len(text) + 1)
        text = text[:at] + put + text[at + length :]
    scenarios, problems = outcome(text)
    assert bool(scenarios) != bool(problems)


@given(st.binary(max_size=60), st.integers(0, 3000))
def test_mutated_bytes_load_or_have_problems(put: bytes, at: int) -> None:
    content = LONG.encode()
    scenarios, problems = outcome(content[:at] + put + content[at:])
    assert bool(scenarios) != bool(problems)
