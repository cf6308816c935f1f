"""Every way an episode can end has its own reason, and what was done until then stands."""

from __future__ import annotations

import decimal
from typing import Any

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import EpisodeStopped, Infrastructure, Session, Task, ToolError, declare
from company_lab.formats.errors import WrongUse
from depot import results, run, settled


def detail(trace: Any) -> str:
    return str(next(trace.by_kind("stopped"))["detail"])


def ships_first(task: Task, session: Session) -> None:
    if task.turn == 1:
        session.call("depot.ship", id="P-1")


def calls_on(task: Task, session: Session) -> str:
    ships_first(task, session)
    for number in range(1000):
        session.call("depot.label", size="s", anything=number)
    return "done"


def repeats(task: Task, session: Session) -> str:
    ships_first(task, session)
    for _ in range(1000):
        session.call("depot.find", status="waiting")
    return "done"


def repeats_unknown(task: Task, session: Session) -> str:
    ships_first(task, session)
    for _ in range(1000):
        with pytest.raises(ToolError):
            session.call("depot.lookup_person", q="Voss")
    return "done"


def sleeps(task: Task, session: Session) -> str:
    ships_first(task, session)
    for _ in range(1000):
        session.call("clock.wait", duration="30m")
    return "done"


def spends_tokens(task: Task, session: Session) -> str:
    ships_first(task, session)
    for _ in range(1000):
        session.usage(input_tokens=60, output_tokens=60, cost_usd="0.03")
    return "done"


def writes_much(task: Task, session: Session) -> str:
    ships_first(task, session)
    for _ in range(1000):
        session.call("depot.note", id="P-1", text="x" * 5000)
    return "done"


def replies_much(task: Task, session: Session) -> str:
    ships_first(task, session)
    return "ü" * 50_000_000


def remembers_much(task: Task, session: Session) -> str:
    ships_first(task, session)
    session.memory = ["x" * 1_000_000] * 50
    return "done"


def chooses_much(task: Task, session: Session) -> str:
    ships_first(task, session)
    session.choice("which?", "x" * 50_000_000)
    return "done"


def fails(task: Task, session: Session) -> str:
    ships_first(task, session)
    raise ValueError("no idea")


def answers_with_a_number(task: Task, session: Session) -> Any:
    ships_first(task, session)
    return 42


def loses_its_model(task: Task, session: Session) -> str:
    ships_first(task, session)
    raise Infrastructure("the host answers 503")


def talks(task: Task, session: Session) -> str:
    ships_first(task, session)
    return "Which parcel do you mean?"


def ends(task: Task, session: Session) -> str:
    ships_first(task, session)
    return "done"


WAKING = [
    {"at": f"+{n}m", "id": f"e{n}", "type": "memo.written", "data": {"text": "x"}, "wakes": True}
    for n in range(1, 9)
]
ENDINGS: dict[str, tuple[Any, dict[str, Any]]] = {
    "finished": (ends, {}),
    "turn_limit": (talks, {"limits": {"turns": 3}, "events": WAKING}),
    "call_limit": (calls_on, {"limits": {"calls": 12}}),
    "token_limit": (spends_tokens, {"limits": {"tokens": 1000}}),
    "cost_limit": (spends_tokens, {"limits": {"cost_usd": "0.10"}}),
    "simulated_limit": (sleeps, {"limits": {"simulated": "2h"}}),
    "output_limit": (writes_much, {"limits": {"output": 20_000}}),
    "repeated_action": (repeats, {"limits": {"repeats": 3}}),
    "agent_error": (fails, {}),
    "infrastructure_error": (loses_its_model, {}),
}


@pytest.mark.parametrize("reason", ENDINGS)
@pytest.mark.fault("D07")
def test_each_ending_has_its_reason_and_what_was_done_stands(reason: str) -> None:
    agent, keys = ENDINGS[reason]
    trace = run(agent, **keys)
    assert trace.stop == reason
    assert results(trace)[0] == ("executed", "")
    assert len(settled(trace)["ledgers"]["carrier"]) == 1
    assert settled(trace)["changes"][0]["fields"]["status"] == ["waiting", "sent"]
    assert len([record for record in trace.records if record["kind"] in ("stopped", "settled")]) == 2
    assert (detail(trace) == "") is (reason == "finished")


@pytest.mark.parametrize("agent", [replies_much, remembers_much, chooses_much])
@pytest.mark.fault("E12")
def test_fifty_megabytes_end_the_episode_and_are_not_stored(agent: Any) -> None:
    trace = run(agent)
    assert trace.stop == "output_limit"
    assert len(trace.bytes()) < 7_000_000
    assert len(settled(trace)["ledgers"]["carrier"]) == 1


