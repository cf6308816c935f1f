from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from company_lab.formats.errors import Problems
from company_lab.interop import streams
from company_lab.interop.streams import read_array

_leaves = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=30)
_values = st.recursive(
    _leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner), max_leaves=8
)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return tmp_path / "runs.json"


@given(values=st.lists(_values, max_size=6), indent=st.sampled_from([None, 1]), ascii_only=st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_elements_are_the_same_as_of_the_whole_list_however_small_the_pieces(
    written: Path, values: list[object], indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=ascii_only)
    written.write_bytes(text.encode("utf-8"))
    whole = streams.CHUNK
    try:
        for chunk in (1, 7, whole):
            streams.CHUNK = chunk
            assert [document.value for document in read_array(written)] == values
    finally:
        streams.CHUNK = whole


def test_every_element_knows_its_line(written: Path) -> None:
    written.write_text('[\n {"a": 1},\n\n {"a":\n 2},\n 3]\n')
    documents = list(read_array(written))
    assert [document.line_of(()) for document in documents] == [2, 4, 6]
    assert documents[1].line_of(("a",)) == 5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ('{"a": 1}', "must hold a JSON list"),
        ('[{"a": 1},\n{"a": "never end', "runs.json:2: a: the file is cut off"),
        ('[{"a": 1},\n', "runs.json:2: "),
        ('[{"a": 1}\n', "a closing bracket was due"),
        ('[{"a": 1},\n{"a": NaN}]', "runs.json:2: a: NaN is not a JSON number"),
        ('[{"a": 1},\n{"a": 1, "a": 2}]', "the key 'a' stands twice"),
        ("[1] 2", "more text after the end"),
        ("[1 2]", "a comma or a closing bracket was due"),
        ("[1,]", "runs.json:1: "),
    ],
)
def test_damage_is_told_with_its_line(written: Path, text: str, said: str) -> None:
    written.write_text(text)
    with pytest.raises(Problems) as caught:
        list(read_array(written))
    assert said in str(caught.value)


def test_other_encodings_are_refused_and_a_byte_order_mark_is_not(written: Path) -> None:
    written.write_bytes(b'\xef\xbb\xbf["\xc3\xa9"]')
    assert [document.value for document in read_array(written)] == ["é"]
    written.write_bytes(b'["\xe9"]')
    with pytest.raises(Problems, match="not UTF-8"):
        list(read_array(written))


def test_nesting_without_end_is_refused_not_a_crash(written: Path) -> None:
    written.write_text("[" * 100_000)
    with pytest.raises(Problems):
        list(read_array(written))
