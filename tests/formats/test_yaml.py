"""Reading YAML 1.2: words stay words, whatever is doubtful is refused, and everything has a place."""

from __future__ import annotations

import gc
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.formats.canonical import Json
from company_lab.formats.errors import Problem, Problems
from company_lab.formats.yaml import Document, collection_paused, path_text, read_yaml, scan_yaml
from company_lab.formats.yaml_values import MAX_ALIASED


def value_of(text: str | bytes) -> Json:
    (document,) = read_yaml(text)
    return document.value


def problem_in(text: str | bytes) -> Problem:
    with pytest.raises(Problems) as caught:
        read_yaml(text, file="sample.yaml")
    (problem,) = caught.value.problems
    return problem


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("Yes", "Yes"),
        ("y", "y"),
        ("12:30", "12:30"),
        ("1:20.5", "1:20.5"),
        ("09:00", "09:00"),
        ("2026-03-01", "2026-03-01"),
        ("2026-03-01T10:00:00+02:00", "2026-03-01T10:00:00+02:00"),
        ("1_000", "1_000"),
        ("0b101", "0b101"),
        ("-0x1F", "-0x1F"),
        ("'5'", "5"),
        ('"true"', "true"),
        ('! "5"', "5"),
        ("!!str 5", "5"),
        ("...5", "...5"),
        ("1.2.3", "1.2.3"),
        ("=", "="),
    ],
)
@pytest.mark.fault("E01")
def test_words_of_other_yaml_versions_are_text(written: str, value: str) -> None:
    assert value_of(f"key: {written}") == {"key": value}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("12", 12),
        ("+12", 12),
        ("-0", 0),
        ("012", 12),
        ("0o14", 12),
        ("0xfF", 255),
        ("9223372036854775807", 2**63 - 1),
        ("1.5", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("!!int 7", 7),
        ("!!float 7", 7.0),
        ("true", True),
        ("FALSE", False),
        ("!!bool true", True),
        ("null", None),
        ("~", None),
        ("!!null ''", None),
        ("", None),
    ],
)
@pytest.mark.fault("E03")
def test_scalars_of_the_core_schema_have_their_types(written: str, value: Json) -> None:
    read = value_of(f"key: {written}")
    assert isinstance(read, dict)
    assert read["key"] == value
    assert type(read["key"]) is type(value)


def test_keys_are_text_as_written() -> None:
    assert value_of("no: 1\non: 2\n1.10: 3\n~: 4\ntrue: 5\n0x10: 6\n12:30: 7") == {
        "no": 1,
        "on": 2,
        "1.10": 3,
        "~": 4,
        "true": 5,
        "0x10": 6,
        "12:30": 7,
    }


@pytest.mark.fault("E05")
def test_keys_that_stand_twice_at_any_depth_name_both_lines() -> None:
    with pytest.raises(Problems) as caught:
        read_yaml("a: 1\nb:\n  - {c: 1,\n     c: 2}\na: 3\n", file="sample.yaml")
    inner, outer = caught.value.problems
    assert (inner.line, inner.column, inner.path) == (4, 6, "b[0].c")
    assert "first in line 3" in inner.message
    assert (outer.line, outer.column, outer.path) == (5, 1, "a")
    assert "first in line 1" in outer.message


def test_a_key_that_stands_twice_under_another_spelling_is_found_too() -> None:
    assert "stands twice" in problem_in("a: 1\n'a': 2\n").message
    assert value_of("1: a\n1.0: b\n") == {"1": "a", "1.0": "b"}


def test_merge_keys_are_refused_and_the_quoted_text_is_a_key() -> None:
    problem = problem_in("a: &a {x: 1}\nb:\n  <<: *a\n")
    assert (problem.line, problem.column, problem.path) == (3, 3, "b.<<")
    assert "merge" in problem.message
    assert value_of('"<<": 1') == {"<<": 1}


