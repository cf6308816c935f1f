"""EpisodeSummary: the few things about an episode that figures are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from company_lab.evaluation.model_cost import model_cost
from company_lab.evaluation.verdicts import Failure, Outcome, Verdict
from company_lab.formats.canonical import digest
from company_lab.traces.record import REPLAYED

_NO_ANSWER = frozenset({"timed_out", "failed", "malformed", "lost"})
"""How an answer can fail to reach an agent, whatever the call did."""


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


_CUT_OFF = frozenset({"wall_limit", "infrastructure_error", "cancelled"})


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
    """Some call failed, was malformed, or got no answer, or the agent crashed."""
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
    fault_errors: tuple[str, ...] = ()
    """Those of them under which a call gave the agent an error instead of an answer, or the agent crashed."""
    episode: str = "fresh"
    """fresh, or continuation where it went on from a state that was kept."""

    @property
    def cut_off(self) -> bool:
        """Whether the clock, an outage or a person ended it, so that it would have taken longer than it did."""
        return self.stop in _CUT_OFF


def counts_as(outcome: Outcome, started: Mapping[str, Any]) -> Outcome:
    """What an episode counts as. A model's replayed answers are no trial of it, whatever they came to.

    Nor is an episode whose beginning was replayed from another one.
    """
    replayed = started.get("evidence") == REPLAYED or "replayed_prefix" in started
    return "unscored" if replayed and outcome in ("passed", "failed") else outcome


def summarise(trace: StoredTrace, verdict: Verdict) -> EpisodeSummary:
    """Summarise one judged episode."""
    started: Mapping[str, Any] = {}
    stopped: Mapping[str, Any] = {}
    settled: Mapping[str, Any] = {}
    error, turns = False, 0
    path: list[list[Any]] = []
    kinds: dict[str, bool] = {}
    at_call: dict[object, list[str]] = {}
    for record in trace.records:
        kind = record.get("kind")
        if kind == "guard":  # in every call, and of no account here
            continue
        if kind == "action":
            args = record.get("args")
            path.append([record.get("tool"), record.get("supplied") if args is None else args])
        elif kind == "result":
            result, delivery = record.get("outcome"), record.get("delivery")
            path.append([record.get("call"), result, delivery])
            failed = result in ("failed", "malformed") or delivery in _NO_ANSWER
            error = error or failed
            if at_call and (failed or record.get("error") is not None):
                kinds.update(dict.fromkeys(at_call.get(record.get("call"), ()), True))
        elif kind == "reply":
            path.append([record.get("text")])
        elif kind == "turn":
            turns += 1
        elif kind == "crash":
            error = True
            path.append([kind, record.get("call"), record.get("point")])
        elif kind == "fault":
            what, call = str(record.get("what")), record.get("call")
            kinds[what] = kinds.get(what, False) or what == "crash"
            if call is not None:
                at_call.setdefault(call, []).append(what)
        elif kind == "started":
            started = record
        elif kind == "stopped":
            stopped = record
        elif kind == "settled":
            settled = record
    calls = settled.get("calls")
    outcome = counts_as(verdict.outcome, started)
    return EpisodeSummary(
        scenario=str(started.get("scenario")),
        trial=int(started.get("trial") or 0),
        outcome=outcome,
        stop=stopped.get("reason"),
        layer=started.get("layer"),
        evidence=str(started.get("evidence") or "undeclared agent"),
        error=error,
        recovered=error and outcome == "passed",
        failures=verdict.failures,
        cost_usd=model_cost(settled.get("cost_usd")),
        simulated_ms=settled.get("simulated_ms"),
        calls=calls if isinstance(calls, int) else sum(len(step) == 2 for step in path),
        turns=settled.get("turns") or turns,
        trace_digest=trace.digest,
        trajectory=digest(path),
        fault_kinds=tuple(kinds),
        fault_errors=tuple(what for what, failed in kinds.items() if failed),
        episode=str(started.get("episode") or "fresh"),
    )
