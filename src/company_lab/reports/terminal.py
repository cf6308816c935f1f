"""The report of a run for a terminal: what it is evidence of first, critical failures next, then figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from company_lab.evaluation.figures import CriticalFailure, Estimate, Mean, ScenarioFigures
from company_lab.evaluation.scenario_figures import MOST_TRAJECTORIES
from company_lab.evaluation.statistics.figure import decimals
from company_lab.formats.hostile import cut, one_line
from company_lab.reports.alike import alike_critical, alike_failed, told, trials_text, up_to
from company_lab.reports.assurance import NOT_ESTABLISHED, bound_lines, interval_lines
from company_lab.reports.diagnoses import diagnosis_lines
from company_lab.reports.pointing import show_line
from company_lab.reports.rows import Column, Row, Rows
from company_lab.reports.sections import Section, stored_sections
from company_lab.runs.place import store_words
from company_lab.runs.plan import RunPlan
from company_lab.runs.store import Store

MOST_CRITICAL = 50
LONGEST_MESSAGE = 300
MOST_NAMED = 8

EVIDENCE: Mapping[str, str] = {
    "authored fixture": "Authored fixtures only; no model inference",
    "deterministic simulation": "Deterministic simulation; no model inference",
    "test model": "Test model; no inference of a real model",
    "real model": "Real model in a simulated company",
    "replayed model traffic": "Replayed model traffic; old answers, and no fresh trial of any model",
    "undeclared agent": "Undeclared agent in a simulated company; no evidence about any model",
    "recorded elsewhere": "Recorded elsewhere; nothing was run or observed here",
    "live": "Live episodes",
}
"""The first line of a report by kind of evidence."""

NOT_SAID: Mapping[str, str] = {
    "authored fixture": "Not said: anything about an agent. The episodes were written by hand.",
    "deterministic simulation": (
        "Not said: how any model behaves. This shows whether company and scenarios hold together."
    ),
    "test model": "Not said: how a real model behaves. This shows whether loop, tools and retries work.",
    "real model": "Not said: the live world, other prompts or versions, and whatever no scenario asks.",
    "replayed model traffic": "Not said: anything about a model. Replaying is for development and is never scored.",
    "undeclared agent": "Not said: how a model behaves. The agent did not declare what it is.",
    "recorded elsewhere": "Not said: how the episodes were chosen, and whether their verdicts would be ours.",
    "live": "Not said: anything that was not sampled.",
}
"""What each kind of evidence does not establish."""


def render(plan: RunPlan, sections: Sequence[Section], *, at: str | None = "") -> RenderableType:
    """The report of a run. One block for each kind of evidence and layer; nothing is pooled over them.

    `at` is what a command says to find the run's store (`store_words`); where it is None the store vanishes, and no
    command is named.
    """
    parts: list[RenderableType] = []
    if len(sections) > 1:
        kinds = dict.fromkeys(_kind(section) for section in sections)
        parts.append(Text(f"{len(sections)} sections, never pooled: {'; '.join(kinds)}", "bold"))
    for index, section in enumerate(sections):
        if index:
            parts.append(Rule(style="dim"))
        parts.extend(_section(plan, section, first=index == 0, at=at))
    parts += [Text(), *_limits(sections)]
    return Group(*parts)


def report_of(store: Store, run: str) -> RenderableType:
    """The report of a stored run, by its whole id, with what lies in the store beside what counts."""
    plan = store.plan(run)
    return Group(
        render(plan, stored_sections(store, run), at=None if store.vanishes else store_words(store.path)),
        *diagnosis_lines(store, plan),
        *_beside(store, run),
    )


def _beside(store: Store, run: str) -> Iterator[RenderableType]:
    earlier, strangers = store.superseded(run), store.foreign(run)
    if earlier:
        yield _text(f"kept and not counted: {earlier} attempts that an outage ended, each played again since")
    if strangers:
        named = "; ".join(f"{cell.scenario}, trial {cell.trial}" for cell in strangers[:MOST_NAMED])
        more = f" and {len(strangers) - MOST_NAMED} more" if len(strangers) > MOST_NAMED else ""
        yield _text(f"not in the plan and not counted: {named}{more}", "bold yellow")


def _kind(section: Section) -> str:
    return one_line(f"{section.evidence}, {section.layer or 'no'} layer")


def evidence_line(section: Section) -> str:
    """What the figures of a section are evidence of, with n of N."""
    figures = section.figures
    said = EVIDENCE.get(section.evidence, one_line(section.evidence).capitalize())
    layer = f", {one_line(section.layer)} layer" if section.layer else ""
    return f"{said}: {figures.n} of {figures.planned} planned episodes scored{layer}"


def _section(plan: RunPlan, section: Section, *, first: bool, at: str | None) -> Iterator[RenderableType]:
    figures = section.figures
    yield Text(evidence_line(section), "bold")
    if first:
        yield Text(_about(plan), "dim", overflow="fold")
        if plan.caveat:
            yield _text(plan.caveat, "bold")
    yield from _critical(plan, section, at)
    yield Text()
    yield Rows("scenario", _columns(section), [_row(scenario, section.ks) for scenario in figures.scenarios])
    yield Text()
    yield from _across(section)
    yield from _failed(plan, section, at)
    yield from _open(section)
    yield from _unrepeated(section)


def _about(plan: RunPlan) -> str:
    note = f", a crowd of {plan.crowd:,}" if plan.crowd else ""
    note += f", {plan.note}" if plan.note else ""
    trials = f"{plan.trials} trial{'' if plan.trials == 1 else 's'}"
    agent = f"{plan.agent.name} ({plan.agent.kind})"
    return one_line(f"run {plan.run} · agent {agent} · suite {plan.suite} · {trials}, seed {plan.seed}{note}")


def _critical(plan: RunPlan, section: Section, at: str | None) -> Iterator[RenderableType]:
    figures = section.figures
    if not figures.critical and section.evidence == "recorded elsewhere":
        yield Text("critical failures: none recorded; the verdicts were given elsewhere")
        return
    if not figures.critical:
        yield Text(f"critical failures: none in {figures.n} scored episodes", "green" if figures.n else "")
        yield from (_indented(line, "dim") for line in bound_lines(figures))
        return
    classes = ", ".join(f"{name} {count}" for name, count in figures.critical_counts.items())
    yield Text()
    yield _text(f"✗ CRITICAL FAILURES by class: {classes}", "bold red")
    listed = list(up_to(MOST_CRITICAL, alike_critical(figures.critical)))
    for one in listed:
        yield _indented(f"{one.first.scenario}, {trials_text(one.trials)}", "red")
        yield from (Padding(_critical_failure(failure), (0, 0, 0, 4)) for failure in one.failures)
        if at is not None:
            yield _indented(f"  {show_line(plan.run, one.first.scenario, one.trials[0], at=at)}", "dim")
    rest = len(figures.critical) - told(listed) + figures.critical_left_out
    if rest > 0:
        yield _indented(f"and {rest} more critical failures")
    if section.evidence != "recorded elsewhere":
        yield from (_indented(line, "dim") for line in bound_lines(figures))


def _critical_failure(failure: CriticalFailure) -> RenderableType:
    same = failure.code == failure.failure_class
    named = failure.code if same else f"{failure.code} (class {failure.failure_class})"
    records = ", ".join(map(str, failure.evidence[:6]))
    evidence = f"evidence: {failure.check}{f', record {records}' if records else ''}"
    return Group(
        _text(f"{named}: {one_line(cut(failure.message, LONGEST_MESSAGE))}"),
        _indented(evidence, "dim"),
    )


def _text(text: str, style: str = "") -> Text:
    return Text(one_line(text), style, overflow="fold")


def _indented(text: str, style: str = "") -> RenderableType:
    return Padding(_text(text, style), (0, 0, 0, 2))


def _columns(section: Section) -> list[Column]:
    first = [Column.of(title) for title in ("n/N", "c", "rate", "Wilson 95 %")]
    later = section.ks[1:]
    if not later:
        return first
    span = f"{later[0]}" if len(later) == 1 else f"{later[0]}..{later[-1]}"
    return [
        *first,
        *(
            Column(f"{kind}{span}", tuple(f"{kind}{k}" for k in later), own_line=kind == "pass^")
            for kind in ("pass^", "pass@")
        ),
    ]


def _row(figure: ScenarioFigures, ks: Sequence[int]) -> Row:
    later = ks[1:]
    low_high = "n/a" if figure.wilson is None else " to ".join(map(decimals, figure.wilson))
    cells = (
        f"{figure.n}/{figure.planned}",
        str(figure.passed),
        _estimate(figure.rate, 1),
        low_high,
        *(_estimate(figure.pass_k.get(k), k) for k in later),
        *(_estimate(figure.pass_at_k.get(k), k) for k in later),
    )
    return Row(one_line(figure.scenario), cells, tuple(_remarks(figure)))


def _remarks(figure: ScenarioFigures) -> Iterator[str]:
    unknown = {"unscored": figure.unscored, "invalid": figure.invalid, "lost": figure.lost}
    said = ", ".join(f"{count} {name}" for name, count in unknown.items() if count)
    if said:
        yield f"{said}: bounds instead of figures"
    if set(figure.stops) - {"finished"}:
        yield f"stop reasons: {_counts(figure.stops)}"


def _estimate(estimate: Estimate | None, k: int) -> str:
    if estimate is None:
        return f"n/a (n<{k})"
    if estimate.point is not None:
        return decimals(estimate.point)
    return f"{decimals(estimate.low)}..{decimals(estimate.high)}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{one_line(name)} {count}" for name, count in counts.items()) or "none"


def _across(section: Section) -> Iterator[RenderableType]:
    figures = section.figures
    number = len(figures.scenarios)
    scenarios = f"{number} scenario{'' if number == 1 else 's'}"
    yield _text(f"across {scenarios}: plain mean, n {figures.n} of N {figures.planned}", "bold")
    for k in section.ks:
        power, any_of = figures.mean_pass_k[k], figures.mean_pass_at_k[k]
        if power.value is None:
            yield _indented(f"pass^{k} and pass@{k} {power.reason}")
        else:
            yield _indented(f"pass^{k} {_mean(power, k)}  pass@{k} {_mean(any_of, k)}")
    yield from (_indented(line) for line in interval_lines(figures, section.ks))
    if figures.all_passed is not None:
        bounds = ", ".join(f"pass^{k} {decimals(bound)}" for k, bound in figures.all_passed.items())
        yield _indented(f"every episode passed; at least, with 95 % confidence: {bounds}")
    outcomes = {name: getattr(figures, name) for name in ("passed", "failed", "unscored", "invalid", "lost")}
    ways = sum(figure.trajectories for figure in figures.scenarios)
    most = max((figure.trajectories for figure in figures.scenarios), default=0)
    at_least = "at least " if most >= MOST_TRAJECTORIES else ""
    yield _indented(f"distinct trajectories: {at_least}{ways} in {_episodes(figures.planned - figures.lost)}")
    yield _indented(f"episodes: {_counts(outcomes)}")
    if figures.outages:
        yield _indented(f"ended by an outage: {figures.outages}")
    yield _indented(f"error episodes: {figures.errors}, recovered (passed all the same): {figures.recovered}")
    for kind, (fired, passed) in figures.fired_by_fault.items():
        failed, recovered = figures.recovered_by_fault.get(kind, (0, 0))
        under = f", a call failed under it: {failed}, recovered: {recovered}" if failed else ""
        yield _indented(f"  fault {one_line(kind)}: {_episodes(fired)}, passed: {passed}{under}")
    if figures.recovered_by_fault:
        yield _indented(
            "  recovered counts each episode once, and does not say that retrying caused it", "dim"
        )
    yield _indented(f"stop reasons: {_counts(figures.stops)}")


def _episodes(count: int) -> str:
    return f"{count} episode{'' if count == 1 else 's'}"


def _mean(mean: Mean, k: int) -> str:
    return mean.reason if mean.value is None else _estimate(mean.value, k)


def _failed(plan: RunPlan, section: Section, at: str | None) -> Iterator[RenderableType]:
    if not section.failed:
        return
    yield Text()
    yield _text(f"✗ FAILED: {section.figures.failed} of {section.figures.planned} planned episodes", "bold")
    for cell, trials in alike_failed(section.failed):
        yield _indented(f"{cell.scenario}, {trials_text(trials)}: {', '.join(cell.codes)}")
        if cell.ended:
            yield _indented(f"  {one_line(cut(cell.ended, LONGEST_MESSAGE))}")
    rest = section.figures.failed - len(section.failed)
    if rest > 0:
        yield _indented(f"and {rest} more")
    if at is None:
        yield _indented("to look at one, keep the run: company_lab.run(..., store=FILE)", "dim")
        return
    first = section.failed[0]
    yield _indented(f"look at one: {show_line(plan.run, first.scenario, first.trial, at=at)}", "dim")


def _open(section: Section) -> Iterator[RenderableType]:
    figures = section.figures
    total = figures.unscored + figures.invalid + figures.lost
    if not total:
        return
    yield Text()
    yield _text(f"? WITHOUT A SCORE: {total} of {figures.planned} planned episodes", "bold yellow")
    for cell in section.open:
        why = one_line(cut(cell.why, LONGEST_MESSAGE))
        yield _indented(f"{cell.scenario}, trial {cell.trial}: {cell.state}, {why}")
    if total > len(section.open):
        yield _indented(f"and {total - len(section.open)} more")


def _unrepeated(section: Section) -> Iterator[RenderableType]:
    unrepeated = section.figures.unrepeated
    if not unrepeated:
        return
    named = ", ".join(unrepeated[:MOST_NAMED])
    if len(unrepeated) == len(section.figures.scenarios):
        named = "any scenario"
    elif len(unrepeated) > MOST_NAMED:
        named += f" and {len(unrepeated) - MOST_NAMED} more"
    why = "one trial, or all trials went the same way"
    yield Text()
    yield _text(f"no repeated reliability established for {named}: {why}", "yellow")


def _limits(sections: Sequence[Section]) -> Iterator[RenderableType]:
    yield _text("pass^k is C(c,k)/C(n,k), pass@k is 1 - C(n-c,k)/C(n,k); for k = 1 both are the rate", "dim")
    if any(section.figures.n and section.evidence != "recorded elsewhere" for section in sections):
        yield _text(NOT_ESTABLISHED, "dim")
    for evidence in dict.fromkeys(section.evidence for section in sections):
        if evidence in NOT_SAID:
            yield _text(NOT_SAID[evidence], "dim")
