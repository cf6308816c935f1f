"""EpisodeSummary: the few things about an episode that figures are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Protocol

from company_lab.evaluation.verdicts import Failure, Outcome, Verdict
from company_lab.formats.canonical import digest


class StoredTrace(Protocol):
    """What a summary needs of a trace."""

    @property
    def records(self) -> Sequence[Mapping[str, Any]]:
        """The records, in order of `seq`."""
        ...

    @property
    def digest(self) -> str:
        """SHA-256 of the stored bytes."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeSummary:
    """One cell of a run, as far as statistics care."""

    scenario: str
    trial: int
    outcome: Outcome
    stop: str | None
    """Why the agent stopped; None where the trace does not say."""
    layer: str | None
    evidence: str
    """What the episode is evidence of, such as `real model`."""
    error: bool = False
    """Some call failed, was malformed, or got no answer."""
    recovered: bool = False
    """There was an error and the episode passed all the same; no claim that retrying caused it."""
    failures: tuple[Failure, ...] = ()
    cost_usd: Decimal | None = None
    simulated_ms: int | None = None
    calls: int = 0
    turns: int = 0
    trace_digest: str = ""
    trajectory: str = ""
    """Digest of what the agent did and said, in order; equal where two trials went the same way."""
    fault_kinds: tuple[str, ...] = ()
    """Kinds of the faults that occurred, each once."""


def summarise(trace: StoredTrace, verdict: Verdict) -> EpisodeSummary:
    """Summarise one judged episode."""
    started: Mapping[str, Any] = {}
    stopped: Mapping[str, Any] = {}
    settled: Mapping[str, Any] = {}
    error, turns = False, 0
    path: list[list[Any]] = []
    kinds: dict[str, None] = {}
    for record in trace.records:
        kind = record.get("kind")
        if kind == "action":
            args = record.get("args")
            path.append([record.get("tool"), record.get("supplied") if args is None else args])
        elif kind == "result":
            result, delivery = record.get("outcome"), record.get("delivery")
            path.append([record.get("call"), result, delivery])
            error = error or result in ("failed", "malformed") or delivery == "timed_out"
        elif kind == "reply":
            path.append([record.get("text")])
        elif kind == "turn":
            turns += 1
        elif kind == "fault":
            kinds[str(record.get("what"))] = None
        elif kind == "started":
            started = record
        elif kind == "stopped":
            stopped = record
        elif kind == "settled":
            settled = record
    calls = settled.get("calls")
    return EpisodeSummary(
        scenario=str(started.get("scenario")),
        trial=int(started.get("trial") or 0),
        outcome=verdict.outcome,
        stop=stopped.get("reason"),
        layer=started.get("layer"),
        evidence=str(started.get("evidence") or "undeclared agent"),
        error=error,
        recovered=error and verdict.outcome == "passed",
        failures=verdict.failures,
        cost_usd=_dollars(settled.get("cost_usd")),
        simulated_ms=settled.get("simulated_ms"),
        calls=calls if isinstance(calls, int) else sum(len(step) == 2 for step in path),
        turns=settled.get("turns") or turns,
        trace_digest=trace.digest,
        trajectory=digest(path),
        fault_kinds=tuple(kinds),
    )


def _dollars(value: object) -> Decimal | None:
    try:
        return Decimal(value) if isinstance(value, str) else None
    except InvalidOperation:
        return None
