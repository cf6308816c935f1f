"""Withholding: an action of the reference is no longer right, and with it whatever rested on it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from company_lab.probing.mutate.editing import forbid, listed, put, turns_of
from company_lab.probing.mutate.operator import CanNotDerive, Document, Turns
from company_lab.probing.mutate.original import Done, Original

OUTSIDE = "email"
"""The provider whose letters may still be written: to say how things stand is no harm."""


def withhold(
    original: Original,
    document: Document,
    blocked: Done,
    instead: Sequence[Document],
    *,
    keep: Sequence[Done] = (),
    rests: Collection[str] = (),
    to: str | None = None,
) -> Turns:
    """Take an action and every later one out of reference and expectation; put other steps in its place.

    What those actions had changed is expected to stay as it was before them. Letters become optional, all else
    that is left out is forbidden, and what was to be told about it is no longer asked for. `keep` names later
    actions that stay, `rests` tools that certainly rest on the action, and `to` whose letters are meant (None is
    everybody's). Returns the new reference; raises `CanNotDerive` where anything else comes later.
    """
    dropped = [blocked, *(done for done in _later(original, blocked) if done not in keep)]
    for done in dropped[1:]:
        letter = done.tool == f"{OUTSIDE}.send" and to in (None, done.args.get("to"))
        if done.turn != blocked.turn or not (letter or done.tool in rests):
            raise CanNotDerive(f"what becomes of {done.tool} without {blocked.tool} is not certain")
    _drop_faults(document, dropped)
    _restore(document, dropped)
    _drop_entries(document, blocked, dropped)
    gone_tools = {done.tool for done in dropped} - {done.tool for done in keep}
    put(
        document, "evidence", [one for one in listed(document, "evidence") if one["before"] not in gone_tools]
    )
    document["expected"].pop("alternatives", None)
    turns = turns_of(document)
    gone = {done.place for done in dropped}
    do: list[Document] = []
    for place, one in enumerate(turns[blocked.turn].get("do", ())):
        if place == blocked.place:
            do += list(instead)
        elif place not in gone:
            do.append(one)
    turns[blocked.turn] = {**turns[blocked.turn], "do": do}
    return turns


def claims_of(original: Original, tool: str) -> list[str]:
    """The claims that must not be made unless a tool was used, as its requests say."""
    found = (
        claim for one in original.spec.requests.values() if one.tool == tool for claim in one.never_claims
    )
    return list(dict.fromkeys(found))


def fits(entry: Mapping[str, Any], args: Mapping[str, Any]) -> bool:
    """Whether an entry of the expectation may be about a call with these arguments; matchers count as fitting."""
    return all(isinstance(value, (dict, list)) or args.get(name) == value for name, value in entry.items())


def _later(original: Original, blocked: Done) -> list[Done]:
    here = (blocked.turn, blocked.place)
    return [done for done in original.steps if done.writes and (done.turn, done.place) > here]


def _drop_faults(document: Document, dropped: Sequence[Done]) -> None:
    gone = {done.tool for done in dropped}
    faults = [fault for fault in document.get("faults", ()) if fault["on"] not in gone]
    document.pop("faults", None)
    if faults:
        document["faults"] = faults


def _restore(document: Document, dropped: Sequence[Done]) -> None:
    """What is expected of fields that the dropped actions wrote becomes what they were before them."""
    expected = document["expected"]
    for done in reversed(dropped):
        for change in done.changes:
            table, id = change["table"], change["id"]
            if change["op"] == "create":
                expected.get("created", {}).pop(table, None)
                expected.get("state", {}).get(table, {}).pop(id, None)
            elif change["op"] == "delete":
                expected.get("deleted", {}).pop(table, None)
            else:
                leaves = expected.get("state", {}).get(table, {}).get(id, {})
                for name, (before, _) in change["fields"].items():
                    if name in leaves:
                        leaves[name] = before
    tables = expected.get("state", {})
    for table in [name for name, records in tables.items() if not any(records.values())]:
        del tables[table]
    for key in ("created", "deleted", "state"):
        if key in expected and not expected[key]:
            del expected[key]


def _drop_entries(document: Document, blocked: Done, dropped: Sequence[Done]) -> None:
    actions = []
    for entry in listed(document, "actions"):
        about = [
            done for done in dropped if done.tool == entry["tool"] and fits(entry.get("args", {}), done.args)
        ]
        if not about:
            actions.append(entry)
        elif entry["tool"].startswith(f"{OUTSIDE}.") and blocked not in about:
            actions.append({**entry, "times": {"at_most": max(1, len(about))}})
        elif blocked not in about:
            forbid(document, {"tool": entry["tool"]})
    put(document, "actions", actions)
    effects = []
    for entry in listed(document, "effects"):
        about = [
            done
            for done in dropped
            for effect in done.effects
            if (effect["provider"], effect["op"]) == (entry["provider"], entry["op"])
            and fits(entry.get("match", {}), effect["payload"])
        ]
        if not about:
            effects.append(entry)
        elif entry["provider"] != OUTSIDE:
            bare = {key: value for key, value in entry.items() if key not in ("sum_minor", "times")}
            effects.append({**bare, "times": 0})
    put(document, "effects", effects)
    told = document["expected"].get("told", {})
    told.pop("states", None)
    told.pop("asks", None)
