"""A small suite in the depot, ready to be run, for tests of runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Agent
from company_lab.runs import Casting, RunPlan, cast, plan_run
from company_lab.scenarios.loader import load_document
from company_lab.scenarios.model import Scenario
from depot import PARCELS, world

SEND: dict[str, Any] = {"tool": "depot.ship", "args": {"id": "P-1"}}


def document(id: str = "send_p1", **changes: Any) -> dict[str, Any]:
    """A scenario in which parcel P-1 must be sent and nothing else."""
    return {
        "format": 1,
        "id": id,
        "title": "Ida waits for her parcel",
        "world": "depot",
        "clock": "2026-03-05T08:00:00+01:00",
        "role": {"tenant": "northquay"},
        "initial": {"parcels": PARCELS},
        "stimulus": {"message": "Please send P-1."},
        "expected": {"state": {"parcels": {"P-1": {"status": "sent"}}}, "actions": [SEND]},
        "reference": [{"do": [SEND], "reply": "It is on its way."}],
    } | changes


def scenario(id: str = "send_p1", **changes: Any) -> Scenario:
    """The loaded `document`."""
    return load_document(document(id, **changes), worlds=lambda _: world.spec)


def prepared(
    act: Callable[..., Any] | Agent | None = None,
    *,
    ids: Sequence[str] = ("send_p1", "send_again"),
    trials: int = 3,
    seed: int = 7,
    attempts: int = 1,
    **changes: Any,
) -> tuple[RunPlan, tuple[Casting, ...]]:
    """A plan over scenarios of these ids, and what it takes to play it."""
    agent = act if act is None or isinstance(act, Agent) else function_agent(act, name="tests:agent")
    castings = cast([scenario(id, **changes) for id in ids], agent=agent, worlds=lambda _: world)
    plan = plan_run(
        castings,
        suite=Path("suite"),
        suite_digest="d",
        agent=agent,
        trials=trials,
        seed=seed,
        attempts=attempts,
    )
    return plan, castings
