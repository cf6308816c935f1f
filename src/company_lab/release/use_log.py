"""The use log of held-out sets: whoever decides by a set learns about it, so every use is written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from company_lab.formats.canonical import Json, digest
from company_lab.release.candidate import candidate_digest
from company_lab.runs.plan import RunPlan
from company_lab.runs.store import Store

KIND = "held_out_use"


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One use of a held-out set."""

    at: str
    """Wall time, UTC."""
    what: str
    """gate or compare."""
    run: str
    candidate: str
    """Digest of who acted."""
    agent: str
    outcome: str


def held_out_set(plan: RunPlan, held_out: tuple[str, ...]) -> str:
    """The digest of a set of held-out scenarios, whatever else was played with them."""
    return digest(sorted(plan.scenarios[id] for id in held_out))


def _names(plan: RunPlan, held_out: tuple[str, ...]) -> dict[str, Json]:
    return {id: plan.scenarios[id] for id in held_out}


def log_use(store: Store, plan: RunPlan, held_out: tuple[str, ...], *, what: str, outcome: str) -> None:
    """Write down that held-out scenarios of a run were used. A run without any is no use."""
    if not held_out:
        return
    store.file(
        KIND,
        held_out_set(plan, held_out),
        {
            "format": 1,
            "what": what,
            "run": plan.run,
            "candidate": candidate_digest(plan),
            "agent": plan.agent.name,
            "outcome": outcome,
            "scenarios": _names(plan, held_out),
        },
    )


def uses_of(store: Store, plan: RunPlan, held_out: tuple[str, ...]) -> tuple[Use, ...]:
    """Every use so far of any of a run's held-out scenarios, oldest first.

    Half a set, a set with one more scenario, and a scenario under a new id or with a new title are still the set that
    somebody learned from.
    """
    if not held_out:
        return ()
    whole, mine = held_out_set(plan, held_out), _names(plan, held_out)
    return tuple(
        Use(at=one.at, **_texts(one.document))
        for one in store.filed(KIND)
        if one.key == whole or _overlap(mine, one.document.get("scenarios"))
    )


def _overlap(mine: Mapping[str, Json], used: object) -> bool:
    if not isinstance(used, dict):
        return False
    return bool(mine.keys() & used.keys()) or bool(
        set(map(str, mine.values())) & set(map(str, used.values()))
    )


def _texts(document: Mapping[str, object]) -> dict[str, str]:
    return {name: str(document.get(name, "")) for name in ("what", "run", "candidate", "agent", "outcome")}
