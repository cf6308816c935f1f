"""A run as one JSON document: the plan, every figure with its n and N, and every planned cell.

The text is ASCII throughout: what a terminal or a browser could take for more than text is written as `\\u` escapes,
and `<`, `>` and `&` too, so that the document may be set into a page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from fractions import Fraction
from typing import Any, BinaryIO

from company_lab.evaluation.figures import CriticalFailure, Estimate, Figures, Mean, ScenarioFigures
from company_lab.formats.canonical import Json, canonical
from company_lab.formats.hostile import cut
from company_lab.reports.sections import Section, stored_sections
from company_lab.reports.terminal import EVIDENCE, NOT_SAID
from company_lab.runs.rows import rows
from company_lab.runs.store import Store

FORMAT = 1
LONGEST_MESSAGE = 4_000


def write_json(store: Store, run: str, file: BinaryIO) -> None:
    """Write a stored run, by its whole id. Cells are written one by one, as `runs.rows` has them."""
    plan, entry = store.plan(run), store.entry(run)
    head: dict[str, Json] = {
        "format": FORMAT,
        "kind": "report",
        "run": run,
        "status": entry.status,
        "created": entry.created,
        "ended": entry.ended,
        "outcomes": dict(sorted(entry.outcomes.items())),
        "planned": len(plan.cells),
        "superseded": store.superseded(run),
        "plan": {name: value for name, value in plan.to_json().items() if name != "cells"},
        "sections": [_section(section) for section in stored_sections(store, run)],
    }
    text = canonical(head)
    file.write(_safe(text[:-1] + ',"cells":[').encode("ascii"))
    for number, row in enumerate(rows(store, run)):
        file.write(_safe(("," if number else "") + "\n" + canonical(row)).encode("ascii"))
    file.write(b"\n]}\n")


def _safe(text: str) -> str:
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _section(section: Section) -> Json:
    figures = section.figures
    return {
        "evidence": section.evidence,
        "layer": section.layer,
        "said": EVIDENCE.get(section.evidence, section.evidence),
        "not_said": NOT_SAID.get(section.evidence),
        **_counts(figures),
        "mean_rate": _mean(figures.mean_rate),
        "mean_pass_k": {str(k): _mean(figures.mean_pass_k[k]) for k in section.ks},
        "mean_pass_at_k": {str(k): _mean(figures.mean_pass_at_k[k]) for k in section.ks},
        "all_passed": None if figures.all_passed is None else _numbered(figures.all_passed),
        "errors": figures.errors,
        "recovered": figures.recovered,
        "recovered_by_fault": {name: list(pair) for name, pair in figures.recovered_by_fault.items()},
        "fired_by_fault": {name: list(pair) for name, pair in figures.fired_by_fault.items()},
        "stops": dict(figures.stops),
        "critical": [_critical(one) for one in figures.critical],
        "critical_counts": dict(figures.critical_counts),
        "critical_episodes": dict(figures.critical_episodes),
        "critical_left_out": figures.critical_left_out,
        "unrepeated": list(figures.unrepeated),
        "scenarios": [_scenario(one) for one in figures.scenarios],
    }


def _counts(figures: Figures | ScenarioFigures) -> dict[str, Json]:
    return {
        "N": figures.planned,
        "n": figures.n,
        "finished": figures.finished,
        "passed": figures.passed,
        "failed": figures.failed,
        "unscored": figures.unscored,
        "invalid": figures.invalid,
        "outages": figures.outages,
        "lost": figures.lost,
    }


def _scenario(figure: ScenarioFigures) -> Json:
    return {
        "scenario": figure.scenario,
        **_counts(figure),
        "rate": _estimate(figure.rate),
        "wilson": None if figure.wilson is None else list(figure.wilson),
        "pass_k": {str(k): _estimate(value) for k, value in figure.pass_k.items()},
        "pass_at_k": {str(k): _estimate(value) for k, value in figure.pass_at_k.items()},
        "trajectories": figure.trajectories,
        "repeated": figure.repeated,
        "stops": dict(figure.stops),
        "evidence": list(figure.evidence),
        "layers": list(figure.layers),
    }


def _estimate(estimate: Estimate | None) -> Json:
    """An exact value, or the bounds between which cells without a score leave it."""
    if estimate is None:
        return None
    low, high = _number(estimate.low), _number(estimate.high)
    return {"value": low if estimate.point is not None else None, "low": low, "high": high}


def _mean(mean: Mean) -> Json:
    figure = mean.figure()
    return {
        "estimate": _estimate(mean.value),
        "scenarios": mean.scenarios,
        "reason": mean.reason or None,
        "interval": None
        if figure.low is None or figure.high is None
        else {"low": figure.low, "high": figure.high, "method": figure.interval, "level": 0.95},
    }


def _number(value: Fraction) -> float:
    return float(value)


def _numbered(values: Mapping[int, float]) -> dict[str, Json]:
    return {str(k): value for k, value in values.items()}


def _critical(failure: CriticalFailure) -> Json:
    found: dict[str, Any] = asdict(failure)
    return found | {"message": cut(failure.message, LONGEST_MESSAGE), "evidence": list(failure.evidence)}
