"""Going on with a run: what has changed since it was planned, and which cells are still to be played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from company_lab.formats.canonical import Json, canonical
from company_lab.formats.errors import WrongUse
from company_lab.runs.plan import RunPlan
from company_lab.runs.playing import Todo
from company_lab.runs.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing a plan says that is no longer so. `name` is a path such as `agent.settings.model`."""

    name: str
    before: Json
    now: Json

    def __str__(self) -> str:
        return f"{self.name}: {_short(self.before)} when the run began, {_short(self.now)} now"


def differences(before: RunPlan, now: RunPlan) -> tuple[Difference, ...]:
    """Everything episodes depend on that differs between two plans, apart from the choice of cells."""
    return tuple(_compared("", _basis(before), _basis(now)))


def refuse_changed(before: RunPlan, now: RunPlan) -> None:
    """Raises `WrongUse` that names every difference: episodes of two different things are no one run."""
    found = differences(before, now)
    if found:
        raise WrongUse(
            f"run {before.run} can not be resumed, since it would mix episodes of different things:\n"
            + "\n".join(f"  {difference}" for difference in found)
            + "\nNothing was played and nothing changed; start a new run instead"
        )


def still_to_play(store: Store, plan: RunPlan) -> list[Todo]:
    """Cells without an episode, and those that only outages ended so far, in the order of the plan.

    A finished failure is never among them.
    """
    attempts = store.attempts(plan.run)
    todo: list[Todo] = []
    for cell in plan.cells:
        known = attempts.get(cell)
        if known is None:
            todo.append(Todo(cell))
        elif known.repeatable and known.attempt < plan.attempts:
            todo.append(Todo(cell, known.attempt + 1))
    return todo


def _basis(plan: RunPlan) -> dict[str, Json]:
    return {
        "seed": plan.seed,
        "agent": {"name": plan.agent.name, "kind": plan.agent.kind, "settings": dict(plan.agent.settings)},
        "scenarios": dict(plan.scenarios),
        "worlds": dict(plan.worlds),
        "prompts": dict(plan.prompts),
        "prices": dict(plan.prices),
        "redaction": plan.redaction,
        "crowd": plan.crowd,
        "code": dict(plan.code),
    }


def _compared(path: str, before: Json, now: Json) -> Iterator[Difference]:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in (*before, *(key for key in now if key not in before)):
            place = f"{path}.{key}" if path else key
            yield from _compared(place, before.get(key), now.get(key))
    elif canonical(before) != canonical(now):
        yield Difference(name=path, before=before, now=now)


def _short(value: Json) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else canonical(value)
    return text[:12] if len(text) == 64 else text[:80]
