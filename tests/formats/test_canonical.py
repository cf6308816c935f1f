"""The boundary is JSON: strict types, one spelling, and nothing shared across it."""

from __future__ import annotations

import enum
import hashlib
import json
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.formats.canonical import (
    MAX_DEPTH,
    MAX_INTEGER,
    Json,
    NotJson,
    boundary,
    canonical,
    digest,
    duplicate,
    parse,
    parse_own,
    same,
)

texts = st.text(alphabet=st.characters(exclude_categories=()), max_size=8)
leaves = (
    st.none()
    | st.booleans()
    | st.integers(min_value=-MAX_INTEGER, max_value=MAX_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def containers(value: Json) -> Iterator[int]:
    """The identity of every list and object in a value."""
    if isinstance(value, (dict, list)):
        yield id(value)
        for item in value.values() if isinstance(value, dict) else value:
            yield from containers(item)


@given(values)
def test_what_crossed_the_boundary_reads_back_from_its_spelling(value: Json) -> None:
    crossed = boundary(value)
    assert parse(canonical(crossed)) == crossed
    assert canonical(parse_own(canonical(crossed))) == canonical(crossed)


@given(values)
def test_crossing_twice_changes_nothing_more(value: Json) -> None:
    crossed = boundary(value)
    again = boundary(crossed)
    assert canonical(again) == canonical(crossed)
    assert same(again, crossed)
    assert same(value, crossed)


@given(values)
def test_a_copy_shares_nothing_with_the_original(value: Json) -> None:
    crossed = boundary(value)
    copy = duplicate(crossed)
    assert copy == crossed
    assert not set(containers(value)) & set(containers(crossed))
    assert not set(containers(crossed)) & set(containers(copy))


exact = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(min_value=-(2**53), max_value=2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@given(st.tuples(exact, exact) | exact.map(lambda value: (value, json.loads(json.dumps(value)))))
def test_values_are_equal_exactly_where_their_digests_are(pair: tuple[Json, Json]) -> None:
    left, right = boundary(pair[0]), boundary(pair[1])
    assert same(left, right) is (digest(left) == digest(right))
    assert same(*pair) is same(left, right)


@given(st.dictionaries(texts, leaves, max_size=5))
def test_the_order_of_keys_never_matters(value: dict[str, Json]) -> None:
    turned = dict(reversed(list(value.items())))
    assert canonical(turned) == canonical(value)
    assert same(turned, value)


@given(values)
def test_one_spelling_is_one_line_of_ascii(value: Json) -> None:
    spelling = canonical(boundary(value))
    assert spelling.isascii()
    assert "\n" not in spelling


def test_the_digest_is_sha_256_of_the_spelling() -> None:
    assert digest({"b": 1, "a": [True, None]}) == hashlib.sha256(b'{"a":[true,null],"b":1}').hexdigest()


class Colour(enum.StrEnum):
    RED = "red"


class Rank(enum.IntEnum):
    FIRST = 1


class Point(NamedTuple):
    x: int
    y: float


@pytest.mark.parametrize(
    ("given_", "crossed"),
    [
        (2.0, 2),
        (-0.0, 0),
        (2.5, 2.5),
        (2.0**53, 2**53),
        (2.0**60, 2.0**60),
        ((1, 2), [1, 2]),
        (MappingProxyType({"a": (1,)}), {"a": [1]}),
        (OrderedDict(a=1), {"a": 1}),
        (defaultdict(list, {"a": [1]}), {"a": [1]}),
        (Colour.RED, "red"),
        (Rank.FIRST, 1),
        (Point(1, 2.0), [1, 2]),
        ({Colour.RED: True}, {"red": True}),
        ("\ud800", "\ud800"),
    ],
)
def test_values_of_related_types_become_plain_json(given_: object, crossed: Json) -> None:
    found = boundary(given_)
    assert canonical(found) == canonical(crossed)
    assert type(found) is type(crossed)


class Unreadable(Mapping[str, int]):
    def __getitem__(self, key: str) -> int:
        raise RuntimeError("no")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no")

    def __len__(self) -> int:
        return 1


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Trap(list[int]):
    def __iter__(self) -> Iterator[int]:
        raise RuntimeError("no")


def deep(levels: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(levels):
        nested = [nested]
    return nested


def in_itself() -> list[Any]:
    endless: list[Any] = []
    endless.append(endless)
    return endless


@pytest.mark.parametrize(
    ("value", "path", "reason"),
    [
        (float("nan"), "", "nan"),
        ({"a": [1, float("inf")]}, "a[1]", "inf"),
        (MAX_INTEGER + 1, "", "64 bit"),
        ({"a": {"b": -(2**63)}}, "a.b", "64 bit"),
        ({1: 2}, "", "a key of type int"),
        ({"a": {Unshowable(): 1}}, "a", "a key of type Unshowable"),
        ({"a": object()}, "a", "a value of type object"),
        (b"bytes", "", "bytes"),
        ({1, 2}, "", "set"),
        (Decimal("1.50"), "", "Decimal"),
        (date(2026, 3, 5), "", "date"),
        (Unshowable(), "", "Unshowable"),
        ({"a": Unreadable()}, "a", "can not be read: RuntimeError"),
        (deep(MAX_DEPTH + 1), "[0]" * (MAX_DEPTH + 1), "deeper than 64"),
        (in_itself(), "[0]" * (MAX_DEPTH + 1), "deeper than 64"),
    ],
)
@pytest.mark.fault("A18")
def test_what_json_can_not_carry_stops_at_the_boundary(value: object, path: str, reason: str) -> None:
    with pytest.raises(NotJson) as refused:
        boundary(value)
    assert refused.value.path == path
    assert reason in refused.value.reason


def test_the_deepest_nesting_still_crosses() -> None:
    assert boundary(deep(MAX_DEPTH)) == deep(MAX_DEPTH)


def test_a_list_of_its_own_type_is_copied_without_running_its_code() -> None:
    assert boundary(Trap([1, 2])) == [1, 2]


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (True, True, True),
        (None, False, False),
        (None, 0, False),
        ("1", 1, False),
        ([1, 2], [2, 1], False),
        ([1, 1], [1], False),
        ([1.0], [1], True),
        ((1,), [1], True),
        ([True], [1], False),
        ({"a": 1}, {"a": True}, False),
        ({"a": None}, {}, False),
        ({"a": {"b": [1]}}, {"a": {"b": [1.0]}}, True),
        (MappingProxyType({"a": 1}), {"a": 1}, True),
        ({}, [], False),
        ("", None, False),
    ],
)
def test_equality_has_the_types_of_json(left: object, right: object, equal: bool) -> None:
    assert same(left, right) is equal
    assert same(right, left) is equal


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1, "a": 2}', "'a' stands twice"),
        ('{"x": {"a": 1, "b": 2, "a": 1}}', "'a' stands twice"),
        ("NaN", "NaN is not"),
        ("[-Infinity]", "-Infinity is not"),
        ("1e999", "too large"),
        ("9" * 5000, "4000 digits"),
        ("", "line 1 column 1"),
        ('{"charge":"ch_1","amount":"4', "line 1 column"),
        ("{'charge':'ch_1'}", "line 1 column 2"),
        ('{"charge":"ch_1"} thanks', "Extra data"),
        (b"\xff{}", "not UTF-8 (byte 0)"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
@pytest.mark.fault("E07")
def test_text_that_is_not_strict_json_is_refused(text: str | bytes, reason: str) -> None:
    with pytest.raises(NotJson) as refused:
        parse(text)
    assert reason in refused.value.reason


def test_bytes_with_a_byte_order_mark_are_read() -> None:
    assert parse(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


@pytest.mark.parametrize(
    "value", [float("nan"), [float("inf")], {"a": object()}, in_itself(), {1: 0, "a": 0}]
)
def test_only_json_has_a_spelling(value: object) -> None:
    with pytest.raises(NotJson):
        canonical(value)


@given(values)
def test_any_json_reader_understands_the_spelling(value: Json) -> None:
    assert json.loads(canonical(boundary(value))) == boundary(value)


@pytest.mark.parametrize("damaged", ['{"a":1', "NaN", "", "[" * 100_000, "9" * 5000, b"{}", None])
def test_what_was_changed_since_it_was_written_is_told_as_no_json(damaged: Any) -> None:
    with pytest.raises(NotJson):
        parse_own(damaged)
