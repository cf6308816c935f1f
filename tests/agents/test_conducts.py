"""Conducts play what the scenario says, and do not end at a refusal."""

from __future__ import annotations

from typing import Any

import pytest

from company_lab.agents.conducts import reference, references, wrong
from company_lab.agents.protocol import Agent
from company_lab.formats.errors import WrongUse
from depot import results, run, scenario, settled

REFERENCE = [
    {
        "do": [
            {"tool": "depot.get", "args": {"id": "P-1"}},
            {"tool": "depot.ship", "args": {"id": "P-3"}},
            {"tool": "depot.gett", "args": {}, "malformed": True},
            {"tool": "depot.ship", "args": {"id": "P-1"}},
        ],
        "reply": "Which parcel do you mean?",
    },
    {"do": [{"tool": "depot.note", "args": {"id": "P-1", "text": "sent"}}], "reply": "Done."},
]
WRONG = [{"id": "silent", "codes": ["missing_reply"], "turns": [{"do": []}]}]
TALK = {"message": "Ship it.", "then": [{"when": {"asks": "which_parcel"}, "message": "P-1"}]}


def conducting(agent: Agent, **keys: Any) -> Any:
    return run(agent, reference=REFERENCE, wrong=WRONG, **keys)


def test_a_reference_goes_through_its_turns_and_past_refusals() -> None:
    made = scenario(reference=REFERENCE)
    for agent in (reference(made), references()):
        trace = conducting(agent, stimulus=TALK)
        assert results(trace) == [
            ("executed", ""),
            ("refused", "refused"),
            ("malformed", "unknown_tool"),
            ("executed", ""),
            ("executed", ""),
        ]
        assert [record["text"] for record in trace.by_kind("reply")] == ["Which parcel do you mean?", "Done."]
        assert trace.header["agent"] == {"name": "reference", "kind": "conduct", "settings": {}}
        assert (trace.header["evidence"], trace.header["layer"]) == ("deterministic simulation", "runtime")
        assert settled(trace)["cost_usd"] == "0"


def test_a_wrong_conduct_is_found_by_its_id() -> None:
    made = scenario(reference=REFERENCE, wrong=WRONG)
    trace = conducting(wrong(made, "silent"))
    assert [record["text"] for record in trace.by_kind("reply")] == [""]
    assert trace.header["agent"]["name"] == "wrong:silent"


def test_a_conduct_says_nothing_in_turns_it_does_not_know() -> None:
    events = [
        {"at": f"+{n}m", "id": f"e{n}", "type": "memo.written", "data": {"text": "x"}, "wakes": True}
        for n in (1, 2, 3)
    ]
    trace = conducting(reference(scenario(reference=REFERENCE)), events=events)
    assert [record["text"] for record in trace.by_kind("reply")] == [
        "Which parcel do you mean?",
        "Done.",
        "",
        "",
    ]


def test_a_conduct_that_is_not_there_is_told_as_such() -> None:
    with pytest.raises(WrongUse, match="no wrong conduct silence; did you mean silent"):
        wrong(scenario(wrong=WRONG), "silence")
    with pytest.raises(WrongUse, match="parcel_for_ida has no reference"):
        reference(scenario())
    with pytest.raises(WrongUse, match="has no reference"):
        run(references())


def test_a_conduct_stops_at_a_limit_like_any_agent() -> None:
    trace = conducting(references(), limits={"calls": 2})
    assert (trace.stop, len(results(trace))) == ("call_limit", 2)
