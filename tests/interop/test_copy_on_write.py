from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.interop.hosting.copy_on_write import MISSING, alike, changes_of, open_data, plain

BASE: dict[str, Any] = {
    "orders": {
        "A": {"status": "open", "items": [{"n": 1}, {"n": 2}], "to": {"city": "X", "lines": ["a"]}},
        "B": {"status": "open", "items": [], "to": {"city": "Y", "lines": []}},
    },
    "settings": ["one"],
}


def _alias(data: Any) -> None:
    new: dict[str, Any] = {}
    data["orders"]["A"]["extra"] = new
    _ = data["orders"]["A"]["extra"]
    new["late"] = 1


def _kept_list(data: Any) -> None:
    items = data["orders"]["A"]["items"]
    _ = data["orders"]["A"]["items"]
    items.append({"n": 3})


WRITES: dict[str, Callable[[Any], object]] = {
    "a field": lambda data: data["orders"]["A"].update(status="shut"),
    "an item of a list": lambda data: data["orders"]["A"]["items"][0].update(n=9),
    "deep down": lambda data: data["orders"]["A"]["to"]["lines"].append("b"),
    "by values": lambda data: [order.__setitem__("status", "shut") for order in data["orders"].values()],
    "by items": lambda data: [order["to"].update(city="Z") for _, order in data["orders"].items()],
    "by get": lambda data: data["orders"].get("B")["items"].append(1),
    "a new record": lambda data: data["orders"].__setitem__("C", {"status": "open"}),
    "a record less": lambda data: data["orders"].pop("B"),
    "a field less": lambda data: data["orders"]["A"].pop("to"),
    "through a shallow copy": lambda data: dict(data["orders"]["A"])["items"].append(1),
    "through unpacking": lambda data: {**data["orders"]["B"]}["to"].update(city="Q"),
    "through copy()": lambda data: data["orders"]["A"].copy()["to"].update(city="Q"),
    "a table of another kind": lambda data: data["settings"].append("two"),
    "what was put in before": _alias,
    "a list that was taken before": _kept_list,
    "setdefault": lambda data: data["orders"]["A"].setdefault("tags", []).append("t"),
    "no record left": lambda data: data["orders"].clear(),
    "the last record less": lambda data: data["orders"].popitem(),
    "nothing": lambda data: [json.dumps(order) for order in data["orders"].values()],
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_writing_does_what_it_does_to_a_deep_copy_and_nothing_to_the_base(
    write: Callable[[Any], object],
) -> None:
    base, expected = copy.deepcopy(BASE), copy.deepcopy(BASE)
    data = open_data(base)
    write(data)
    write(expected)
    assert plain(data) == expected
    assert base == BASE
    changed = changes_of(data, base)
    for table, records in expected.items():
        if isinstance(records, dict):
            ids = {id for id in records.keys() | BASE[table].keys() if records.get(id) != BASE[table].get(id)}
            assert {id for name, id in changed if name == table} == ids
    assert (("settings", "") in changed) == (expected["settings"] != BASE["settings"])


def test_opening_copies_no_record() -> None:
    data = open_data(BASE)
    assert dict.__getitem__(data["orders"], "A") is BASE["orders"]["A"]


def test_a_record_that_is_gone_is_told_from_one_that_is_null() -> None:
    data = open_data({"orders": {"A": None, "B": {"x": 1}}})
    del data["orders"]["B"]
    assert changes_of(data, {"orders": {"A": None, "B": {"x": 1}}}) == {("orders", "B"): MISSING}


@pytest.mark.parametrize(
    ("one", "other"), [(5, 5.0), (1, True), ([1, 2], [2, 1]), ({"a": None}, {}), ("5", 5)]
)
def test_what_a_suite_tells_apart_by_spelling_is_not_alike(one: object, other: object) -> None:
    assert not alike(one, other)
    assert alike(one, one)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, VALUES)
def test_alike_is_equal_spelling(one: Any, other: Any) -> None:
    def spelt(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ",".join(f"{key!r}:{spelt(item)}" for key, item in sorted(value.items())) + "}"
        return "[" + ",".join(map(spelt, value)) + "]" if isinstance(value, list) else repr(value)

    assert alike(one, other) == (spelt(one) == spelt(other))
