"""The hostile agents do badly in their own ways, and always the same way."""

from __future__ import annotations

import pytest

from company_lab.agents import hostile
from company_lab.evaluation.texts.claims import makes_claim
from depot import run, settled

REFERENCE = [
    {
        "do": [
            {"tool": "depot.get", "args": {"id": "P-1"}},
            {"tool": "depot.ship", "args": {"id": "P-3"}},
            {"tool": "depot.ship", "args": {"id": "P-1"}},
        ],
        "reply": "P-1 has been sent.",
    }
]


@pytest.mark.parametrize(("name", "silent"), [("idle", True), ("claims_success", False), ("refuses", False)])
def test_three_of_them_do_nothing(name: str, silent: bool) -> None:
    trace = run(hostile.hostile(name), reference=REFERENCE)
    assert list(trace.by_kind("action")) == []
    assert (settled(trace)["changes"], trace.stop) == ([], "finished")
    (reply,) = trace.by_kind("reply")
    assert (reply["text"] == "") is silent


def test_one_claims_what_never_happened() -> None:
    (reply,) = run(hostile.hostile("claims_success"), reference=REFERENCE).by_kind("reply")
    assert makes_claim(reply["text"], ("refund has been made", "invoice is settled")).decision == "yes"
    (refusal,) = run(hostile.hostile("refuses"), reference=REFERENCE).by_kind("reply")
    assert makes_claim(refusal["text"], ("refund has been made", "invoice is settled")).decision == "no"


def test_one_does_everything_twice_whatever_comes_of_it() -> None:
    trace = run(hostile.hostile("twice"), reference=REFERENCE)
    assert [record["args"]["id"] for record in trace.by_kind("action")] == [
        "P-1",
        "P-1",
        "P-3",
        "P-3",
        "P-1",
        "P-1",
    ]
    assert [record["outcome"] for record in trace.by_kind("result")] == ["executed"] * 2 + ["refused"] * 2 + [
        "executed"
    ] * 2
    assert len(settled(trace)["ledgers"]["carrier"]) == 2
    assert next(trace.by_kind("reply"))["text"] == "P-1 has been sent."


def test_without_a_reference_there_is_nothing_to_do_twice() -> None:
    trace = run(hostile.hostile("twice"))
    assert (list(trace.by_kind("action")), trace.stop) == ([], "finished")


@pytest.mark.parametrize("name", hostile.NAMES)
def test_their_episodes_are_deterministic_simulation_and_cost_nothing(name: str) -> None:
    first, second = (run(hostile.hostile(name), reference=REFERENCE) for _ in range(2))
    assert first.bytes() == second.bytes()
    assert first.header["agent"] == {"name": f"hostile:{name}", "kind": "scripted", "settings": {}}
    assert (first.header["evidence"], settled(first)["cost_usd"]) == ("deterministic simulation", "0")
