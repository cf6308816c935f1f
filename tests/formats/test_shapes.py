"""A shape says what a value must look like; its words, its checks and its JSON Schema agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.formats.shapes import Parameter, Shape, Signature, shown

TEXT = Shape(kind="text")
WHOLE = Shape(kind="integer")


def wrong(shape: Shape, value: object) -> list[tuple[tuple[str | int, ...], str]]:
    return [(mismatch.path, mismatch.expected) for mismatch in shape.mismatches(value)]


@pytest.mark.parametrize(
    ("shape", "fits", "does_not"),
    [
        (TEXT, ["", "a", "\ud800"], [1, True, None, [], {}]),
        (WHOLE, [0, -1, 2.0, 2**62], [True, 2.5, "1", None, 2.0**60, float("inf"), float("nan")]),
        (Shape(kind="number"), [0, 2.5, 2.0**60], [True, "1", None]),
        (Shape(kind="boolean"), [True, False], [0, 1, "true", None]),
        (Shape(kind="list", items=WHOLE), [[], [1]], [[True], ["a"], {}, "ab", (1,)]),
        (Shape(kind="object", values=WHOLE), [{}, {"a": 1}], [{"a": "b"}, [], None]),
        (Shape(kind="any"), [None, 1, "a", [], {}], []),
        (Shape(kind="text", nullable=True), [None, "a"], [1]),
        (Shape(kind="text", choices=("s", "m")), ["s"], ["l", "S", 1]),
        (Shape(kind="integer", choices=(1, 2)), [1, 2.0], [3, True, "1"]),
        (Shape(kind="integer", minimum=1, maximum=5), [1, 5], [0, 6, True]),
        (Shape(kind="text", pattern="[A-Z]{2}"), ["AB"], ["ABC", "ab", "AB\n", ""]),
        (Shape(kind="text", currency=True), ["EUR", "JPY"], ["eur", "XXX", ""]),
        (Shape(kind="text", moment=True), ["2026-03-05T08:00:00Z"], ["2026-03-05T08:00:00", "today"]),
    ],
)
def test_types_are_strict(shape: Shape, fits: list[object], does_not: list[object]) -> None:
    assert [value for value in fits if wrong(shape, value)] == []
    assert [value for value in does_not if not wrong(shape, value)] == []


ORDER = Shape(
    kind="object",
    fields={
        "id": TEXT,
        "lines": Shape(
            kind="list",
            items=Shape(kind="object", fields={"sku": TEXT, "count": WHOLE}, required=frozenset({"sku"})),
        ),
        "note": Shape(kind="text", nullable=True),
    },
    required=frozenset({"id"}),
)


def test_every_mismatch_is_found_with_its_place() -> None:
    value = {"lines": [{"sku": 1, "count": True}, {"count": 2}], "note": 3, "extra": 0}
    assert wrong(ORDER, value) == [
        (("lines", 0, "sku"), "text"),
        (("lines", 0, "count"), "a whole number"),
        (("lines", 1), "the key sku"),
        (("note",), "text or null"),
        (("extra",), "one of id, lines, note"),
        ((), "the key id"),
    ]


def test_a_clean_object_has_no_mismatch() -> None:
    assert wrong(ORDER, {"id": "O-1", "lines": [{"sku": "lamp"}], "note": None}) == []


def test_an_unknown_key_names_the_valid_ones() -> None:
    (mismatch,) = ORDER.mismatches({"id": "O-1", "notes": "x"})
    assert (mismatch.unknown_key, mismatch.valid_keys) == ("notes", ("id", "lines", "note"))


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (Shape(kind="integer", money=True), "an amount in whole minor units"),
        (Shape(kind="text", references="invoices", nullable=True), "the id of a record in invoices or null"),
        (Shape(kind="integer", minimum=1, maximum=5), "a whole number of at least 1 of at most 5"),
        (Shape(kind="text", choices=("s", "m")), "one of s, m"),
        (Shape(kind="text", pattern="[A-Z]"), "text like [A-Z]"),
    ],
)
def test_a_shape_has_words_for_error_texts(shape: Shape, words: str) -> None:
    assert shape.name() == words


def allows(schema: Mapping[str, Any], value: Any) -> bool:
    """A reader of the part of JSON Schema that shapes use."""
    kinds = schema.get("type")
    names = {
        "string": str,
        "boolean": bool,
        "object": dict,
        "array": list,
        "integer": int,
        "number": (int, float),
    }
    if kinds is not None:
        listed = [kinds] if isinstance(kinds, str) else kinds
        if value is None:
            return "null" in listed
        if isinstance(value, bool) != (listed[0] == "boolean") or not isinstance(value, names[listed[0]]):  # type: ignore[arg-type]
            return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if isinstance(value, int) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return False
    if isinstance(value, list):
        return all(allows(schema.get("items", {}), item) for item in value)
    if isinstance(value, dict):
        known = schema.get("properties", {})
        rest = schema.get("additionalProperties", True)
        return all(key in value for key in schema.get("required", [])) and all(
            allows(known[key], item)
            if key in known
            else rest is not False and allows(rest if rest is not True else {}, item)
            for key, item in value.items()
        )
    return True


small = st.none() | st.booleans() | st.integers(-2, 7) | st.sampled_from(["s", "m", "id", ""])
shapes = st.recursive(
    st.builds(
        Shape, kind=st.sampled_from(["text", "integer", "number", "boolean", "any"]), nullable=st.booleans()
    )
    | st.builds(Shape, kind=st.just("text"), choices=st.just(("s", "m")), nullable=st.booleans())
    | st.builds(Shape, kind=st.just("integer"), minimum=st.just(1), maximum=st.just(5)),
    lambda inner: (
        st.builds(Shape, kind=st.just("list"), items=inner)
        | st.builds(Shape, kind=st.just("object"), values=inner)
        | st.builds(
            Shape,
            kind=st.just("object"),
            fields=st.fixed_dictionaries({"id": inner}),
            required=st.just(frozenset({"id"})),
        )
    ),
    max_leaves=4,
)
documents = st.recursive(
    small,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["id", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(shapes, documents)
def test_the_json_schema_allows_exactly_what_the_shape_does(shape: Shape, value: Any) -> None:
    assert allows(shape.json_schema(), value) is (wrong(shape, value) == [])


def test_a_signature_is_a_closed_object_schema() -> None:
    signature = Signature(
        {
            "id": Parameter(name="id", shape=TEXT),
            "copies": Parameter(
                name="copies", shape=Shape(kind="integer", minimum=1), required=False, default=1
            ),
        }
    )
    assert signature.json_schema() == {
        "type": "object",
        "properties": {"id": {"type": "string"}, "copies": {"type": "integer", "minimum": 1, "default": 1}},
        "required": ["id"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("value", "text"), [(None, "null"), (True, "true"), (False, "false"), ("a", "'a'"), (1, "1")]
)
def test_values_are_shown_as_json_names_them(value: object, text: str) -> None:
    assert shown(value) == text


def test_a_long_value_is_cut() -> None:
    assert len(shown("x" * 1000)) == 60
    assert shown("x" * 1000, limit=10).endswith("…")
