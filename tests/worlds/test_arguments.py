"""Arguments are bound strictly; whatever does not fit is a malformed attempt, recorded and not executed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.agents.protocol import Session, Task, ToolError
from company_lab.formats.canonical import MAX_DEPTH
from company_lab.worlds.arguments import argument_check
from depot import results, run, settled, world


def attempt(tool: str, args: object) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """The answer or error code of one attempt, its action record and its result record."""
    answers: list[Any] = []

    def agent(task: Task, session: Session) -> str:
        try:
            answers.append(session.attempt(tool, args))
        except ToolError as error:
            answers.append((error.code, error.reason, str(error)))
        return "done"

    trace = run(agent)
    assert trace.stop == "finished"
    trace.bytes()
    (action,) = trace.by_kind("action")
    (result,) = trace.by_kind("result")
    return answers[0], action, result


@pytest.mark.parametrize(
    "args",
    [
        {"size": "s"},
        {
            "size": "m",
            "copies": 5,
            "value": 2**62,
            "currency": "KWD",
            "ratio": 2,
            "fragile": True,
            "code": "XY",
        },
        {"size": "s", "copies": 2.0, "value": -5, "ratio": 0.25},
        {"size": "s", "lines": [{"sku": "lamp", "count": 1}, {"sku": "desk", "count": 2, "note": None}]},
        {"size": "s", "lines": ({"sku": "lamp", "count": 1},), "counts": {"a": 1}},
        {"size": "s", "lines": None, "counts": None, "due": None, "anything": None},
        {"size": "s", "due": "2026-03-05T08:00:00+01:00", "anything": {"deep": [1, {"er": None}]}},
        {"size": "s", "anything": "\ud800"},
        '{"size": "s", "copies": 2}',
        '  {"size": "s", "copies": 2.0}\n',
    ],
)
def test_what_fits_is_executed(args: object) -> None:
    answer, action, result = attempt("depot.label", args)
    assert result["outcome"] == "executed"
    assert result["error"] is None
    assert answer == result["value"]
    assert type(answer["copies"]) is int
    assert isinstance(action["args"], dict)
    assert action.get("supplied") == (args if isinstance(args, str) else None)


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Unreadable(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("no")

    def __iter__(self) -> Iterator[str]:
        raise KeyError("no")

    def __len__(self) -> int:
        return 1


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ({}, "expected the key size"),
        ({"size": "l"}, "size: found 'l', expected one of s, m"),
        ({"size": None}, "size: found null"),
        ({"size": "s", "copies": True}, "copies: found true, expected a whole number"),
        ({"size": "s", "copies": "2"}, "copies: found '2'"),
        ({"size": "s", "copies": 2.5}, "copies: found 2.5"),
        ({"size": "s", "copies": 6}, "of at least 1 of at most 5"),
        ({"size": "s", "copies": None}, "copies: found null"),
        ({"size": "s", "value": "41.00"}, "an amount in whole minor units"),
        ({"size": "s", "value": 1e300}, "an amount in whole minor units"),
        ({"size": "s", "currency": "eur"}, "an ISO 4217 currency code"),
        ({"size": "s", "ratio": True}, "ratio: found true, expected a number"),
        ({"size": "s", "fragile": 1}, "fragile: found 1, expected true or false"),
        ({"size": "s", "code": "abc"}, "code: found 'abc', expected text like [A-Z]{2}"),
        ({"size": "s", "due": "tomorrow"}, "due: found 'tomorrow', expected a moment"),
        ({"size": "s", "lines": [{"sku": "lamp"}]}, "lines.0: found nothing, expected the key count"),
        ({"size": "s", "lines": [{"sku": "lamp", "count": True}]}, "lines.0.count: found true"),
        (
            {"size": "s", "lines": [{"sku": "lamp", "count": 1, "colour": "red"}]},
            "lines.0.colour: found the key colour",
        ),
        ({"size": "s", "counts": {"a": "b"}}, "counts.a: found 'b'"),
        ({"size": "s", "copys": 2}, "did you mean copies?"),
        ({"size": "s", "tenant": "other"}, "tenant: found the key tenant"),
        ([], "the arguments: found []"),
        (None, "the arguments: found null"),
        ("null", "the arguments: found null"),
        ("[1]", "the arguments: found [1]"),
    ],
)
def test_what_does_not_fit_is_malformed_and_says_why(args: object, told: str) -> None:
    answer, action, result = attempt("depot.label", args)
    assert answer[0] == "bad_arguments"
    assert told in answer[2]
    assert (result["outcome"], result["error"]["code"]) == ("malformed", "bad_arguments")
    assert result["changes"] == []
    assert action["tool"] == "depot.label"


@pytest.mark.parametrize(
    ("args", "supplied"),
    [
        ({"size": float("nan")}, "{'size': nan}"),
        ({"size": "s", "ratio": float("inf")}, "{'size': 's', 'ratio': inf}"),
        ({"size": "s", "value": 10**40}, None),
        ({"size": "s", "anything": nested(MAX_DEPTH + 5)}, None),
        ({1: "s"}, "{1: 's'}"),
        ({"size": b"s"}, "{'size': b's'}"),
        ({"size": Unshowable()}, "<dict that can not be shown: RuntimeError>"),
        (Unshowable(), "<Unshowable that can not be shown: RuntimeError>"),
        ({Unshowable(): 1}, None),
        (Unreadable(), None),
        ('{"size":"s","copies":"', '{"size":"s","copies":"'),
        ("{'size':'s'}", "{'size':'s'}"),
        ('{"size":"s"} thanks', '{"size":"s"} thanks'),
        ("", ""),
        ('{"size":"s","size":"m"}', '{"size":"s","size":"m"}'),
        ('{"ratio": NaN}', '{"ratio": NaN}'),
        ('{"value": 99999999999999999999999}', '{"value": 99999999999999999999999}'),
        ("[" * 100 + "]" * 100, "[" * 100 + "]" * 100),
        ("[" * 10_000, "[" * 10_000),
    ],
)
def test_what_is_not_json_is_malformed_with_its_raw_form_kept(args: object, supplied: str | None) -> None:
    answer, action, result = attempt("depot.label", args)
    assert answer[:2] == ("bad_arguments", "not_json")
    assert result["outcome"] == "malformed"
    assert action["args"] is None
    assert isinstance(action["supplied"], str)
    if supplied is not None:
        assert action["supplied"] == supplied


class Hostile(str):
    __slots__ = ()

    def __hash__(self) -> int:
        raise RuntimeError("no")

    def __repr__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("tool", "recorded"),
    [
        ("depot.lable", "depot.lable"),
        ("", ""),
        ("depot", "depot"),
        ("payments.reverse_all", "payments.reverse_all"),
        ("\ud800", "\ud800"),
        (None, "None"),
        (7, "7"),
        (Unshowable(), "<Unshowable that can not be shown: RuntimeError>"),
        (Hostile("depot.lable"), "depot.lable"),
        (["depot.label"], "['depot.label']"),
    ],
)
def test_an_unknown_tool_is_an_attempt_like_any_other(tool: Any, recorded: str) -> None:
    answer, action, result = attempt(tool, {"size": "s"})
    assert answer[0] == "unknown_tool"
    assert (result["outcome"], result["error"]["code"]) == ("malformed", "unknown_tool")
    assert action["tool"] == recorded
    assert type(action["tool"]) is str


def test_an_unknown_tool_names_the_nearest() -> None:
    answer, _, _ = attempt("depot.lable", {})
    assert "did you mean depot.label?" in answer[2]


def test_a_hostile_name_of_a_tool_that_exists_is_that_tool() -> None:
    _, action, result = attempt(Hostile("depot.label"), {"size": "s"})
    assert result["outcome"] == "executed"
    assert type(action["tool"]) is str


def test_malformed_calls_are_counted_and_change_nothing() -> None:
    def agent(task: Task, session: Session) -> str:
        for args in ('{"id":"P-1","key":"4', "{'id':'P-1'}", '{"id":"P-1"} thanks', "", {"id": float("nan")}):
            with pytest.raises(ToolError):
                session.attempt("depot.ship", args)
        return "done"

    trace = run(agent)
    assert results(trace) == [("malformed", "bad_arguments")] * 5
    assert list(trace.by_kind("guard")) == []
    assert (settled(trace)["calls"], settled(trace)["changes"], settled(trace)["ledgers"]) == (5, [], {})


label = world.tools["depot.label"].signature
words = st.sampled_from(["size", "copies", "fragile", "ratio", "code", "lines", "colour"])
given_: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    words,
    st.sampled_from([None, True, 1, 2.0, 2.5, 9, "s", "AB", [], {}, [{"sku": "a", "count": 1}]]),
    max_size=4,
)


@given(given_)
def test_the_quick_check_and_the_shapes_agree(args: dict[str, Any]) -> None:
    required = [name for name, parameter in label.parameters.items() if parameter.required]
    fits = all(name in args for name in required) and all(
        name in label.parameters and not list(label.parameters[name].shape.mismatches(value))
        for name, value in args.items()
    )
    assert (argument_check(label)(args) is None) is fits
