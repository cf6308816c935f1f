"""Providers keep a ledger of what they really did, remember idempotency keys, and give business answers."""

from __future__ import annotations

from typing import Any, TypedDict

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Session, Task, ToolError
from company_lab.episodes import play
from company_lab.formats.errors import WrongUse
from company_lab.worlds import Context, Department, Json, Provider, World
from company_lab.worlds.providers import Declined, KeyReused, LiveProvider
from depot import run, scenario, settled


class Charge(TypedDict):
    amount_minor: int


BANK = Provider(
    name="bank",
    operations={"charge": Charge, "refund": Charge},
    answers=("declined", "pending"),
    key_retention_ms=1000,
)


def perform(bank: LiveProvider, op: str, amount: int, *, key: str | None, at: int = 0) -> tuple[bool, str]:
    done = bank.perform(op, {"amount_minor": amount}, key=key, call="c1", now_ms=at)
    return done.replayed, done.status


def test_every_effect_stands_in_the_ledger() -> None:
    bank = LiveProvider(BANK)
    perform(bank, "charge", 5, key=None)
    perform(bank, "charge", 5, key=None)
    assert [entry["payload"] for entry in bank.ledger] == [{"amount_minor": 5}, {"amount_minor": 5}]
    assert bank.ledger[0] == {
        "op": "charge",
        "key": None,
        "call": "c1",
        "payload": {"amount_minor": 5},
        "status": "done",
    }


def test_the_same_key_with_the_same_parameters_is_done_once() -> None:
    bank = LiveProvider(BANK)
    assert [perform(bank, "charge", 5, key="k") for _ in range(3)] == [
        (False, "done"),
        (True, "done"),
        (True, "done"),
    ]
    assert len(bank.ledger) == 1


@pytest.mark.parametrize(("op", "amount"), [("charge", 6), ("refund", 5)])
def test_the_same_key_with_other_parameters_is_refused(op: str, amount: int) -> None:
    bank = LiveProvider(BANK)
    perform(bank, "charge", 5, key="k")
    with pytest.raises(KeyReused):
        perform(bank, op, amount, key="k")
    assert len(bank.ledger) == 1


def test_two_spellings_of_the_same_parameters_are_the_same() -> None:
    bank = LiveProvider(BANK)
    bank.perform("charge", {"a": 1, "b": 2}, key="k", call=None, now_ms=0)
    assert bank.perform("charge", {"b": 2, "a": 1}, key="k", call=None, now_ms=0).replayed


@pytest.mark.parametrize(("at", "replayed"), [(999, True), (1000, False), (1001, False)])
def test_a_key_is_forgotten_after_its_time(at: int, replayed: bool) -> None:
    bank = LiveProvider(BANK)
    perform(bank, "charge", 5, key="k")
    assert perform(bank, "charge", 5, key="k", at=at) == (replayed, "done")


def test_a_replay_does_not_prolong_the_life_of_a_key() -> None:
    bank = LiveProvider(BANK)
    assert [perform(bank, "charge", 5, key="k", at=at)[0] for at in (0, 900, 1500)] == [False, True, False]


def test_business_answers_come_in_order_and_the_last_repeats() -> None:
    bank = LiveProvider(
        BANK, {"charge": [{"answer": "declined", "reason": "no_funds"}, {"answer": "pending"}]}
    )
    with pytest.raises(Declined, match="no_funds"):
        perform(bank, "charge", 5, key="k")
    assert [perform(bank, "charge", 5, key=key) for key in ("k", "k", "l", None)] == [
        (False, "pending"),
        (True, "pending"),
        (False, "pending"),
        (False, "pending"),
    ]
    assert len(bank.ledger) == 3
    assert perform(bank, "refund", 5, key=None) == (False, "done")


def test_a_provider_is_permissive_where_the_scenario_says_so() -> None:
    bank = LiveProvider(BANK, {"charge": [{"answer": "permissive"}]})
    assert (bank.permissive("charge"), bank.permissive("refund")) == (True, False)


def test_an_operation_nobody_declared_is_a_mistake_of_the_department() -> None:
    with pytest.raises(WrongUse, match="bank has no operation chrage; did you mean charge"):
        perform(LiveProvider(BANK), "chrage", 5, key=None)


def shipping(*keys: str | None, wait: str | None = None, other: bool = False) -> Any:
    def agent(task: Task, session: Session) -> str:
        for position, key in enumerate(keys):
            if position and wait:
                session.call("clock.wait", duration=wait)
            try:
                session.call("depot.ship", id="P-4" if other and position else "P-1", key=key)
            except ToolError as error:
                return f"{error.code} {error.reason}"
        return "done"

    return agent


def reply(trace: Any) -> str:
    return str(next(trace.by_kind("reply"))["text"])


@pytest.mark.parametrize(("wait", "effects"), [(None, 1), ("23h", 1), ("24h", 2)])
def test_a_key_protects_for_a_day(wait: str | None, effects: int) -> None:
    trace = run(shipping("k", "k", wait=wait))
    assert len(settled(trace)["ledgers"]["carrier"]) == effects
    assert [record["key"] for record in trace.by_kind("effect")] == ["k", "k"]


def test_an_agent_that_reuses_a_key_is_told() -> None:
    parcels = {
        "P-1": {"receiver": "a", "weight": 1, "status": "waiting"},
        "P-4": {"receiver": "b", "weight": 2, "status": "waiting"},
    }
    trace = run(shipping("k", "k", other=True), initial={"tables": {"parcels": parcels}})
    assert reply(trace) == "failed key_reused"
    assert len(settled(trace)["ledgers"]["carrier"]) == 1


def test_a_declined_operation_fails_with_its_reason_and_leaves_no_effect() -> None:
    trace = run(shipping(None), providers={"carrier": {"ship": [{"answer": "declined", "reason": "strike"}]}})
    assert reply(trace) == "failed strike"
    assert (settled(trace)["ledgers"], list(trace.by_kind("effect"))) == ({}, [])


def test_a_pending_operation_is_an_effect_that_says_so() -> None:
    trace = run(shipping(None), providers={"carrier": {"ship": [{"answer": "pending"}]}})
    assert [record["status"] for record in trace.by_kind("effect")] == ["pending"]
    assert settled(trace)["ledgers"]["carrier"][0]["status"] == "pending"


def test_effects_are_booked_on_the_call_that_made_them() -> None:
    trace = run(shipping(None, None))
    assert [entry["call"] for entry in settled(trace)["ledgers"]["carrier"]] == ["c1", "c2"]
    order = [
        (record["kind"], record["call"])
        for record in trace.records
        if record["kind"] in ("action", "effect", "result")
    ]
    assert order == [(kind, call) for call in ("c1", "c2") for kind in ("action", "effect", "result")]


def test_ledgers_do_not_outlive_their_episode() -> None:
    here = World("post", [post])
    fixture = here.prepare(scenario(initial={"tables": {}}))
    for _ in range(3):
        trace = play(fixture, function_agent(lambda task, session: str(session.call("post.send")))).trace
        assert reply(trace) == "1"


post = Department("post", providers=[Provider(name="post", operations={"send": Charge})])


@post.tool(writes=True)
def send(context: Context) -> Json:
    """Send, and say how many were sent."""
    context.perform("post", "send", {"amount_minor": 1}, key="k")
    return len(context.ledger("post", "send"))
