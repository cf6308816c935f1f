"""Another order: two events change places. What happened does not hang on which of them was told first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random

from company_lab.probing.mutate.editing import turns_of, wake_turn
from company_lab.probing.mutate.operator import Draft, Operator
from company_lab.probing.mutate.original import Original
from company_lab.scenarios.model import Event


def _applies(original: Original) -> str | None:
    if original.scenario.is_contract:
        return "its request goes straight to the guard, so nobody deals with events"
    if len(original.scenario.events) < 2:
        return "fewer than two events reach the company from outside"
    if not list(_candidates(original)):
        return "every event of it is disturbed already"
    return None


def _candidates(original: Original) -> Iterator[tuple[Event, Event]]:
    disturbed = {fault.on for fault in original.scenario.faults}
    events = sorted(original.scenario.events, key=lambda event: event.at_ms)
    for first, second in pairwise(events):
        if not {first.id, second.id} & disturbed:
            yield first, second


def _build(original: Original, draw: Random) -> Iterator[Draft]:
    for first, second in _candidates(original):
        one, other = wake_turn(original, first.id), wake_turn(original, second.id)
        # Where each of them has its own turn, the turns change places with them; else nothing does.
        swapped = [(True, one, other)] if one is not None and other is not None and one != other else []
        for differs, early, late in (*swapped, (False, None, None)):
            document = original.copied()
            document["faults"] = [*document.get("faults", ()), {"on": first.id, "kind": "reorder"}]
            turns = turns_of(document)
            if early is not None and late is not None:
                turns[early], turns[late] = turns[late], turns[early]
            document["reference"] = turns
            what = f"{second.id} is heard of before {first.id}"
            yield Draft(document=document, what=what, differs=differs)


reorder_events = Operator(
    name="reorder_events",
    meaning="lets two events change places; the books must end as they did",
    applies=_applies,
    build=_build,
)
