"""Plays one part of an interrupted episode in a process of its own: `python interrupted.py begin|on FILE FAULTS`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Session, Task
from company_lab.episodes.continuation import play_on, play_until_crash
from depot import scenario, world


def works(task: Task, session: Session) -> str:
    """Ships two parcels under keys, one after the other, saving after each, and says what it had when it began."""
    done = list(session.memory or [])  # type: ignore[arg-type]
    for id in ("P-1", "P-2"):
        if id not in done:
            session.call("depot.note", id=id, text="soon")
            session.call("depot.ship", id=id, key=f"ship-{id}")
            done.append(id)
            session.memory = [*done]
    crashes = task.restart.crashes if task.restart else 0
    return f"Both are with the carrier; I began with {session.memory} after {crashes}."


def keys(faults: list[Any]) -> dict[str, Any]:
    parcels = {
        "P-1": {"receiver": "ida@holm.example.test", "weight": 5, "status": "waiting"},
        "P-2": {"receiver": "jon@aker.example.test", "weight": 6, "status": "waiting"},
    }
    late = {
        "at": "+2h",
        "id": "evt_1",
        "type": "parcel.arrived",
        "data": {"parcel": "P-9", "receiver": "eva@lund.example.test"},
    }
    return {
        "initial": {"tables": {"parcels": parcels}},
        "events": [late],
        "faults": faults,
        "expected": {
            "may_change": {"parcels": "any"},
            "effects": [{"provider": "carrier", "op": "ship", "times": 2}],
        },
    }


if __name__ == "__main__":
    what, file, faults = sys.argv[1:4]
    fixture = world.prepare(scenario(**keys(json.loads(faults))))
    acting = function_agent(works, name="interrupted:works")
    if what == "begin":
        episode = play_until_crash(fixture, acting, Path(file), trial=3, seed=5)
    else:
        episode = play_on(Path(file), fixture, acting, until_crash=True)
    if episode is not None:
        sys.stdout.write(episode.trace.bytes().decode())
    sys.stdout.flush()
    os._exit(0 if episode is not None else 7)
