"""Traces on disk: JSON lines that round trip, and damage that is noticed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from company_lab.formats.errors import Problems
from company_lab.traces import Trace
from company_lab.traces.files import read_traces, write_traces

AT = "2026-03-05T08:00:00+01:00"


def trace(trial: int) -> Trace:
    made = Trace()
    made.add("started", AT, format=1, scenario="refund", trial=trial)
    made.add("weather", AT, sun=None, text="ü \ud800\n")
    made.add("stopped", AT, reason="finished", detail="")
    return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "episodes.jsonl"


def refused(path: Path) -> tuple[int | None, str]:
    with pytest.raises(Problems) as raised:
        list(read_traces(path))
    (problem,) = raised.value.problems
    assert problem.file == str(path)
    return problem.line, problem.message


def test_episodes_round_trip_byte_for_byte_with_unknown_kinds(path: Path) -> None:
    written = [trace(1), trace(2), trace(3)]
    write_traces(path, written)
    found = list(read_traces(path))
    assert [one.records for one in found] == [one.records for one in written]
    assert b"".join(one.bytes() for one in found) == path.read_bytes()
    assert [one.digest for one in found] == [one.digest for one in written]


def test_episodes_are_read_one_at_a_time(path: Path) -> None:
    write_traces(path, [trace(1), trace(2)])
    with path.open("ab") as target:
        target.write(b"not json\n")
    reading = read_traces(path)
    assert next(reading).header["trial"] == 1
    with pytest.raises(Problems):
        list(reading)


def test_no_episodes_are_an_empty_file(path: Path) -> None:
    write_traces(path, [])
    assert path.read_bytes() == b""
    assert list(read_traces(path)) == []


def test_blank_lines_are_nothing(path: Path) -> None:
    path.write_bytes(b"\n" + trace(1).bytes() + b"\n\r\n")
    assert [one.header["trial"] for one in read_traces(path)] == [1]


def test_a_last_line_that_is_cut_off_is_an_error_with_its_number(path: Path) -> None:
    path.write_bytes(trace(1).bytes()[:-20])
    line, message = refused(path)
    assert line == 3
    assert message.startswith("the last line is cut off")


@pytest.mark.fault("E13")
def test_a_file_cut_anywhere_is_an_error_or_an_episode_that_did_not_stop(path: Path) -> None:
    whole = trace(1).bytes()
    for length in range(1, len(whole) - 1):
        path.write_bytes(whole[:length])
        try:
            (found,) = read_traces(path)
        except Problems:
            assert not whole[:length].endswith(b"\n")
        else:
            assert found.stop is None
            assert len(found) < 3


def test_a_damaged_line_in_the_middle_is_not_called_cut_off(path: Path) -> None:
    lines = trace(1).bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b'{"seq": 1, "kind"\n' + lines[2])
    line, message = refused(path)
    assert line == 2
    assert "cut off" not in message


@pytest.mark.fault("E13")
def test_missing_records_are_noticed(path: Path) -> None:
    lines = trace(1).bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[2])
    assert refused(path) == (2, "seq 2 where 1 was due: records are missing")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"[]\n", "a record needs the key kind"),
        (b'"text"\n', "a record needs the key kind"),
        (b'{"seq": 0}\n', "a record needs the key kind"),
        (b'{"seq": 0, "kind": 1}\n', "a record needs the key kind"),
        (b'{"seq": 0, "kind": "turn"}\n', "a trace begins with a started record"),
        (b'{"seq": 0, "kind": "started", "format": 2}\n', "format 2 is not format 1"),
        (b'{"seq": 0, "kind": "started"}\n', "format None is not format 1"),
        (b'{"seq": 0, "kind": "started", "format": true}\n', "format True is not format 1"),
        (
            b'{"seq": false, "kind": "started", "format": 1}\n',
            "seq False where 0 was due: records are missing",
        ),
        (
            b'{"seq": 0, "seq": 0, "kind": "started", "format": 1}\n',
            "the value: the key 'seq' stands twice in one object",
        ),
        (b'{"seq": 0, "kind": "started", "format": 1, "x": NaN}\n', "the value: NaN is not a JSON number"),
        (b"\xff\n", "the value: not UTF-8 (byte 0)"),
    ],
)
def test_what_is_no_trace_is_refused(path: Path, line: bytes, message: str) -> None:
    path.write_bytes(line)
    assert refused(path) == (1, message)


def test_a_file_appears_whole_or_not_at_all(path: Path) -> None:
    write_traces(path, [trace(1)])

    def breaking() -> Iterator[Trace]:
        yield trace(2)
        raise RuntimeError("the disk is gone")

    with pytest.raises(RuntimeError):
        write_traces(path, breaking())
    assert [one.header["trial"] for one in read_traces(path)] == [1]
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("kind", "fields", "said"),
    [
        ("stopped", {}, "needs the key reason"),
        ("stopped", {"reason": ["finished"]}, "reason of a record is a text"),
        ("action", {"call": {}, "tool": "a.b"}, "call of a record is a text"),
        ("result", {"call": "c1", "outcome": 3}, "outcome of a record is a text"),
        ("result", {"call": "c1", "delivery": []}, "delivery of a record is a text"),
        ("result", {"call": "c1", "changes": 3}, "objects with table and id"),
        ("settled", {"changes": ""}, "objects with table and id"),
        ("settled", {"changes": [None]}, "objects with table and id"),
        ("settled", {"changes": [{"table": "invoices"}]}, "objects with table and id"),
    ],
)
def test_a_record_that_nobody_could_judge_is_refused_with_its_line(
    path: Path, kind: str, fields: dict[str, Any], said: str
) -> None:
    made = Trace()
    made.add("started", AT, format=1, scenario="refund", trial=1)
    made.add(kind, AT, **fields)
    write_traces(path, [made])
    line, message = refused(path)
    assert line == 2
    assert said in message


def test_a_record_of_an_unknown_kind_may_hold_anything(path: Path) -> None:
    made = Trace()
    made.add("started", AT, format=1, scenario="refund", trial=1)
    made.add("weather", AT, call={}, changes=3, reason=[])
    write_traces(path, [made])
    assert [one.records for one in read_traces(path)] == [made.records]
