"""Sharing: the schema says the same, and says it once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.scenarios.json_schema import scenario_schema
from company_lab.scenarios.schema_sharing import NAME, schema_text, share
from small_world import SMALL_WORLD

jsonschema = pytest.importorskip("jsonschema")

LONG = {"type": "string", "description": "long enough to be worth a definition of its own"}
SHORT = {"type": "string"}
PARTS = st.recursive(
    st.sampled_from(
        [LONG, SHORT, {"type": "integer", "minimum": 3}, {"enum": ["a", "b"]}, {NAME: "n", **LONG}]
    ),
    lambda inner: st.one_of(
        st.builds(lambda part: {"type": "array", "items": part}, inner),
        st.builds(lambda parts: {"anyOf": parts}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(
            lambda parts: {"type": "object", "properties": parts, "additionalProperties": False},
            st.dictionaries(st.sampled_from("abc"), inner, min_size=1),
        ),
    ),
    max_leaves=12,
)
VALUES = st.recursive(
    st.sampled_from(["a", "b", "c", 2, 5, None]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


def fits(schema: Any, value: object) -> bool:
    return bool(jsonschema.Draft202012Validator(schema).is_valid(value))


@given(PARTS, VALUES)
def test_the_shared_schema_takes_the_same_documents(schema: dict[str, Any], value: object) -> None:
    shared = share(schema)
    assert NAME not in json.dumps(shared)
    assert fits(shared, value) == fits(schema, value)


def test_what_is_repeated_is_stated_once_under_the_key_it_stands_under() -> None:
    shared = share({"properties": {"subject": LONG, "text": LONG, "to": SHORT, "from": SHORT}})
    reference = {"$ref": "#/$defs/subject"}
    assert shared == {
        "properties": {"subject": reference, "text": reference, "to": SHORT, "from": SHORT},
        "$defs": {"subject": LONG},
    }


def test_a_name_that_is_taken_gets_a_number() -> None:
    other = LONG | {"type": "integer"}
    shared = share(
        {"properties": {"a": {NAME: "part", **LONG}, "b": {NAME: "part", **LONG}, "c": other, "d": other}}
    )
    assert set(shared["$defs"]) == {"part", "c"}
    again = share({"properties": {"a": LONG, "b": LONG, "c": {"properties": {"a": other, "b": other}}}})
    assert set(again["$defs"]) == {"a", "a_2"}


def test_the_text_of_a_schema_has_a_line_for_every_definition() -> None:
    schema = scenario_schema(SMALL_WORLD)
    text = schema_text(schema)
    assert json.loads(text) == schema
    assert len(text.splitlines()) == len(schema) - 1 + len(schema["$defs"]) + 4  # type: ignore[arg-type]


def test_no_table_and_no_tool_is_spelled_out_twice() -> None:
    text = schema_text(scenario_schema(SMALL_WORLD))
    assert text.count('"partially_paid"') == 1
    assert text.count('"const":"orders.release"') == 2  # what is expected, and what a conduct does
