"""Redacting what is stored of an episode. It was judged before, with everything in its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from company_lab.evaluation import Verdict
from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.plan import RunPlan
from company_lab.runs.store import Store
from company_lab.scenarios.model import Scenario
from company_lab.traces import Trace
from company_lab.traces.redaction import Redaction, Redactor, Tables
from company_lab.traces.redaction_rules import kept_redaction, spelled

_NAMES = frozenset(["code", "severity", "failure_class", "check", "evidence"])


def keep_rules(store: Store, rules: Redaction) -> None:
    """Store rules under their digest, so that a run that goes on is redacted as it began."""
    store.keep(spelled(rules), under=rules.digest)


def rules_of(store: Store, plan: RunPlan) -> Redaction | None:
    """The rules a run is redacted by, or None. Raises `WrongUse` where the store lacks those the plan names."""
    if plan.redaction is None:
        return None
    text = store.kept(plan.redaction)
    if text is None:
        raise WrongUse(
            f"run {plan.run} is redacted by rules that {store.path} does not hold: nothing was played"
        )
    return kept_redaction(text)


def tenants_of(scenario: Scenario | None) -> tuple[Tables, ...]:
    """The records a scenario begins with, of its own tenant and of the others."""
    return () if scenario is None else (scenario.initial.tables, *scenario.other_tenants.values())


def redacted_episode(rules: Redaction, episode: StoredEpisode, scenario: Scenario | None) -> StoredEpisode:
    """An episode with trace and verdict redacted; the outcome and the codes stay what they were."""
    redactor = Redactor(rules, episode.trace, tenants_of(scenario))
    trace = redactor.trace(episode.trace)
    return replace(episode, trace=trace, verdict=redacted_verdict(redactor, episode.verdict))


def is_redacted(trace: Trace) -> bool:
    """Whether a trace says that it was redacted."""
    return "redacted" in trace.header


def redacted_verdict(redactor: Redactor, verdict: Verdict) -> Verdict:
    """A verdict with what it quotes redacted; outcome and codes stay."""
    document: Mapping[str, Any] = verdict.to_json()
    return Verdict.from_json(
        {
            name: [_entry(redactor, entry) for entry in value] if isinstance(value, list) else value
            for name, value in document.items()
        }
    )


def _entry(redactor: Redactor, entry: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value if name in _NAMES else redactor.json(value) for name, value in entry.items()}
