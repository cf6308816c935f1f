"""A trace is a list of plain records with one spelling."""

from __future__ import annotations

import hashlib
import json

import pytest

from company_lab.formats.canonical import NotJson
from company_lab.traces import Trace

AT = "2026-03-05T08:00:00+01:00"


def small() -> Trace:
    trace = Trace()
    trace.add("started", AT, format=1, scenario="refund", trial=2)
    trace.add("turn", AT, turn=1)
    trace.add("weather", AT, sun=True)
    trace.add("stopped", AT, reason="finished", detail="")
    return trace


def test_records_are_numbered_in_order_of_arrival() -> None:
    trace = small()
    assert [record["seq"] for record in trace.records] == [0, 1, 2, 3]
    assert {record["at"] for record in trace.records} == {AT}
    assert len(trace) == 4


def test_adding_gives_the_record_that_was_added() -> None:
    trace = Trace()
    assert trace.add("memory", AT, value=1) is trace.records[0]


def test_records_of_a_kind_come_in_order_unknown_kinds_too() -> None:
    trace = small()
    trace.add("turn", AT, turn=2)
    assert [record["turn"] for record in trace.by_kind("turn")] == [1, 2]
    assert [record["sun"] for record in trace.by_kind("weather")] == [True]
    assert list(trace.by_kind("crash")) == []


def test_the_header_and_the_stop_reason_are_found() -> None:
    assert (small().header["scenario"], small().stop) == ("refund", "finished")


def test_a_trace_that_lacks_them_says_so() -> None:
    cut = Trace(small().records[1:3])
    assert (dict(cut.header), cut.stop) == ({}, None)
    assert (dict(Trace().header), Trace().stop) == ({}, None)


def test_the_text_is_one_canonical_line_a_record() -> None:
    lines = small().text().splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["started", "turn", "weather", "stopped"]
    assert lines[2] == f'{{"at":"{AT}","kind":"weather","seq":2,"sun":true}}'
    assert small().text().endswith("\n")


def test_the_digest_is_over_the_stored_bytes() -> None:
    assert small().digest == hashlib.sha256(small().bytes()).hexdigest()
    other = small()
    other.records[2]["sun"] = 1
    assert other.digest != small().digest


def test_any_text_can_be_stored() -> None:
    trace = Trace()
    trace.add("reply", AT, text="\ud800 ü \u2028 \x1b[31m")
    assert trace.bytes().isascii()
    assert json.loads(trace.text())["text"] == "\ud800 ü \u2028 \x1b[31m"


@pytest.mark.parametrize("value", [float("nan"), object()])
def test_what_is_not_json_can_not_be_stored(value: object) -> None:
    trace = Trace()
    trace.add("reply", AT, text=value)
    with pytest.raises(NotJson):
        trace.bytes()


def test_the_repr_is_short() -> None:
    assert repr(small()) == "Trace(scenario='refund', trial=2, records=4)"