def test_a_reply_that_was_cut_says_how_long_it_was() -> None:
    (reply,) = run(replies_much, limits={"output": 1000}).by_kind("reply")
    assert reply["bytes"] == 100_000_000
    assert set(reply["text"]) == {"ü"}
    assert 0 < len(reply["text"]) <= 1000


def test_a_reply_within_the_limit_is_whole() -> None:
    (reply,) = run(lambda task, session: "ü" * 500, limits={"output": 1000}).by_kind("reply")
    assert (reply["text"], "bytes" in reply) == ("ü" * 500, False)
    assert run(lambda task, session: "ü" * 501, limits={"output": 1000}).stop == "output_limit"


def test_the_limit_of_calls_is_a_number_of_calls_that_were_made() -> None:
    trace = run(calls_on, limits={"calls": 12})
    assert settled(trace)["calls"] == len(list(trace.by_kind("action"))) == len(results(trace)) == 12


@pytest.mark.parametrize("agent", [repeats, repeats_unknown])
@pytest.mark.fault("D06")
def test_identical_calls_are_counted_whatever_comes_of_them(agent: Any) -> None:
    trace = run(agent, limits={"repeats": 3})
    assert (trace.stop, settled(trace)["calls"]) == ("repeated_action", 1 + 3)
    assert "3 times with the same arguments" in detail(trace)


@pytest.mark.parametrize(
    ("spellings", "stopped"),
    [
        ([{"size": "s", "copies": 1}, {"copies": 1, "size": "s"}, '{"copies": 1.0, "size": "s"}'], True),
        ([{"size": "s", "copies": 1}, {"size": "s", "copies": 2}, {"size": "s"}], False),
        ([{"size": "s", "anything": 1}, {"size": "s", "anything": True}], False),
        ([{"size": "s", "anything": 1}, {"size": "s", "anything": "1"}], False),
        ([{"size": "s", "anything": [1]}, {"size": "s", "anything": [True]}], False),
        ([{"size": "s", "anything": [1, {"a": 2.0}]}, {"size": "s", "anything": (1, {"a": 2})}], True),
    ],
)
def test_the_same_arguments_in_another_spelling_are_the_same_call(
    spellings: list[Any], stopped: bool
) -> None:
    def agent(task: Task, session: Session) -> str:
        for args in spellings:
            session.attempt("depot.label", args)
        return "done"

    assert run(agent, limits={"repeats": len(spellings) - 1}).stop == (
        "repeated_action" if stopped else "finished"
    )


def test_waiting_may_be_repeated() -> None:
    def agent(task: Task, session: Session) -> str:
        for _ in range(20):
            session.call("clock.wait", duration="1s")
        return "done"

    assert run(agent, limits={"repeats": 3}).stop == "finished"


def test_the_limit_of_tokens_and_cost_is_what_may_be_used() -> None:
    def agent(task: Task, session: Session) -> str:
        session.usage(input_tokens=500, output_tokens=500, cost_usd="0.10")
        return "done"

    assert run(agent, limits={"tokens": 1000, "cost_usd": "0.10"}).stop == "finished"
    assert run(agent, limits={"tokens": 999}).stop == "token_limit"
    assert run(agent, limits={"cost_usd": "0.09"}).stop == "cost_limit"


def test_cost_adds_up_exactly_and_one_unknown_part_makes_it_unknown() -> None:
    def priced(*costs: str | None) -> Any:
        def agent(task: Task, session: Session) -> str:
            for cost in costs:
                session.usage(input_tokens=1, cost_usd=cost, model="m")
            return "done"

        return agent

    assert settled(run(priced("0.1", "0.2")))["cost_usd"] == "0.3"
    assert settled(run(priced("0.1", None)))["cost_usd"] is None
    assert settled(run(priced(None, "0.1")))["cost_usd"] is None
    assert [record["cost_usd"] for record in run(priced("0.10", None)).by_kind("usage")] == ["0.10", None]


def test_tokens_of_a_model_that_is_free_do_not_make_the_cost_unknown() -> None:
    @declare(kind="test_model")
    def agent(task: Task, session: Session) -> str:
        session.usage(input_tokens=5, output_tokens=5)
        return "done"

    assert settled(run(function_agent(agent)))["cost_usd"] == "0"


@pytest.mark.parametrize(
    "usage",
    [
        {"cost_usd": "NaN"},
        {"cost_usd": "Infinity"},
        {"cost_usd": "-0.01"},
        {"cost_usd": "a lot"},
        {"cost_usd": 0.05},
        {"cost_usd": float("nan")},
        {"input_tokens": -1},
        {"input_tokens": 1.5},
        {"output_tokens": True},
        {"output_tokens": "7"},
        {"model": object()},
    ],
)
def test_usage_that_makes_no_sense_is_refused_and_not_recorded(usage: dict[str, Any]) -> None:
    def agent(task: Task, session: Session) -> str:
        with pytest.raises(WrongUse):
            session.usage(**usage)
        return "done"

    trace = run(agent, limits={"cost_usd": "0.01", "tokens": 1})
    assert (trace.stop, list(trace.by_kind("usage"))) == ("finished", [])
    trace.bytes()


