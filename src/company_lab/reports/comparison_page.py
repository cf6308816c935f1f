"""A comparison of two runs: for a terminal, and as the panel of an HTML report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from company_lab.evaluation.statistics import Figure
from company_lab.evaluation.statistics.figure import decimals
from company_lab.formats.dollars import usd
from company_lab.formats.hostile import one_line
from company_lab.release.comparison import Comparison
from company_lab.reports.html.comparing import ComparisonPanel, ComparisonRow
from company_lab.reports.terminal import EVIDENCE

MOST_LISTED = 12
NOT_ESTABLISHED = (
    "Not established: that the two are equal where no difference is shown, anything about scenarios that were left "
    "out, and anything that neither run reached."
)
_STYLES = {
    "better": "bold green",
    "worse": "bold red",
    "undecided": "bold yellow",
    "no difference shown": "bold",
}


def comparison_page(comparison: Comparison) -> RenderableType:
    """The page of one comparison."""
    return Group(*_lines(comparison))


def comparison_panel(comparison: Comparison) -> ComparisonPanel:
    """The comparison in the shape in which an HTML report shows it."""
    return ComparisonPanel(
        before=comparison.baseline,
        after=comparison.candidate,
        outcome=comparison.outcome,
        statement=comparison.statement,
        rows=tuple(_rows(comparison)),
        notes=(*_notes(comparison), NOT_ESTABLISHED),
    )


def _lines(comparison: Comparison) -> Iterator[RenderableType]:
    total = len(comparison.compared) + len(comparison.left_out)
    kinds = "; ".join(EVIDENCE.get(kind, one_line(kind).capitalize()) for kind in comparison.evidence)
    over = f"comparison over {len(comparison.compared)} of {total} scenarios, paired"
    yield _text(f"{kinds or 'No evidence'}: {over}", "bold")
    yield _text(f"candidate {comparison.candidate} · baseline {comparison.baseline}", "dim")
    yield Text()
    yield _text(f"{comparison.outcome.upper()}: {comparison.statement}", _STYLES[comparison.outcome])
    yield Text()
    for row in _rows(comparison):
        sides = "" if row.before == row.after == "-" else f"{row.before} before, {row.after} after; "
        yield _text(f"{row.measure}: {sides}{row.reading}")
        yield _indented(row.difference, "dim")
    notes = tuple(_notes(comparison))
    if notes:
        yield Text()
    yield from (_text(f"- {note}") for note in notes)
    yield Text()
    yield _text(NOT_ESTABLISHED, "dim")


def _rows(comparison: Comparison) -> Iterator[ComparisonRow]:
    p = "" if comparison.p is None else f", sign-flip p {decimals(comparison.p)}"
    yield ComparisonRow(
        measure=f"mean pass^{comparison.k}",
        before=decimals(comparison.before),
        after=decimals(comparison.after),
        difference=f"{comparison.difference}{p}",
        reading=comparison.outcome,
    )
    if len(comparison.by_class) > 1:
        for one in comparison.by_class:
            yield ComparisonRow(
                measure=f"class {one.failure_class}",
                before="-",
                after="-",
                difference=f"{one.difference}, sign-flip p {decimals(one.p_adjusted)} after Holm",
                reading=one.reading,
            )
    yield _critical(comparison)
    yield _ratio("cost", comparison.cost, _usd(comparison.cost_before), _usd(comparison.cost_after))
    yield _ratio("latency", comparison.latency)


def _critical(comparison: Comparison) -> ComparisonRow:
    new = len(comparison.new_critical)
    return ComparisonRow(
        measure="episodes with critical failures",
        before=_counts(comparison.critical_before),
        after=_counts(comparison.critical_after),
        difference=f"{new} new in a scenario that did not have them" if new else "none that is new",
        reading="worse" if new else "no new ones",
    )


def _usd(cost: Decimal | None) -> str:
    return "unknown" if cost is None else usd(cost)


def _ratio(measure: str, figure: Figure, before: str = "-", after: str = "-") -> ComparisonRow:
    if before == after == _usd(Decimal(0)):
        reading = "no difference shown"
    elif figure.low is None or figure.high is None:
        reading = "undecided"
    elif figure.high < 1:
        reading = "better"
    else:
        reading = "worse" if figure.low > 1 else "no difference shown"
    return ComparisonRow(measure=measure, before=before, after=after, difference=str(figure), reading=reading)


def _notes(comparison: Comparison) -> Iterator[str]:
    for new in comparison.new_critical[:MOST_LISTED]:
        trials = ", ".join(map(str, new.trials[:6]))
        yield f"new critical failure in {new.scenario}: {new.failure_class}, trials {trials}"
    yield from _rest(len(comparison.new_critical), "new critical failures")
    for stop in comparison.changed_stops[:MOST_LISTED]:
        yield f"stop reasons changed in {stop.scenario}: {_counts(stop.before)} before, {_counts(stop.after)} after"
    yield from _rest(len(comparison.changed_stops), "scenarios with changed stop reasons")
    for one in comparison.left_out[:MOST_LISTED]:
        yield f"left out, {one.scenario}: {one.why}"
    yield from _rest(len(comparison.left_out), "scenarios left out")
    yield from (f"not the same, {difference}" for difference in comparison.differs)
    yield from (f"not judged again: {what}" for what in comparison.not_judged_again)


def _rest(count: int, what: str) -> Iterator[str]:
    if count > MOST_LISTED:
        yield f"and {count - MOST_LISTED} more {what}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"


def _text(text: str, style: str = "") -> Text:
    return Text(one_line(text), style, overflow="fold")


def _indented(text: str, style: str = "") -> RenderableType:
    return Padding(_text(text, style), (0, 0, 0, 2))
