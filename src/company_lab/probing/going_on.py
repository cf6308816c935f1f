"""Going on: a stored episode repeated up to one of its calls, and an agent that takes over from there.

What comes of it shares its beginning with a recorded episode. It is a continuation: no trial of its own, and no figure
or comparison counts it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from company_lab.episodes import Episode
from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse
from company_lab.probing.explore.explored import Explored
from company_lab.probing.explore.playing import Subject
from company_lab.probing.explore.prefix import play_from_prefix
from company_lab.scenarios.schedules import read_schedule
from company_lab.traces.points import CallPoint, call_points
from company_lab.traces.record import Trace

_NAMED = 20

Restart: TypeAlias = Literal["task", "transcript", "checkpoint"]


def go_on(
    subject: Subject, recorded: Trace, *, after: str, restart: Restart = "transcript", trial: int = 1
) -> tuple[Explored, Episode]:
    """Repeat `recorded` up to the answer of the call `after`, then let the subject's agent begin that turn again.

    The agent is told what `restart` says, as after a crash. Raises `WrongUse` for a call that the episode does not have
    or that was never carried out, for a scenario that begins in another state, and for one with a crash of its own.
    """
    scenario, spec = subject.scenario, subject.fixture.world.spec
    if any(fault.kind == "crash" for fault in scenario.faults):
        raise WrongUse(
            f"{scenario.id} has a crash of its own: an agent can take over only where nobody else comes back"
        )
    points = {point.call: point for point in call_points(recorded.records, spec)}
    point = points.get(after)
    if point is None:
        made = [str(record["call"]) for record in recorded.by_kind("action")]
        if after in made:
            raise WrongUse(
                f"call {after} was never carried out, so nothing follows from it; it can be one of: {_named(points)}"
            )
        raise WrongUse(f"the episode has no call {after} (calls: {_named(points)})")
    crash: dict[str, Json] = {
        "on": point.tool,
        "occurrence": point.occurrence,
        "attempt": point.attempt,
        "kind": "crash",
        "at": "answered",
        "restart": restart,
    }
    return play_from_prefix(subject, recorded, read_schedule([crash], scenario, spec), trial=trial)


def _named(points: Mapping[str, CallPoint]) -> str:
    names = list(points)
    return ", ".join(names if len(names) <= _NAMED else [*names[:_NAMED], "..."]) or "none"
