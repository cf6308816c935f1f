"""The quick way of spelling records gives what the one spelling of JSON gives, for any record whatever."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.formats.canonical import NotJson, canonical
from company_lab.traces.spelling import lines

ACTION = {
    "seq": 3, "at": "2026-03-02T09:00:00+00:00", "kind": "action", "call": "c1", "turn": 1,
    "tool": "orders.get", "args": {"id": "Ö-1\x7f\ud800"}, "by": "agent", "hint": None,
}  # fmt: skip
GUARD = {
    "seq": 4, "at": "2026-03-02T09:00:00+00:00", "kind": "guard", "call": "c1", "tool": "orders.get",
    "decision": "allow", "reason": None, "rule": None, "objections": [], "touched": ["a", "b"], "approval": None,
}  # fmt: skip
RESULT = {
    "seq": 5, "at": "2026-03-02T09:00:01+00:00", "kind": "result", "call": "c1", "outcome": "executed",
    "delivery": "delivered", "value": {"id": "O-1", "total_minor": 2500}, "error": None, "changes": [],
}  # fmt: skip

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(st.data())
def test_a_record_is_spelled_as_json_is_whatever_has_been_changed_in_it(data: st.DataObject) -> None:
    record: dict[str, Any] = dict(data.draw(st.sampled_from([ACTION, GUARD, RESULT])))
    for name in data.draw(st.lists(st.sampled_from([*record, "another"]), max_size=3)):
        if data.draw(st.booleans()):
            record.pop(name, None)
        else:
            record[name] = data.draw(values)
    assert lines([record, record]) == f"{canonical(record)}\n" * 2


@pytest.mark.parametrize("record", [ACTION, GUARD, RESULT, RESULT | {"changes": [{"table": "orders"}]}])
def test_usual_records_are_spelled_as_json_is(record: dict[str, Any]) -> None:
    assert lines([record]) == canonical(record) + "\n"


@pytest.mark.parametrize("touched", [("a",), "ab", {"a": 1}, [1], [["a"]], [True], None])
def test_a_list_of_names_that_is_none_is_spelled_as_it_is(touched: object) -> None:
    assert lines([GUARD | {"touched": touched}]) == canonical(GUARD | {"touched": touched}) + "\n"


def test_what_json_can_not_carry_is_refused_in_every_record() -> None:
    for record in (ACTION | {"args": float("nan")}, RESULT | {"value": {1, 2}}, GUARD | {"at": float("inf")}):
        with pytest.raises(NotJson):
            lines([record])
    assert lines([]) == ""
