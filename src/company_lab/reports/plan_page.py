"""How much to run, as a page for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from company_lab.formats.dollars import usd
from company_lab.formats.hostile import one_line
from company_lab.release.decision import counted
from company_lab.release.planning import Need, ReleasePlan
from company_lab.reports.gate_page import curve_line


def plan_page(plan: ReleasePlan) -> RenderableType:
    """The page of one plan."""
    return Group(*_lines(plan))


def _lines(plan: ReleasePlan) -> Iterator[RenderableType]:
    yield _text("A calculation: nothing was run", "bold")
    size = f"{counted(plan.scenarios, 'scenario')}, {counted(plan.trials, 'trial')} each"
    yield _text(f"{size}: {counted(plan.episodes, 'episode')}", "bold")
    if plan.needs:
        yield Text()
    for need in plan.needs:
        yield _text(f"{'✓' if need.trials <= plan.trials else '✗'} {_need(need)}")
    yield Text()
    allowed = f"{plan.allowed} allowed"
    yield _text(
        f"a gate over {plan.episodes:,} episodes, {allowed}: true failure rate, chance to pass", "bold"
    )
    yield _indented(curve_line(plan.curve))
    yield from (_text(line) for line in plan.compared)
    yield from _past(plan)
    yield Text()
    yield from (_text(f"- {note}", "dim") for note in plan.notes)


def _need(need: Need) -> str:
    episodes = "" if need.episodes is None else f"{need.episodes:,} episodes, "
    note = f" ({need.note})" if need.note else ""
    return f"{need.claim}: {episodes}{need.trials:,} trials of each{note}"


def _past(plan: ReleasePlan) -> Iterator[RenderableType]:
    if plan.past is None:
        yield _text("cost: unknown without an earlier run, --from RUN")
        return
    cost = "unknown" if plan.cost_usd is None else usd(plan.cost_usd)
    wall = "unknown" if plan.wall_s is None else f"{plan.wall_s:,.0f} s one after another"
    yield _text(f"cost by the {plan.past.episodes} episodes of run {plan.past.run}: {cost}, time {wall}")


def _text(text: str, style: str = "") -> Text:
    return Text(one_line(text), style, overflow="fold")


def _indented(text: str, style: str = "") -> RenderableType:
    return Padding(_text(text, style), (0, 0, 0, 2))
