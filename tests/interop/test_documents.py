from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.formats.errors import Problems
from company_lab.interop.documents import read_documents
from company_lab.interop.positions import lines_of

_values = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=10,
)


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"task": "refund", "n": [1]}'),
        ("a.json", '\ufeff{\n"task": "refund",\r\n "n": [1]}\n'),
        ("a.jsonl", '{"task": "refund", "n": [1]}\n\n'),
        ("a.yaml", "task: refund\nn: [1]\n"),
        ("a.txt", '{"task": "refund", "n": [1]}'),
        ("a.txt", "task: refund\nn: [1]\n"),
    ],
)
def test_the_same_value_is_read_from_every_form(tmp_path: Path, name: str, text: str) -> None:
    documents = list(read_documents(written(tmp_path, name, text)))
    assert [document.value for document in documents] == [{"task": "refund", "n": [1]}]


def test_one_object_a_line_is_told_apart_from_one_object_over_many_lines(tmp_path: Path) -> None:
    lines = list(read_documents(written(tmp_path, "runs.json", '{"a": 1}\n{"a": 2}\n')))
    assert [(document.value, document.line_of(())) for document in lines] == [({"a": 1}, 1), ({"a": 2}, 2)]
    (whole,) = read_documents(written(tmp_path, "run.json", '{"a":\n {"b": 1,\n  "c": 2}}\n'))
    assert whole.line_of(("a", "c")) == 3
    assert whole.line_of(("a", "unknown")) == 2


def test_yaml_parts_know_their_lines(tmp_path: Path) -> None:
    (document,) = read_documents(written(tmp_path, "run.yaml", "a:\n  b: 1\n  c: 2\n"))
    assert document.line_of(("a", "c")) == 3


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.json", "", "the file is empty"),
        ("a.yaml", " \n", "the file is empty"),
        ("a.jsonl", '{"a": 1}\n{"latency_s": NaN}\n', "a.jsonl:2: latency_s: NaN is not a JSON number"),
        ("a.jsonl", '{"a": 1}\n{"x": Infinity}\n', "a.jsonl:2: x: Infinity is not a JSON number"),
        ("a.jsonl", '{"a": 1}\n{"x": 1e999}\n', "a.jsonl:2: x: 1e999 is not a JSON number"),
        ("a.json", '{"a": [1,\n{"b": NaN}]}', "a.json:2: a[1].b: NaN"),
        ("a.yaml", "a: 1\nb: .nan\n", "a.yaml:2"),
        ("a.json", '{"a": 1,\n"a": 2}', "a.json:2: a: the key 'a' stands twice"),
        ("a.jsonl", '{"a": 1}\n{"a": "never e', "a.jsonl:2: a: the file is cut off"),
        ("a.jsonl", '{"a": 1}\n{"a": 1', "a.jsonl:2: the file is cut off"),
        ("a.jsonl", '{"a": 1}\n{"a" 1}\n{"a": 2}\n', "a.jsonl:2: a: a colon was due"),
        ("a.json", '{"a": ' + "9" * 5000 + "}", "a.json:1: a:"),
        ("a.json", "[" * 100_000, "a.json:1"),
    ],
)
@pytest.mark.fault("E07")
def test_damage_is_told_with_file_line_and_field(tmp_path: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(Problems) as caught:
        list(read_documents(written(tmp_path, name, text)))
    assert said in str(caught.value)


@pytest.mark.fault("E07")
def test_every_damaged_line_is_told_at_once(tmp_path: Path) -> None:
    lines = ['{"trial": 1, "latency_s": NaN}', '{"trial": 2}', '{"trial": 3, "x": [1e999]}', '{"trial": 4']
    path = written(tmp_path, "a.jsonl", "\n".join(lines) + "\n")
    reading = read_documents(path)
    assert next(reading).value == {"trial": 2}
    with pytest.raises(Problems) as caught:
        next(reading)
    assert [(problem.line, problem.path) for problem in caught.value.problems] == [
        (1, "latency_s"),
        (3, "x[0]"),
        (4, ""),
    ]


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'{"a": "\xe9"}')
    with pytest.raises(Problems, match=r"not UTF-8 \(byte 7\)"):
        list(read_documents(path))


@given(_values)
def test_every_part_of_a_json_text_has_the_line_it_is_written_on(value: object) -> None:
    text = json.dumps(value, indent=1)
    lines = text.split("\n")
    for place, line in lines_of(text).items():
        found = value
        for part in place:
            found = found[part]  # type: ignore[index]
        head = json.dumps(found, indent=1).split("\n")[0]
        assert head in lines[line - 1]
