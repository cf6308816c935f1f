"""RunPlan: what a run is going to do, written down before its first episode."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple, Self

from company_lab.formats.canonical import Json, canonical, digest
from company_lab.formats.errors import CompanyLabError
from company_lab.formats.secrets import without_secrets

FORMAT = 1

_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"


class Cell(NamedTuple):
    """One planned episode: a scenario and the number of the repetition, from 1."""

    scenario: str
    trial: int


class NewerFormat(CompanyLabError):
    """Something was written by a later version of this package."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentIdentity:
    """Who acts in a run, as far as it decides whether two runs are about the same agent."""

    name: str
    kind: str
    settings: Mapping[str, Json] = field(default_factory=dict)
    """Without keys and passwords, see `formats.secrets`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", without_secrets(dict(self.settings)))

    @property
    def digest(self) -> str:
        """SHA-256 over name, kind and settings."""
        return digest({"name": self.name, "kind": self.kind, "settings": self.settings})


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """Every cell of a run, and the identity of everything its episodes depend on.

    Episodes depend on nothing but what stands here, so neither order nor number of workers changes them.
    """

    run: str
    """Sorts by time of creation; unique across machines."""
    created: str
    """Wall time, UTC."""
    suite: str
    """Where the suite was read from, for people."""
    suite_digest: str
    agent: AgentIdentity
    trials: int
    seed: int
    cells: tuple[Cell, ...]
    scenarios: Mapping[str, str] = field(default_factory=dict)
    """Digest of every planned scenario by id."""
    worlds: Mapping[str, str] = field(default_factory=dict)
    """Digest of every world by the name scenarios give it."""
    code: Mapping[str, Json] = field(default_factory=dict)
    """Package version, digests of the modules of world and agent, commit."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Digests of the texts the agent's model is given, by name; the texts lie in the store."""
    prices: Mapping[str, Json] = field(default_factory=dict)
    """What costs are reckoned with."""
    attempts: int = 1
    """How often a cell may be played where outages, and nothing else, keep ending it."""
    evidence: tuple[str, ...] = ()
    """The kinds of evidence its episodes can be."""
    note: str | None = None
    """What a reader must know about the choice of cells (`only refunds`, `failed cells of run ...`)."""
    failed_of: str | None = None
    """The run whose failed cells these are. Such a run is chosen by its outcome: it is no measure of anything,
    and nothing may add its episodes to those of another run."""
    redaction: str | None = None
    """Digest of the rules by which traces are redacted before they are stored."""
    crowd: int | None = None
    """The size of the crowd around the records of every scenario, where the run asked for one."""
    caveat: str | None = None
    """What a reader of its verdicts must know about how a hosted suite is played here."""

    def planned(self) -> dict[str, int]:
        """Number of planned episodes by scenario, in the order of the cells."""
        counts: dict[str, int] = {}
        for scenario, _ in self.cells:
            counts[scenario] = counts.get(scenario, 0) + 1
        return counts

    def to_json(self) -> dict[str, Json]:
        """A JSON object that `from_json` reads back."""
        trials: dict[str, list[int]] = {}
        for scenario, trial in self.cells:
            trials.setdefault(scenario, []).append(trial)
        cells: list[Json] = [[scenario, _spans(numbers)] for scenario, numbers in trials.items()]
        return {
            "format": FORMAT,
            "run": self.run,
            "created": self.created,
            "suite": {"path": self.suite, "digest": self.suite_digest},
            "agent": {
                "name": self.agent.name,
                "kind": self.agent.kind,
                "settings": dict(self.agent.settings),
            },
            "trials": self.trials,
            "seed": self.seed,
            "cells": cells,
            "scenarios": dict(self.scenarios),
            "worlds": dict(self.worlds),
            "code": dict(self.code),
            "prompts": dict(self.prompts),
            "prices": dict(self.prices),
            "attempts": self.attempts,
            "evidence": list(self.evidence),
            "note": self.note,
            "failed_of": self.failed_of,
            "redaction": self.redaction,
            "crowd": self.crowd,
            "caveat": self.caveat,
        }

    @property
    def digest(self) -> str:
        """SHA-256 over the plan's canonical spelling."""
        return digest(self.to_json())

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Raises `NewerFormat` where the plan has a format this version does not know."""
        if document.get("format") != FORMAT:
            raise NewerFormat(
                f"the plan of run {document.get('run')} has format {document.get('format')!r}; "
                f"this version reads format {FORMAT}: use a newer company-lab"
            )
        return cls(
            run=document["run"],
            created=document["created"],
            suite=document["suite"]["path"],
            suite_digest=document["suite"]["digest"],
            agent=AgentIdentity(**document["agent"]),
            trials=document["trials"],
            seed=document["seed"],
            cells=tuple(
                Cell(scenario, trial)
                for scenario, spans in document["cells"]
                for first, last in spans
                for trial in range(first, last + 1)
            ),
            scenarios=document["scenarios"],
            worlds=document["worlds"],
            code=document["code"],
            prompts=document["prompts"],
            prices=document["prices"],
            attempts=document["attempts"],
            evidence=tuple(document["evidence"]),
            note=document["note"],
            failed_of=document["failed_of"],
            redaction=document["redaction"],
            crowd=document["crowd"],
            caveat=document.get("caveat"),
        )

    def text(self) -> str:
        """The canonical spelling, as it is stored."""
        return canonical(self.to_json())


def _spans(numbers: Iterable[int]) -> list[Json]:
    spans: list[list[Json]] = []
    previous: int | None = None
    for number in numbers:
        if spans and previous is not None and number == previous + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
        previous = number
    return list[Json](spans)


def now() -> str:
    """Wall time as plans and runs carry it: UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def new_run_id(at: datetime | None = None) -> str:
    """Such as 20260305-081500-412-k3x9w7mh: UTC to the millisecond, then 40 random bits."""
    moment = at or datetime.now(UTC)
    suffix = "".join(secrets.choice(_LETTERS) for _ in range(8))
    return f"{moment:%Y%m%d-%H%M%S}-{moment.microsecond // 1000:03d}-{suffix}"


def every_cell(scenarios: Iterable[str], trials: int) -> tuple[Cell, ...]:
    """Scenario by scenario, trials 1 to `trials`."""
    return tuple(Cell(scenario, trial) for scenario in scenarios for trial in range(1, trials + 1))
