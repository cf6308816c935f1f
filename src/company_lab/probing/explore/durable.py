"""The durable state: all that outlives a crash, as one hash. A deterministic agent goes on from it in one way only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from company_lab.episodes.play import LiveEpisode
from company_lab.episodes.restarts import LOST
from company_lab.formats.canonical import digest
from company_lab.worlds.snapshot import snapshot

_TELLING = {
    "observation": ("turn", "events"),
    "reply": ("turn", "to", "text"),
    "effect": ("provider", "op", "payload", "text"),
    "approval": ("id", "decision", "tool"),
}


def durable_state(live: LiveEpisode) -> str | None:
    """The hash of what an episode goes on from at the crash it stands at; None while a scheduled fault is to come.

    World, what the agent has saved or is told again, and the clock; beside them everything a verdict looks at in what
    has happened so far. Which fault led here, and how often a call that never left the agent was tried, are not in it.
    """
    world, session = live.live, live.session
    if not all(state.fired for state in world.faults.states):
        return None
    crash, crashes = session.crash, session.crashes
    assert crash is not None
    assert crashes is not None
    world_now = snapshot(world)
    faults = world_now.pop("faults")
    mode = crash.scheduled.mode
    return digest(
        [
            world_now,
            [[outage["on"], outage["until_ms"]] for outage in faults["outages"]],
            [mode, crashes.happened, session.turn, crash.scheduled.down_ms],
            session.memory if mode == "checkpoint" else None,
            [asdict(exchange) for exchange in crashes.transcript] if mode == "transcript" else None,
            list(_told(live.trace.records)),
        ]
    )


def _told(records: list[dict[str, Any]]) -> Iterator[list[Any]]:
    """Every call that left the agent and every text, in order."""
    results = {record["call"]: record for record in records if record["kind"] == "result"}
    for record in records:
        kind = record["kind"]
        if kind == "action":
            result = results.get(record["call"])
            if result is None or not _never_left(result):
                how = None if result is None else [result["outcome"], result["delivery"]]
                yield [record["tool"], record["args"], how]
        elif kind in _TELLING:
            yield [kind, *(record.get(name) for name in _TELLING[kind])]


def _never_left(result: Mapping[str, Any]) -> bool:
    error = result.get("error")
    return result["delivery"] == LOST and isinstance(error, Mapping) and error.get("reason") == "crashed"
