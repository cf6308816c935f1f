"""Editing: the changes to a scenario document that several operators make, all in place."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from company_lab.formats.canonical import Json
from company_lab.formats.time import format_duration, parse_duration
from company_lab.probing.mutate.operator import CanNotDerive, Document, Turns
from company_lab.probing.mutate.original import Original
from company_lab.scenarios.model import StopLimits


def turns_of(document: Mapping[str, Any]) -> Turns:
    """The reference of a document, to be changed without changing the document."""
    return copy.deepcopy(list(document.get("reference", ())))


def step(tool: str, /, **args: Json) -> Document:
    """A step of a conduct."""
    return {"tool": tool, "args": args}


def make_room(document: Document, *, simulated_ms: int = 0, turns: int = 0, calls: int = 0) -> None:
    """Let an episode last longer than the original: what bounds it, and what is judged of its length."""
    room = {"simulated": simulated_ms, "turns": turns, "calls": calls}
    both: list[Document | None] = [document.get("limits"), document["expected"].get("limits")]
    for limits in filter(None, both):
        for name in limits:
            if name == "simulated":
                limits[name] = format_duration(parse_duration(str(limits[name])) + simulated_ms)
            elif room.get(name):
                limits[name] += room[name]
    common = StopLimits()
    for name, least in (("turns", common.turns), ("calls", common.calls)):
        if room[name] and name not in (document.get("limits") or {}):
            document.setdefault("limits", {})[name] = least + room[name]


def permit(document: Document, original: Original, *permissions: str) -> None:
    """Let the agent and whoever asks it hold some more permissions."""
    asking = (document.get("people") or {}).get(original.scenario.stimulus.sender or "")
    for holder in (document.get("role"), asking):
        held = (holder or {}).get("permissions")
        if held is not None:
            held += [one for one in permissions if one not in held]


def ask_more(document: Document, text: str) -> None:
    """Let the person who sets the agent to work say something more. Raises `CanNotDerive` where nobody speaks."""
    stimulus = document.get("stimulus", {})
    if "message" not in stimulus:
        raise CanNotDerive("nobody speaks to the agent in it, so nothing more can be asked")
    stimulus["message"] = f"{str(stimulus['message']).rstrip()} {text}"


def forbid(document: Document, *entries: Document) -> None:
    """Forbid actions that are not forbidden already."""
    listed = document["expected"].setdefault("forbidden", [])
    listed += [entry for entry in entries if entry not in listed]


def listed(document: Mapping[str, Any], key: str) -> list[Document]:
    """A list under `expected`, or an empty one."""
    return list(document["expected"].get(key, ()))


def put(document: Document, key: str, entries: Sequence[Any]) -> None:
    """Set a list under `expected`, or take it away where it is empty."""
    if entries:
        document["expected"][key] = list(entries)
    else:
        document["expected"].pop(key, None)


def with_steps(turns: Turns, turn: int, place: int, steps: Iterable[Document], *, without: int = 0) -> Turns:
    """A conduct with steps put in at a place, and `without` of its own left out there."""
    changed = copy.deepcopy(turns)
    do = list(changed[turn].get("do", ()))
    changed[turn] = {
        **changed[turn],
        "do": [*do[:place], *copy.deepcopy(list(steps)), *do[place + without :]],
    }
    return changed


def with_reply(turns: Turns, turn: int, more: str) -> Turns:
    """A conduct that says something more at the end of a turn."""
    changed = copy.deepcopy(turns)
    changed[turn]["reply"] = f"{str(changed[turn].get('reply', '')).rstrip()} {more}".strip()
    return changed


def fresh_name(wanted: str, taken: Iterable[str]) -> str:
    """A name that nothing else has: the wanted one, or it with a number."""
    names = set(taken)
    number, name = 1, wanted
    while name in names:
        number += 1
        name = f"{wanted}_{number}"
    return name


def wake_turn(original: Original, event: str) -> int | None:
    """The turn of the reference, from 0, in which an event is first seen; None where it is seen in none."""
    for record in original.reference.trace.by_kind("observation"):
        if any(seen["id"] == event for seen in record["events"]):
            return int(record["turn"]) - 1
    return None
