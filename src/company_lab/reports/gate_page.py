"""The decision of the gate, for a terminal and as the panel of an HTML report: outcome first, then what decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from company_lab.evaluation.statistics.figure import percent
from company_lab.formats.hostile import cut, one_line
from company_lab.release.decision import CriticalEpisode, Decision, Outcome, Ruling
from company_lab.reports.alike import Alike, alike_critical, told, trials_text, up_to
from company_lab.reports.html.deciding import GatePanel, GateRow
from company_lab.reports.pointing import show_line
from company_lab.reports.terminal import EVIDENCE, LONGEST_MESSAGE

MOST_CRITICAL = 20
MOST_ATTEMPTS = 10
_LEAST_CHANCE = 0.0001

SAID: Mapping[Outcome, str] = {
    "pass": "✓ PASS",
    "block": "✗ BLOCK",
    "hold": "? HOLD: evidence is missing",
}
_STYLES: Mapping[Outcome, str] = {"pass": "bold green", "block": "bold red", "hold": "bold yellow"}
_MARKS: Mapping[Outcome, str] = {"pass": "✓", "block": "✗", "hold": "?"}
_TONES: Mapping[Outcome, Literal["good", "bad", "warn"]] = {"pass": "good", "block": "bad", "hold": "warn"}
_ORDER: Mapping[Outcome, int] = {"block": 0, "hold": 1, "pass": 2}


def gate_page(decision: Decision, *, at: str = "") -> RenderableType:
    """The page of one decision. `at` is what a command says to find its store (`store_words`)."""
    return Group(*_lines(decision, at))


def gate_panel(decision: Decision) -> GatePanel:
    """The decision in the shape in which an HTML report shows it."""
    listed = _told_once(decision)
    rest = decision.critical_total - told(listed)
    return GatePanel(
        outcome=SAID[decision.outcome],
        tone=_TONES[decision.outcome],
        about=f"{evidence_line(decision)} · {_about(decision)}",
        rows=tuple(
            GateRow(
                sign=_MARKS[one.outcome],
                outcome=one.outcome,
                key=one.key,
                said=one.said,
                needed=one.needed,
                details=one.details,
            )
            for one in _by_gravity(decision)
        ),
        critical=(
            *(
                f"{one.first.scenario}, {trials_text(one.trials)} of run {one.first.run}: {_said_of(failure)}"
                for one in listed
                for failure in one.failures
            ),
            *((f"and {rest} more critical failures",) if rest > 0 else ()),
        ),
        attempts=(*decision.attempts[:MOST_ATTEMPTS], *_more(decision)),
        curve=tuple((percent(rate), chance_said(chance)) for rate, chance in decision.curve),
        not_established=decision.not_established,
    )


def evidence_line(decision: Decision) -> str:
    """What the decision rests on, with n of N."""
    said = "; ".join(EVIDENCE.get(kind, one_line(kind).capitalize()) for kind in decision.evidence)
    return f"{said or 'No evidence'}: {decision.n} of {decision.planned} planned episodes scored"


def _lines(decision: Decision, at: str) -> Iterator[RenderableType]:
    yield Text(evidence_line(decision), "bold")
    yield _text(_about(decision), "dim")
    yield Text()
    yield Text(SAID[decision.outcome], _STYLES[decision.outcome])
    yield from _critical(decision, at)
    yield Text()
    for ruling in _by_gravity(decision):
        yield from _ruling(ruling)
    if decision.outcome == "hold":
        yield Text()
        yield _text("needed to move from hold to pass:", "bold")
        yield from (_indented(f"- {line}") for line in decision.needed)
        if at:
            yield _indented(f"each company-lab command with{at}", "dim")
    yield from _attempts(decision)
    yield from _curve(decision)
    yield Text()
    yield _text("not established by this decision:", "bold")
    yield from (_indented(f"- {line}", "dim") for line in decision.not_established)


def _about(decision: Decision) -> str:
    about = (
        f"run {decision.run} · agent {decision.agent} · for {decision.use} · policy {decision.policy[:12]}"
    )
    return about + (f" · baseline {decision.baseline}" if decision.baseline else "")


def _by_gravity(decision: Decision) -> list[Ruling]:
    return sorted(decision.rulings, key=lambda one: _ORDER[one.outcome])


def _critical(decision: Decision, at: str) -> Iterator[RenderableType]:
    if not decision.critical:
        return
    yield Text()
    yield _text(f"✗ CRITICAL FAILURES of this candidate: {decision.critical_total}", "bold red")
    listed = _told_once(decision)
    for one in listed:
        run, scenario = one.first.run, one.first.scenario
        yield _indented(f"{scenario}, {trials_text(one.trials)} of run {run}", "red")
        yield from (Padding(_failure(failure), (0, 0, 0, 4)) for failure in one.failures)
        yield _indented(f"  {show_line(run, scenario, one.trials[0], at=at)}", "dim")
    rest = decision.critical_total - told(listed)
    if rest > 0:
        yield _indented(f"and {rest} more critical failures")


def _told_once(decision: Decision) -> list[Alike[CriticalEpisode]]:
    return list(up_to(MOST_CRITICAL, alike_critical(decision.critical, run_of=lambda one: one.run)))


def _failure(failure: CriticalEpisode) -> RenderableType:
    return _text(_said_of(failure))


def _said_of(failure: CriticalEpisode) -> str:
    records = ", ".join(map(str, failure.evidence[:6]))
    where = f"{failure.check}{f', record {records}' if records else ''}"
    named = (
        f"{failure.failure_class}, {failure.code}" if failure.code != failure.failure_class else failure.code
    )
    return f"{named}: {cut(one_line(failure.message), LONGEST_MESSAGE)} ({where})"


def _ruling(ruling: Ruling) -> Iterator[RenderableType]:
    style = "" if ruling.outcome == "pass" else _STYLES[ruling.outcome].removeprefix("bold ")
    yield _text(f"{_MARKS[ruling.outcome]} {ruling.outcome:<5} {ruling.key}: {ruling.said}", style)
    yield from (_indented(f"        {detail}", "dim") for detail in ruling.details)
    if ruling.outcome == "block" and ruling.needed:
        yield _indented(f"        needs {ruling.needed}", "dim")


def _attempts(decision: Decision) -> Iterator[RenderableType]:
    if not decision.attempts:
        return
    yield Text()
    yield _text("other runs, and what of them stays in the count:", "bold")
    yield from (_indented(f"- {line}") for line in decision.attempts[:MOST_ATTEMPTS])
    yield from (_indented(line) for line in _more(decision))


def _more(decision: Decision) -> tuple[str, ...]:
    rest = len(decision.attempts) - MOST_ATTEMPTS
    return (f"and {rest} more",) if rest > 0 else ()


def _curve(decision: Decision) -> Iterator[RenderableType]:
    if not decision.curve:
        return
    yield Text()
    yield _text("what so many episodes let through: true rate of critical failures, chance to pass", "bold")
    yield _indented(curve_line(decision.curve), "dim")


def curve_line(curve: tuple[tuple[float, float], ...]) -> str:
    """An operating curve on one line."""
    return "; ".join(f"{percent(rate)}: {chance_said(chance)}" for rate, chance in curve)


def chance_said(chance: float) -> str:
    """A chance to pass in percent; below what anybody would act on, its size says nothing."""
    return percent(chance) if chance >= _LEAST_CHANCE else f"under {percent(_LEAST_CHANCE)}"


def _text(text: str, style: str = "") -> Text:
    return Text(one_line(text), style, overflow="fold")


def _indented(text: str, style: str = "") -> RenderableType:
    return Padding(_text(text, style), (0, 0, 0, 2))
