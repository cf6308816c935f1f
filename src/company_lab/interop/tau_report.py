"""The report of an import: text for people, JSON for programs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from company_lab.evaluation.figures import Estimate, ScenarioFigures
from company_lab.formats.canonical import Json
from company_lab.formats.hostile import cut, one_line
from company_lab.interop.hosting.tau_rejudge import Rejudging
from company_lab.interop.tau_survey import PlacedFinding, Survey
from company_lab.reports.console import to_text
from company_lab.reports.rows import Column, Row, Rows
from company_lab.reports.terminal import EVIDENCE

EVIDENCE_LINE = EVIDENCE["recorded elsewhere"]
MOST_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A survey, and what the store made of it."""

    survey: Survey
    source: Path
    run: str
    added: int
    """Episodes stored now; the others were there already."""
    earlier: tuple[str, ...]
    """Runs that were imported from a file of this name with other content."""
    again: Rejudging | None = None
    """How the runs were judged again, where a checkout was given."""


def text_of(imported: Imported, *, width: int) -> str:
    """The report in lines of `width` columns, without a line end after it."""
    survey = imported.survey
    lines = (
        textwrap.fill(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        for line in _lines(imported)
    )
    rows = Rows("task", _columns(survey), [_row(task, survey) for task in survey.figures.scenarios])
    parts = ["\n".join(lines), to_text(rows, width=width).rstrip("\n")]
    if survey.finding_counts:
        parts.append("\n".join(_findings(survey)))
    return "\n\n".join(parts)


def _lines(imported: Imported) -> Iterator[str]:
    survey = imported.survey
    figures = survey.figures
    planned = f"{len(survey.tasks)} tasks x {survey.trials} trials"
    yield EVIDENCE_LINE
    yield f"run {imported.run}, from {one_line(str(imported.source))}: {_storing(imported)}"
    if imported.again is not None:
        yield from imported.again.lines()
    for run in imported.earlier:
        yield f"a file of this name was imported before with other content, as run {run}; both are kept"
    yield f"episodes: {len(survey.present)} of {len(survey.cells)} planned ({planned})"
    if survey.complete:
        yield f"successful episodes: {figures.passed}/{figures.planned}"
        for k, mean in figures.mean_pass_k.items():
            if mean.value is not None and mean.value.point is not None:
                yield f"pass^{k}: {float(mean.value.point):.4f}"
    else:
        missing = [f"{cell.scenario} trial {cell.trial}" for cell in survey.missing]
        more = f" and {len(missing) - MOST_SHOWN} more" if len(missing) > MOST_SHOWN else ""
        yield "incomplete: recorded runs are missing, so no figure across tasks"
        yield f"missing: {', '.join(missing[:MOST_SHOWN])}{more}"
    yield f"tool errors: {survey.error_results} results in {figures.errors} episodes"
    yield f"error episodes recovered: {figures.recovered}/{figures.errors}"
    yield (
        f"repeated look-ups: {sum(survey.repeated.values())} in {survey.repeating_episodes} episodes "
        f"(same tool, same arguments, again): {_counts(survey.repeated)}"
    )
    yield f"step-limit runs: {figures.stops.get('turn_limit', 0)}/{len(survey.present)}"
    yield f"stop reasons: {_counts(figures.stops)}"
    yield f"tools used, {survey.calls} calls: {_counts(survey.tools)}"


def _storing(imported: Imported) -> str:
    there = len(imported.survey.present) - imported.added
    if not imported.added:
        return "imported before with the same content, nothing added"
    return f"{imported.added} episodes added" + (f", {there} were there" if there else "")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{one_line(name)} {count}" for name, count in counts.items()) or "none"


def _columns(survey: Survey) -> list[Column]:
    columns = [Column.of("n/N"), Column.of("c")]
    if survey.complete:
        later = tuple(k for k in survey.figures.mean_pass_k if 1 < k <= 4)
        columns += [Column.of("rate"), Column.of("Wilson 95 %"), *(Column.of(f"pass^{k}") for k in later)]
    return columns


def _row(task: ScenarioFigures, survey: Survey) -> Row:
    cells = [f"{task.n}/{task.planned}", str(task.passed)]
    if survey.complete:
        low, high = task.wilson or (0.0, 1.0)
        cells += [_number(task.rate), f"{low:.3f} to {high:.3f}"]
        cells += [_number(task.pass_k[k]) for k in task.pass_k if 1 < k <= 4]
    notes: tuple[str, ...] = ()
    if set(task.stops) - {"finished"}:
        notes = (f"stop reasons: {_counts(task.stops)}",)
    return Row(task.scenario, tuple(cells), notes)


def _number(estimate: Estimate | None) -> str:
    return "n/a" if estimate is None or estimate.point is None else f"{float(estimate.point):.3f}"


def _findings(survey: Survey) -> Iterator[str]:
    yield f"findings about the recording: {_counts(survey.finding_counts)}"
    for placed in survey.findings[:MOST_SHOWN]:
        where = f"{placed.task} trial {placed.trial}, message {placed.finding.message}"
        yield cut(f"  {placed.finding.kind} in {where}: {one_line(placed.finding.detail)}", 300)
    rest = sum(survey.finding_counts.values()) - min(len(survey.findings), MOST_SHOWN)
    if rest:
        yield f"  and {rest} more (all of them with --json)"


def json_of(imported: Imported) -> Json:
    """The report as a JSON object. Figures that do not exist are null."""
    survey = imported.survey
    figures = survey.figures
    complete = survey.complete
    pass_k: dict[str, Json] = {}
    for k, mean in figures.mean_pass_k.items():
        pass_k[str(k)] = float(mean.value.point) if mean.value and mean.value.point is not None else None
    left_out = sum(survey.finding_counts.values()) - len(survey.findings)
    return {
        "format": 1,
        "evidence": "recorded elsewhere",
        "source": str(imported.source),
        "digest": survey.digest,
        "run": imported.run,
        "episodes_added": imported.added,
        "judged_again": None if imported.again is None else imported.again.to_json(),
        "imported_before_with_other_content": list[Json](imported.earlier),
        "complete": complete,
        "planned": len(survey.cells),
        "episodes": len(survey.present),
        "missing": [{"task": cell.scenario, "trial": cell.trial} for cell in survey.missing],
        "successful": figures.passed if complete else None,
        "pass_k": pass_k if complete else None,
        "estimator": "mean over tasks of C(c,k)/C(n,k)",
        "error_results": survey.error_results,
        "error_episodes": figures.errors,
        "error_episodes_recovered": figures.recovered if complete else None,
        "repeated_lookups": dict[str, Json](survey.repeated),
        "repeated_lookups_episodes": survey.repeating_episodes,
        "step_limit_runs": figures.stops.get("turn_limit", 0),
        "stop_reasons": dict[str, Json](figures.stops),
        "calls": survey.calls,
        "tools": dict[str, Json](survey.tools),
        "tasks": [_task(task, complete) for task in figures.scenarios],
        "findings": [_finding(placed) for placed in survey.findings],
        "findings_left_out": left_out,
    }


def _task(task: ScenarioFigures, complete: bool) -> Json:
    exact: dict[str, Fraction | None] = {}
    for k, estimate in task.pass_k.items():
        exact[str(k)] = estimate.point if estimate is not None else None
    return {
        "task": task.scenario,
        "planned": task.planned,
        "n": task.n,
        "successes": task.passed,
        "wilson": list[Json](task.wilson) if task.wilson and complete else None,
        "pass_k": {k: None if value is None else float(value) for k, value in exact.items()}
        if complete
        else None,
        "stop_reasons": dict[str, Json](task.stops),
    }


def _finding(placed: PlacedFinding) -> Json:
    return {
        "task": placed.task,
        "trial": placed.trial,
        "message": placed.finding.message,
        "kind": placed.finding.kind,
        "detail": placed.finding.detail,
    }
