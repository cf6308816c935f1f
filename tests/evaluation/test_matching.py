"""Matchers, records in part, addresses, one-to-one assignment."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.evaluation.assignment import assign
from company_lab.evaluation.matching import ABSENT, matcher, partial, same_address
from company_lab.formats.errors import WrongUse
from company_lab.formats.shapes import Shape


@pytest.mark.parametrize(
    ("wanted", "yes", "no"),
    [
        (5, [5, 5.0], [True, "5", 6, None, ABSENT]),
        (1, [1], [True]),
        (True, [True], [1, "true", ABSENT]),
        (None, [None], ["", 0, ABSENT]),
        ("", [""], [None, ABSENT, []]),
        ({"equals": {"at_least": 3}}, [{"at_least": 3}], [3, 4]),
        ({"equals": None}, [None], [ABSENT]),
        ({"one_of": ["open", None]}, ["open", None], ["closed", ABSENT]),
        ({"at_least": 3}, [3, 3.5, 10], [2, True, "4", None, ABSENT]),
        ({"at_most": 6000}, [6000, 0, -1], [6001, 16000, False, ABSENT]),
        ({"at_least": "2026-03-01"}, ["2026-03-01", "2026-04-01"], ["2026-02-28", 20260301]),
        ({"contains": "80.00 EUR"}, ["You owe 80.00 EUR."], ["You owe 180.00 EUR.", 80, ABSENT]),
        ({"contains": 2}, [[1, 2]], [[1], [True], 2, "2"]),
        ({"regex": "^I-[0-9]+$"}, ["I-12"], ["XI-12", "I-", 12, ABSENT]),
        ({"any": True}, [None, 0, "x"], [ABSENT]),
        ({"unordered": ["a", "b", "a"]}, [["a", "a", "b"]], [["a", "b"], ["a", "b", "b"], "aab"]),
        ({"unordered": [{"at_least": 1}, {"at_least": 5}]}, [[7, 2], [2, 7]], [[2, 3], [7]]),
        ({"is": "absent"}, [ABSENT], [None, "", 0]),
        ({"is": "present"}, [None, ""], [ABSENT]),
        (["quote", "invoice"], [["quote", "invoice"]], [["invoice", "quote"], ["quote"]]),
        ({"a": 1}, [{"a": 1}], [{"a": 1, "b": 2}, {"a": True}]),
    ],
)
def test_each_matcher_accepts_what_it_says_and_nothing_else(
    wanted: Any, yes: list[Any], no: list[Any]
) -> None:
    compiled = matcher(wanted)
    assert [value for value in yes if not compiled.test(value)] == []
    assert [value for value in no if compiled.test(value)] == []


@pytest.mark.parametrize(
    "wanted",
    [
        {"regex": "("},
        {"regex": 3},
        {"at_most": True},
        {"at_least": None},
        {"one_of": "open"},
        {"is": "abssent"},
    ],
)
def test_a_matcher_that_can_not_be_read_is_refused(wanted: Any) -> None:
    with pytest.raises(WrongUse):
        matcher(wanted)


def test_mail_domains_have_no_case_and_local_parts_do() -> None:
    assert same_address("kim@Example.Test", "kim@example.test")
    assert not same_address("Kim@example.test", "kim@example.test")
    assert not same_address("kim@example.test", "kim@example.test.evil.test")
    assert matcher("kim@example.test", folding=True).test("kim@EXAMPLE.test")
    assert not matcher("kim@example.test").test("kim@EXAMPLE.test")


def test_ids_are_compared_exactly() -> None:
    assert not matcher("INV-2041", folding=True).test("inv-2041")
    assert not matcher("C-1", folding=True).test("\u0421-1")


@pytest.mark.fault("A14")
def test_currencies_and_moments_compare_by_meaning_in_arguments() -> None:
    assert matcher("EUR", shape=Shape(kind="text", currency=True), folding=True).test("eur")
    moment = matcher("2026-03-05T08:00:00+01:00", shape=Shape(kind="text", moment=True), folding=True)
    assert moment.test("2026-03-05T07:00:00Z")
    assert not moment.test("2026-03-05T08:00:00Z")


def test_a_partial_record_may_hold_more_and_never_less() -> None:
    test = partial({"status": "open", "address": {"city": "Bergen"}, "note": {"is": "absent"}})
    assert test({"status": "open", "address": {"city": "Bergen", "zip": "1"}, "x": 1})
    assert not test({"status": "open", "address": {"zip": "1"}})
    assert not test({"status": "open", "address": {"city": "Bergen"}, "note": None})
    assert not test(None)


edges = st.lists(st.lists(st.integers(0, 4), unique=True), max_size=5)


@given(edges)
def test_assignment_pairs_as_many_as_any_pairing_could(accepted: list[list[int]]) -> None:
    found = assign(accepted)
    used = [right for right in found if right is not None]
    assert len(used) == len(set(used))
    assert all(right is None or right in accepted[left] for left, right in enumerate(found))
    best = max(
        sum(right in accepted[left] for left, right in zip(range(len(accepted)), order, strict=False))
        for order in permutations(range(5))
    )
    assert len(used) == best


MOMENT = Shape(kind="text", moment=True)


@pytest.mark.parametrize(
    ("wanted", "found", "holds"),
    [
        ({"at_least": "2026-03-05T08:00:00+01:00"}, "2026-03-05T07:30:00Z", True),
        ({"at_least": "2026-03-05T08:00:00+01:00"}, "2026-03-05T08:30:00+02:00", False),
        ({"at_most": "2026-03-05T08:00:00+01:00"}, "2026-03-05T08:30:00+02:00", True),
        ({"at_most": "2026-03-05T08:00:00+01:00"}, "2026-03-05T07:30:00Z", False),
        ({"at_most": "2026-03-05T08:00:00+01:00"}, "soon", False),
        ({"at_most": "2026-03-05T08:00:00+01:00"}, None, False),
    ],
)
def test_bounds_on_moments_are_bounds_in_time_and_not_in_spelling(
    wanted: Any, found: Any, holds: bool
) -> None:
    assert matcher(wanted, shape=MOMENT, folding=True).test(found) is holds


@pytest.mark.parametrize(
    "wanted",
    [
        ["a@x.test", "b@x.test"],
        {"equals": ["a@x.test", "b@x.test"]},
        {"unordered": ["b@x.test", "a@x.test"]},
        {"contains": "a@x.test"},
        {"one_of": [["c@x.test"], ["a@x.test", "b@x.test"]]},
    ],
)
def test_addresses_in_a_list_are_folded_as_those_outside_of_one(wanted: Any) -> None:
    shape = Shape(kind="list", items=Shape(kind="text"))
    test = matcher(wanted, shape=shape, folding=True).test
    assert test(["a@X.test", "b@x.test"])
    assert not test(["A@x.test", "b@x.test"])
    assert not matcher(wanted, shape=shape).test(["a@X.test", "b@x.test"])


def test_fields_of_an_object_are_folded_by_their_own_shapes_and_compared_whole() -> None:
    shape = Shape(kind="object", fields={"currency": Shape(kind="text", currency=True), "at": MOMENT})
    test = matcher({"currency": "EUR", "at": "2026-03-05T08:00:00+01:00"}, shape=shape, folding=True).test
    assert test({"at": "2026-03-05T07:00:00Z", "currency": "eur"})
    assert not test({"currency": "EUR"})
    assert not test({"currency": "EUR", "at": "2026-03-05T08:00:00+01:00", "more": 1})
    assert not test(["currency", "at"])