@pytest.mark.parametrize(
    "reason", ["call_limit", "repeated_action", "simulated_limit", "output_limit", "token_limit"]
)
def test_an_agent_that_swallows_the_end_and_goes_on_changes_nothing_more(reason: str) -> None:
    agent, keys = ENDINGS[reason]
    after: list[str] = []

    def stubborn(task: Task, session: Session) -> str:
        try:
            return str(agent(task, session))
        except EpisodeStopped:
            pass
        for attempt in (
            lambda: session.call("depot.remove", id="P-1"),
            lambda: session.call("depot.remove", id="P-2"),
            lambda: session.observe(),
            lambda: session.usage(input_tokens=1),
            lambda: session.choice(1, 2),
            lambda: setattr(session, "memory", 1),
        ):
            try:
                attempt()
            except EpisodeStopped as stopped:
                after.append(stopped.reason)
        return "Everything is fine."

    trace = run(stubborn, **keys)
    assert (trace.stop, after) == (reason, [reason] * 6)
    assert run(agent, **keys).bytes() == trace.bytes()
    assert list(trace.by_kind("reply")) == []


@pytest.mark.parametrize("reason", ["finished", "infrastructure_error", "cancelled", "nonsense"])
def test_an_agent_can_not_declare_the_episode_over(reason: str) -> None:
    def agent(task: Task, session: Session) -> str:
        raise EpisodeStopped(reason)

    assert run(agent).stop == "agent_error"


def test_a_contract_request_that_takes_too_long_stops_too() -> None:
    trace = run(None, stimulus={"agent_request": "ship_p1"}, limits={"simulated": "0s"})
    assert trace.stop == "simulated_limit"
    assert results(trace) == [("executed", "")]


def test_the_reason_an_agent_did_not_come_to_an_end_reaches_the_trace_harmless() -> None:
    def agent(task: Task, session: Session) -> str:
        raise ValueError("\x1b[2K\x1b[1G PASS \u202e" + "x" * 10_000)

    told = detail(run(agent))
    assert told.startswith("ValueError: \\x1b[2K\\x1b[1G PASS \\u202e")
    assert len(told) < 2200


def test_an_answer_that_is_no_text_is_the_agents_error() -> None:
    for answer in (42, {"reply": "done"}, b"done", ["done"], object(), iter("done")):
        trace = run(lambda task, session, given=answer: given)
        assert trace.stop == "agent_error"
        assert f"the reply is a {type(answer).__name__}, not text" in detail(trace)
    assert run(answers_with_a_number).stop == "agent_error"


def test_the_precision_an_agent_sets_for_itself_does_not_round_its_cost() -> None:
    def agent(task: Task, session: Session) -> str:
        decimal.getcontext().prec = 1
        for _ in range(3):
            session.usage(cost_usd="0.1234567")
        return "done"

    assert settled(run(agent))["cost_usd"] == "0.3703701"


@pytest.mark.parametrize(
    "usage", [{"input_tokens": 10**5000}, {"cost_usd": "1e999999"}, {"cost_usd": "1e-999999"}]
)
def test_usage_beyond_all_measure_is_refused(usage: dict[str, Any]) -> None:
    def agent(task: Task, session: Session) -> str:
        with pytest.raises(WrongUse) as refused:
            session.usage(**usage)
        return str(refused.value)

    (reply,) = run(agent).by_kind("reply")
    assert len(reply["text"]) < 200


@pytest.mark.parametrize(
    "attempt",
    [
        lambda session: session.call("x" * 50_000_000),
        lambda session: session.attempt("depot.get", {"id": "P-1"}, hint="x" * 50_000_000),
        lambda session: session.attempt("depot.get", {"id": "x" * 50_000_000}),
        lambda session: session.attempt("depot.get", "x" * 50_000_000),
        lambda session: session.attempt("depot.get", {"x" * 50_000_000: 1}),
    ],
)
def test_a_call_of_fifty_megabytes_is_not_carried_out(attempt: Any) -> None:
    trace = run(lambda task, session: attempt(session))
    assert (trace.stop, list(trace.by_kind("action"))) == ("output_limit", [])


@pytest.mark.parametrize(("at", "reason"), [("+30d", "finished"), ("+31d", "simulated_limit")])
def test_an_agent_is_not_woken_beyond_the_simulated_time_it_has(at: str, reason: str) -> None:
    event = {"at": at, "id": "e1", "type": "memo.written", "data": {"text": "x"}, "wakes": True}
    trace = run(ends, events=[event])
    assert trace.stop == reason
    assert len(list(trace.by_kind("turn"))) == (2 if reason == "finished" else 1)