def test_aliases_repeat_a_value_without_sharing_it() -> None:
    read = value_of("a: &a [1, 2]\nb: *a\n")
    assert isinstance(read, dict)
    assert read == {"a": [1, 2], "b": [1, 2]}
    assert read["a"] is not read["b"]


@pytest.mark.parametrize("text", ["- &x [*x]", "&x {a: *x}", "a: &x\n  b: {c: [*x]}"])
@pytest.mark.fault("E06")
def test_an_alias_inside_itself_is_refused(text: str) -> None:
    assert "contains itself" in problem_in(text).message


@pytest.mark.fault("E06")
def test_aliases_that_blow_a_document_up_are_refused() -> None:
    lines = ["l0: &l0 [paid, paid, paid, paid, paid, paid, paid, paid]"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 8)}]" for n in range(1, 7)]
    problem = problem_in("\n".join(lines))
    assert "too large" in problem.message
    assert str(MAX_ALIASED) in str(problem.expected)


@pytest.mark.fault("E06")
def test_aliases_that_double_with_every_line_are_refused_however_many_lines_there_are() -> None:
    lines = ["- &a0 [x, x]", *(f"- &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 15_000))]
    assert "too large" in problem_in("\n".join(lines)).message


@pytest.mark.fault("E06")
def test_large_documents_without_aliases_have_no_limit_on_size() -> None:
    listed = value_of("[" + ", ".join(["'*'"] * (MAX_ALIASED + 10)) + "]")
    assert isinstance(listed, list)
    assert len(listed) == MAX_ALIASED + 10


@pytest.mark.parametrize(
    "written", ["!order 1", "!!python/name:os.system x", "!!int x", "!!bool no", "!!set {a}", "!!timestamp x"]
)
def test_tags_that_are_unknown_or_do_not_fit_are_refused(written: str) -> None:
    problem = problem_in(f"key: {written}")
    assert (problem.line, problem.column, problem.path) == (1, 6, "key")
    assert problem.found == written.split()[0]


@pytest.mark.parametrize("written", [".nan", ".NaN", ".inf", "-.Inf", "+.INF", "1e999", "!!float 1e999"])
def test_numbers_that_are_not_finite_are_refused(written: str) -> None:
    problem = problem_in(f"- key: {written}")
    assert problem.path == "[0].key"
    assert problem.fix is not None
    assert value_of(f"- key: '{written}'") == [{"key": written}]


@pytest.mark.parametrize("written", ["9223372036854775808", "0x" + "F" * 16, "9" * 5000])
def test_integers_beyond_64_bit_are_refused(written: str) -> None:
    assert "64 bit" in problem_in(f"key: {written}").message


def test_nesting_deeper_than_json_goes_is_refused() -> None:
    assert value_of("[" * 64 + "]" * 64) is not None
    assert "nested deeper" in problem_in("[" * 65 + "]" * 65).message
    assert "not YAML" in problem_in("[" * 100_000).message


def test_keys_that_are_no_text_are_refused() -> None:
    assert "must be text" in problem_in("? [a, b]\n: c").message


@pytest.mark.fault("E09")
def test_bytes_are_utf8_with_or_without_a_mark() -> None:
    assert value_of(b"\xef\xbb\xbfid: s1\r\n") == {"id": "s1"}
    assert value_of("id: Müller 80 €".encode()) == {"id": "Müller 80 €"}
    assert value_of("\ufeffid: s1") == {"id": "s1"}


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        (b"id: s\xe9", 5),
        (b"\xff\xfei\x00d\x00", 0),
        (b"\xef\xbb\xbfa: b\nc: \xe9", 11),
        ("aé: ü".encode("utf-16-be"), 3),
    ],
)
@pytest.mark.fault("E09")
def test_other_encodings_are_refused_with_the_byte(text: bytes, offset: int) -> None:
    assert f"byte {offset} " in problem_in(text).message


def test_carriage_returns_change_nothing() -> None:
    text = "a: |\n  one\n  two\nb: 'x\n  y'\n"
    assert value_of(text.replace("\n", "\r\n")) == value_of(text)
    assert value_of(text.rstrip()) == {"a": "one\ntwo\n", "b": "x y"}


