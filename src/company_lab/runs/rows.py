"""A run as a table: one row for every planned cell, also for those without an episode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from company_lab.formats.canonical import Json
from company_lab.runs.plan import Cell, RunPlan
from company_lab.runs.reading import Counted
from company_lab.runs.store import Store

ColumnType: TypeAlias = Literal["text", "integer", "yes_no", "texts"]

COLUMNS: dict[str, ColumnType] = {
    "run": "text",
    "failed_of": "text",
    "agent": "text",
    "evidence": "text",
    "layer": "text",
    "scenario": "text",
    "trial": "integer",
    "attempt": "integer",
    "outcome": "text",
    "codes": "texts",
    "critical": "texts",
    "stop": "text",
    "error": "yes_no",
    "recovered": "yes_no",
    "faults": "texts",
    "failed_under": "texts",
    "cost_usd": "text",
    "simulated_ms": "integer",
    "calls": "integer",
    "turns": "integer",
    "trace_digest": "text",
    "grading": "text",
}
"""Columns in order. Everything but lists may be null. `cost_usd` is an exact decimal as text."""


def rows(store: Store, run: str) -> Iterator[dict[str, Json]]:
    """The cells of a run: first those with an episode, by scenario and trial, then those that are lost.

    Episodes that the plan does not have are left out: they are no part of the run.
    """
    plan = store.plan(run)
    lost = set(plan.cells)
    for counted in store.counted(run):
        lost.discard(Cell(counted.summary.scenario, counted.summary.trial))
        yield _row(plan, counted)
    for cell in plan.cells:
        if cell in lost:
            yield _lost(plan, cell)


def _row(plan: RunPlan, counted: Counted) -> dict[str, Json]:
    summary = counted.summary
    codes = dict.fromkeys(failure.code for failure in summary.failures)
    critical = dict.fromkeys(
        failure.failure_class for failure in summary.failures if failure.failure_class is not None
    )
    return {
        "run": plan.run,
        "failed_of": plan.failed_of,
        "agent": plan.agent.name,
        "evidence": summary.evidence,
        "layer": summary.layer,
        "scenario": summary.scenario,
        "trial": summary.trial,
        "attempt": counted.attempt,
        "outcome": summary.outcome,
        "codes": list(codes),
        "critical": list(critical),
        "stop": summary.stop,
        "error": summary.error,
        "recovered": summary.recovered,
        "faults": list(summary.fault_kinds),
        "failed_under": list(summary.fault_errors),
        "cost_usd": None if summary.cost_usd is None else str(summary.cost_usd),
        "simulated_ms": summary.simulated_ms,
        "calls": summary.calls,
        "turns": summary.turns,
        "trace_digest": summary.trace_digest,
        "grading": counted.grading,
    }


def _lost(plan: RunPlan, cell: Cell) -> dict[str, Json]:
    known: dict[str, Json] = {
        "run": plan.run,
        "failed_of": plan.failed_of,
        "agent": plan.agent.name,
        "scenario": cell.scenario,
        "trial": cell.trial,
        "outcome": "lost",
        "codes": [],
        "critical": [],
        "faults": [],
        "failed_under": [],
    }
    return {column: known.get(column) for column in COLUMNS}
