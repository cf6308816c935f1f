"""What came of one schedule, as data that survives saving and loading unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from company_lab.evaluation.codes import CODES, Severity
from company_lab.formats.canonical import Json, canonical
from company_lab.probing.explore.invariants import Broken, Invariant
from company_lab.scenarios.model import Fault
from company_lab.scenarios.schedules import fault_document

Schedule: TypeAlias = tuple[Fault, ...]
Ending: TypeAlias = Literal["passed", "failed", "unscored", "invalid"]


def schedule_text(schedule: Sequence[Fault]) -> str:
    """A schedule as one line of JSON, as `--schedule` reads it."""
    return canonical([fault_document(fault) for fault in schedule])


def same_faults(schedule: Sequence[Fault]) -> str:
    """The same text for the same faults in whichever order they are listed."""
    return "\n".join(sorted(canonical(fault_document(fault)) for fault in schedule))


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A call or event where a further fault can come."""

    on: str
    occurrence: int = 1
    attempt: int = 1
    writes: bool = False
    event: bool = False

    def to_json(self) -> list[Json]:
        """As a JSON list."""
        return [self.on, self.occurrence, self.attempt, self.writes, self.event]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Place:
        """Read `to_json` back."""
        on, occurrence, attempt, writes, event = data
        return cls(
            on=_text(on),
            occurrence=int(occurrence),
            attempt=int(attempt),
            writes=bool(writes),
            event=bool(event),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """One schedule that was played."""

    schedule: Schedule
    outcome: Ending
    """Failed where an invariant is broken; what the schedule excuses is no failure."""
    stop: str
    broken: tuple[Broken, ...] = ()
    why: str = ""
    """Why it is unscored or invalid."""
    places: tuple[Place, ...] = ()
    """Where faults can come after those of this schedule."""
    state: str | None = None
    """What the agent came back to after its last crash."""
    cut: bool = False
    """It was given up at that state, because it was known already."""
    replayed_calls: int | None = None
    """Calls that were repeated from a recorded episode without asking the agent; None where nothing was."""

    def to_json(self) -> dict[str, Json]:
        """As a JSON object."""
        return {
            "schedule": [fault_document(fault) for fault in self.schedule],
            "outcome": self.outcome,
            "stop": self.stop,
            "broken": [[*one.invariant, one.severity, one.message] for one in self.broken],
            "why": self.why,
            "places": [place.to_json() for place in self.places],
            "state": self.state,
            "cut": self.cut,
            "replayed_calls": self.replayed_calls,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Explored:
        """Read `to_json` back. Raises `KeyError`, `TypeError` or `ValueError` where it is none."""
        return cls(
            schedule=tuple(Fault.model_validate(fault) for fault in data["schedule"]),
            outcome=_one_of(get_args(Ending), data["outcome"]),
            stop=_text(data["stop"]),
            broken=tuple(
                Broken(
                    invariant=Invariant(_one_of(CODES, code), _text(check), _text(effect)),
                    severity=_one_of(get_args(Severity), severity),
                    message=_text(message),
                )
                for code, check, effect, severity, message in data["broken"]
            ),
            why=_text(data["why"]),
            places=tuple(map(Place.from_json, data["places"])),
            state=None if data["state"] is None else _text(data["state"]),
            cut=bool(data["cut"]),
            replayed_calls=None if data["replayed_calls"] is None else int(data["replayed_calls"]),
        )


def _one_of(names: Sequence[str], value: Any) -> Any:
    if value not in names:
        raise ValueError(f"{value!r} is none of {', '.join(names)}")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
