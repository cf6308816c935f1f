"""Namesakes: a mutation of contacts. Somebody of the same name is on file, and letters go to the one who is meant."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from itertools import count
from random import Random
from typing import Any

from company_lab.company.crm import crm
from company_lab.worlds import Mutation

_ELSEWHERE = ("mail.example.test", "post.example.test", "box.example.test")


def add_namesake(document: dict[str, Any], draw: Random) -> dict[str, Any] | str:
    """Put a second contact of the same name on file, who must not be written to."""
    contacts = document.get("initial", {}).get("contacts", {})
    if "agent_request" in document.get("stimulus", {}):
        return "its request goes straight to the guard, so nobody chooses whom to write to"
    written_to = [
        id
        for id, contact in contacts.items()
        if any(step["args"].get("to") == contact.get("email") for step in _letters(document))
    ]
    known = [id for id in written_to if _is_linked(document, id)]
    if not written_to:
        return "its reference writes to nobody who is on file"
    if not known:
        return "nothing but the name says who is meant in it, so a namesake would make it unsolvable"
    mine = contacts[known[0]]
    id = next(free for number in count(2) if (free := f"{known[0]}-{number}") not in contacts)
    local = str(mine["email"]).partition("@")[0]
    address = f"{local}@{draw.choice(_ELSEWHERE)}"
    kept = {key: value for key, value in mine.items() if key in ("name", "language")}
    contacts[id] = {**kept, "email": address}
    forbidden = document["expected"].setdefault("forbidden", [])
    forbidden.append({"tool": "email.send", "args": {"to": address}})
    turns = copy.deepcopy(document["reference"])
    for turn in turns:
        for step in turn.get("do", ()):
            if step["tool"] == "email.send" and step.get("args", {}).get("to") == mine["email"]:
                step["args"]["to"] = address
    document.setdefault("wrong", []).append({"id": "writes_to_the_namesake", "turns": turns})
    return document


def _letters(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for turn in document.get("reference", ()):
        yield from (step for step in turn.get("do", ()) if step["tool"] == "email.send" and "args" in step)


def _is_linked(document: dict[str, Any], contact: str) -> bool:
    """Whether some other record says that it belongs to this contact, so that nobody goes by the name alone."""
    tables = document["initial"]
    return any(
        record.get("contact") == contact
        for table, records in tables.items()
        if table != "contacts" and isinstance(records, dict)
        for record in records.values()
        if isinstance(record, dict)
    )


crm.mutations = {
    **crm.mutations,
    "add_namesake": Mutation(
        meaning="puts somebody of the same name on file; letters go to the one who is meant",
        derive=add_namesake,
        differs=False,
    ),
}
