"""The same news twice: an event is delivered again, hours after it was dealt with."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from company_lab.formats.time import format_duration, parse_duration
from company_lab.probing.mutate.editing import make_room, turns_of, wake_turn
from company_lab.probing.mutate.operator import Draft, Operator, Turns
from company_lab.probing.mutate.original import Original

_LATER_MS = 3 * 3_600_000


def _applies(original: Original) -> str | None:
    if original.scenario.is_contract:
        return "its request goes straight to the guard, so nobody deals with events"
    if not original.scenario.events:
        return "nothing reaches the company from outside"
    if original.scenario.stimulus.then:
        return "the conversation goes on by itself, so the order of turns would change"
    if not list(_candidates(original)):
        return "no event of it leads to anything that could be done twice"
    return None


def _candidates(original: Original) -> Iterator[tuple[int, int]]:
    """Events by position, with the turn that deals with them: what it writes could be written twice."""
    disturbed = {fault.on for fault in original.scenario.faults}
    writing = {done.turn for done in original.steps if done.writes}
    for position, event in enumerate(original.scenario.events):
        turn = wake_turn(original, event.id)
        if turn in writing and event.id not in disturbed and (event.wakes or event.at_ms == 0):
            yield position, turn


def _build(original: Original, draw: Random) -> Iterator[Draft]:
    last = max(event.at_ms for event in original.scenario.events)
    for position, turn in _candidates(original):
        document = original.copied()
        event = document["events"][position]
        event["wakes"] = True
        by = last - parse_duration(str(event["at"])) + _LATER_MS
        document["faults"] = [
            *document.get("faults", ()),
            {"on": event["id"], "kind": "duplicate", "by": f"+{format_duration(by)}"},
        ]
        make_room(document, simulated_ms=by, turns=1, calls=len(original.steps))
        turns = turns_of(document)
        again = turns[turn].get("do", [])
        document["reference"] = [*turns, _looks(original, turn, _named(original, position))]
        naive: Turns = [*turns, {"do": again, "reply": turns[turn].get("reply", "Done.")}]
        yield Draft(
            document=document, what="announced a second time", naive=naive, mistake="does_it_all_again"
        )


def _named(original: Original, position: int) -> str:
    """What the event is about: the record it brings, or else the event itself."""
    event = original.scenario.events[position]
    brought = (event.data.get(key) for key in original.spec.events[event.type].brings)
    return next((id for id in brought if isinstance(id, str)), event.id)


def _looks(original: Original, turn: int, name: str) -> dict[str, object]:
    reads = [
        {"tool": done.tool, "args": dict(done.args)}
        for done in original.steps
        if done.turn == turn and not done.writes and done.executed
    ]
    reply = f"That is {name} again, which I have seen to already. Nothing more was to be done."
    return {**({"do": reads} if reads else {}), "reply": reply}


duplicate_event = Operator(
    name="duplicate_event",
    meaning="delivers an event a second time, after it was dealt with; nothing may be done twice",
    applies=_applies,
    build=_build,
)
