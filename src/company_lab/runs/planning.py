"""From a suite and an agent to the plan of a run."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from company_lab.agents.protocol import EVIDENCE, Agent
from company_lab.formats.errors import WrongUse
from company_lab.runs.casting import Casting
from company_lab.runs.code import code_identity
from company_lab.runs.packing import text_digest
from company_lab.runs.plan import AgentIdentity, RunPlan, every_cell, new_run_id, now
from company_lab.worlds.registry import world_module

MOST_TRIALS = 1_000_000


def plan_run(
    castings: Sequence[Casting],
    *,
    suite: Path,
    suite_digest: str,
    agent: Agent | None,
    trials: int = 1,
    seed: int = 0,
    attempts: int = 1,
    note: str | None = None,
    redaction: str | None = None,
    crowd: int | None = None,
) -> RunPlan:
    """The plan of a new run over everything in `castings`. Raises `WrongUse` for a run of nothing.

    `redaction` is the digest of the rules by which its traces are redacted; `crowd` is the size of the crowd that
    the scenarios of the castings were given.
    """
    if not 1 <= trials <= MOST_TRIALS:
        raise WrongUse(f"{trials} trials: give a whole number from 1 to {MOST_TRIALS:,}")
    if not castings:
        raise WrongUse(f"there is nothing to play in {suite}")
    return RunPlan(
        run=new_run_id(),
        created=now(),
        suite=str(suite),
        suite_digest=suite_digest,
        agent=_identity(agent),
        trials=trials,
        seed=seed,
        cells=every_cell((casting.scenario.id for casting in castings), trials),
        scenarios={casting.scenario.id: casting.scenario.digest for casting in castings},
        worlds={casting.scenario.world: casting.world.digest for casting in castings},
        code=code_identity(_modules(castings, agent)),
        attempts=attempts,
        prompts={} if agent is None else {name: text_digest(text) for name, text in agent.prompts.items()},
        prices={} if agent is None else dict(agent.prices),
        evidence=tuple(sorted({_evidence(casting.agent) for casting in castings})),
        note=note,
        redaction=redaction,
        crowd=crowd,
        caveat="; ".join(_caveats(castings)) or None,
    )


def _caveats(castings: Sequence[Casting]) -> Iterator[str]:
    caveats = (casting.world.spec.caveat for casting in castings)
    yield from dict.fromkeys(caveat for caveat in caveats if caveat is not None)


def _identity(agent: Agent | None) -> AgentIdentity:
    if agent is None:
        return AgentIdentity(name="reference", kind="conduct")
    return AgentIdentity(name=agent.name, kind=agent.kind, settings=dict(agent.settings))


def _evidence(agent: Agent | None) -> str:
    return EVIDENCE["request" if agent is None else agent.kind]


def _modules(castings: Iterable[Casting], agent: Agent | None) -> set[str]:
    worlds = {world_module(name) for name in {casting.scenario.world for casting in castings}}
    acting = None if agent is None else inspect.unwrap(agent.act)
    acting = acting.func if isinstance(acting, partial) else acting
    return {name for name in (*worlds, getattr(acting, "__module__", None)) if name is not None}