@pytest.mark.parametrize("character", ["\x07", "\x00", "\x85", "\u2028", "\ud800"])
def test_characters_that_would_be_misread_are_refused_with_their_place(character: str) -> None:
    problem = problem_in(f"é: x\nb: 'ü{character}'")
    assert (problem.line, problem.column) == (2, 6)
    assert f"U+{ord(character):04X}" in problem.message


def test_escapes_may_write_any_character() -> None:
    assert value_of(r'"\u2028\u0007\u0085"') == "\u2028\x07\x85"


@pytest.mark.parametrize("text", ["", "  \n", "# only a remark\n"])
def test_an_empty_text_is_a_problem(text: str) -> None:
    assert "empty" in problem_in(text).message


def test_an_empty_document_is_a_problem_and_the_others_are_read() -> None:
    documents, problems = scan_yaml("a: 1\n---\n---\nb: 2\n")
    assert [document.value for document in documents] == [{"a": 1}, {"b": 2}]
    assert [document.line for document in documents] == [1, 4]
    assert [(problem.line, "empty" in problem.message) for problem in problems] == [(3, True)]


@pytest.mark.parametrize(
    ("text", "line", "column"), [("a: b: c", 1, 5), ("a: [\n", 2, 1), ("x: *y", 1, 4), ("a:\n\t- b", 2, 1)]
)
def test_what_is_no_yaml_has_a_place_and_a_reason(text: str, line: int, column: int) -> None:
    problem = problem_in(text)
    assert "not YAML" in problem.message
    assert (problem.line, problem.column) == (line, column)


def test_places_are_those_of_values_and_of_keys() -> None:
    (document,) = read_yaml("one:\n  two: [a,\n    {three: 1.10}]\nempty:\n")
    assert document.position(()) == (1, 1)
    assert document.position(("one", "two", 0)) == (2, 9)
    assert document.position(("one", "two", 1, "three")) == (3, 13)
    assert document.position(("one", "two", 1, "three"), key=True) == (3, 6)
    assert document.position(("one", "two", 7)) == (2, 8)
    assert document.position(("one", "nothing", "there"), key=True) == (1, 1)
    assert document.position(("empty",)) == (4, 1)
    assert document.written(("one", "two", 1, "three")) == "1.10"
    assert document.written(("one", "two")) is None
    assert document.written(("nothing",)) is None


def test_a_document_that_never_was_a_text_has_no_places() -> None:
    document = Document(file="", value={"a": 1})
    assert document.position(("a",)) == (None, None)
    assert document.written(("a",)) is None


def test_a_document_knows_whether_it_holds_floats() -> None:
    assert not read_yaml("a: 1")[0].floats
    assert read_yaml("a: [1.0]")[0].floats


def test_paths_read_as_people_write_them() -> None:
    assert path_text(("expected", "actions", 0, "tool")) == "expected.actions[0].tool"
    assert path_text(("state", "a.b", "", "ü")) == "state['a.b'][''].ü"
    assert path_text(()) == ""


def test_the_collector_rests_for_large_texts_only_and_comes_back() -> None:
    with collection_paused(10):
        assert gc.isenabled()
    with collection_paused(10_000_000):
        assert not gc.isenabled()
    assert gc.isenabled()


# Beyond the basic plane JSON escapes by pairs, which YAML does not know; its keys end at 1024 characters.
TEXT = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=50)
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(JSON_VALUES)
def test_json_is_yaml(value: Json) -> None:
    assert value_of(json.dumps([value], indent=1)) == [value]


@given(st.text() | st.binary() | st.text("-:{}[],&*!|>'\"%@#? \nab01.", max_size=40))
def test_any_text_is_read_or_refused_with_problems(text: str | bytes) -> None:
    documents, problems = scan_yaml(text)
    assert documents or problems
    for document in documents:
        json.dumps(document.value, allow_nan=False)
