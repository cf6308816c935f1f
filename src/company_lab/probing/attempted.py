"""Attempted: which call of an episode was which step of the conduct that was played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from company_lab.scenarios.conduct import ConductTurn, Step
from company_lab.traces.record import Record, Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempted:
    """A step of a conduct, and the call that was made for it."""

    turn: int
    """Which turn it belongs to, from 0."""
    place: int
    """Its place in the turn, from 0."""
    step: Step
    action: Record
    result: Record
    """Empty where the trace ends before there was one."""


def attempted(turns: Sequence[ConductTurn], trace: Trace) -> Iterator[Attempted]:
    """The steps of a conduct that an episode of it got to, in order.

    After a crash a conduct does some of its steps again. Such a step stands with the first call of it that was carried
    out, or else with the last one that was made.
    """
    results = {record["call"]: record for record in trace.by_kind("result")}
    found: dict[tuple[int, int], Record] = {}
    for key, action in _calls(trace):
        known = results.get(found[key]["call"], {}) if key in found else {}
        if known.get("outcome") != "executed":
            found[key] = action
    for (turn, place), action in sorted(found.items(), key=lambda one: one[0]):
        if turn < len(turns) and place < len(turns[turn].do):
            yield Attempted(
                turn=turn,
                place=place,
                step=turns[turn].do[place],
                action=action,
                result=results.get(action["call"], {}),
            )


def _calls(trace: Trace) -> Iterator[tuple[tuple[int, int], Record]]:
    """Each call with the turn and the place of the step it was made for."""
    turn, place, point = 0, 0, ""
    for record in trace.records:
        kind = record["kind"]
        if kind == "turn":
            turn, place = int(record["turn"]) - 1, 0
        elif kind == "crash":
            point = record["point"]
        elif kind == "restart":
            mode = record["mode"]
            unknown = point in ("before", "after") or (point == "answered" and mode == "checkpoint")
            place = 0 if mode == "task" else place - unknown
        elif kind == "action":
            yield (turn, place), record
            place += 1
