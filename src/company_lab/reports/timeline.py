"""The timeline of one episode: who did what when, what it changed, and where an expectation broke."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from company_lab.evaluation import Failure, Note, Verdict
from company_lab.formats.hostile import cut, one_line, printable
from company_lab.formats.time import format_duration
from company_lab.reports.steps import Context, Line, Record, lines_of
from company_lab.reports.vocabulary import stop_in_words
from company_lab.reports.wording import Currencies, fields, value
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.spec import WorldSpec
from company_lab.traces.record import Trace

_STYLES = {"plain": "", "strong": "bold", "quiet": "dim", "bad": "red", "quote": "italic"}
_OUTER = frozenset({"turn", "event", "action", "reply", "approval", "stopped", "settled"})
_NO_MOMENT = frozenset({"started", "stopped", "settled"})
_WORD = {"passed": "PASSED", "failed": "FAILED", "unscored": "UNSCORED", "invalid": "INVALID"}
_TONE = {"passed": "bold green", "failed": "bold red"}
LONGEST_FOUND = 300

Placed: TypeAlias = dict[int | None, list[tuple[Failure, bool]]]
"""Failures and advisories (True) by the record they stand under; None for those that no record broke."""


def render(
    scenario: Scenario | None, spec: WorldSpec | None, trace: Trace, verdict: Verdict | None
) -> RenderableType:
    """What happened in an episode, for a person who knows the business and not this program.

    `scenario` and `spec` add titles, descriptions and currencies and may be missing. A failure stands
    under the record that broke the expectation; one that no single record broke stands at the end. An
    episode that passed says why each expectation holds, where its verdict tells. Text of agents and
    customers is harmless in it.
    """
    context = context_of(scenario, spec, trace)
    caveat = None if spec is None else spec.caveat
    parts: list[RenderableType] = [_head(scenario, trace, verdict, caveat), Rule(style="dim")]
    placed = placed_failures(verdict, trace) if verdict else {}
    parts.append(_body(trace, context, placed))
    if verdict:
        parts.extend(_after(verdict, placed.get(None, []), trace, context.currencies))
    return Group(*parts)


def context_of(scenario: Scenario | None, spec: WorldSpec | None, trace: Trace) -> Context:
    """What wording needs to know about an episode beside its records."""
    currencies = Currencies(scenario.initial.tables if scenario else {})
    for record in trace.records:
        for change in record.get("changes") or ():
            if change["op"] == "create":
                currencies.learn(
                    str(change["id"]), {name: pair[1] for name, pair in change["fields"].items()}
                )
        if record.get("kind") == "result" and isinstance(record.get("value"), Mapping):
            found = record["value"]
            if isinstance(found.get("id"), str):
                currencies.learn(found["id"], found)
    calls = {str(action.get("call")): action for action in trace.by_kind("action")}
    tenant = trace.header.get("tenant")
    return Context(spec, currencies, tenant if isinstance(tenant, str) else None, calls)


def _head(
    scenario: Scenario | None, trace: Trace, verdict: Verdict | None, caveat: str | None
) -> RenderableType:
    header = trace.header
    evidence = str(header.get("evidence") or "unknown")
    agent: Mapping[str, Any] = header.get("agent") or {}
    lines = [
        Text(f"{one_line(evidence).capitalize()}; one episode, which says nothing about how often", "dim"),
        Text.assemble(
            (one_line(f"{header.get('scenario')}, trial {header.get('trial')}: "), "bold"),
            (_WORD[verdict.outcome], _TONE.get(verdict.outcome, "bold yellow"))
            if verdict
            else ("not judged", "bold"),
        ),
    ]
    if caveat:
        lines.append(Text(one_line(caveat), "bold"))
    if scenario:
        lines.append(Text(one_line(f"{scenario.title} (severity {scenario.severity})")))
    facts = [f"agent {agent.get('name')} ({agent.get('kind')})"]
    if header.get("seed") is not None:
        facts.append(f"seed {header['seed']}")
    if header.get("layer"):
        facts.append(f"layer {header['layer']}")
    facts.append(f"{header.get('episode') or 'fresh'} start")
    settled: Record = next(trace.by_kind("settled"), {})
    facts.append(_count(sum(1 for _ in trace.by_kind("action")), "call"))
    facts.append(_count(sum(1 for _ in trace.by_kind("turn")), "turn"))
    if settled.get("simulated_ms") is not None:
        facts.append(f"{format_duration(settled['simulated_ms'])} simulated")
    if "cost_usd" in settled:
        facts.append("cost unknown" if settled["cost_usd"] is None else f"cost {settled['cost_usd']} USD")
    lines.append(Text(one_line(" · ".join(facts)), "dim"))
    if trace.stop is None:
        lines.append(Text("the trace ends before the episode stopped: it is incomplete", "bold red"))
    else:
        lines.append(Text(f"stopped: {stop_in_words(trace.stop)}", "dim"))
    return Group(*lines)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def placed_failures(verdict: Verdict, trace: Trace) -> Placed:
    """What broke, by the record that broke it: the last of the evidence that is a moment."""
    placed: Placed = {}
    for advisory, failures in ((False, verdict.failures), (True, verdict.advisories)):
        for failure in failures:
            moments = [seq for seq in failure.evidence if _is_moment(seq, trace)]
            placed.setdefault(max(moments, default=None), []).append((failure, advisory))
    return placed


def _is_moment(seq: int, trace: Trace) -> bool:
    return 0 <= seq < len(trace.records) and trace.records[seq].get("kind") not in _NO_MOMENT


def _body(trace: Trace, context: Context, placed: Placed) -> RenderableType:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, vertical="top")
    table.add_column(overflow="fold")
    day, shown_time = None, ""
    for record in trace.records:
        lines = lines_of(record, context)
        broken = placed.get(record["seq"], [])
        if not lines and not broken:
            continue
        date, time = _moment(record.get("at"))
        if date and date != day:
            table.add_row("", Text(date, "dim"))
            day = date
        inner = record["kind"] not in _OUTER
        content: list[RenderableType] = [
            Padding(_said(line), (0, 0, 0, 2 if inner else 0)) for line in lines[:1]
        ]
        content += [Padding(_said(line), (0, 0, 0, 4 if inner else 2)) for line in lines[1:]]
        content += [
            Padding(_broken(failure, advisory, context.currencies), (0, 0, 0, 2))
            for failure, advisory in broken
        ]
        table.add_row(Text("" if inner and time == shown_time else time, "dim"), Group(*content))
        shown_time = time
    return table


def _moment(at: object) -> tuple[str, str]:
    try:
        moment = datetime.fromisoformat(str(at))
    except ValueError:
        return "", ""
    return f"{moment:%A, %d %B %Y} ({moment:%z})", f"{moment:%H:%M:%S}"


class _Quote:
    """A line of a quotation, marked at its left edge however often it wraps."""

    def __init__(self, text: str) -> None:
        self._text = Text(text, _STYLES["quote"], overflow="fold")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self._text.wrap(console, max(options.max_width - 2, 10)) or [Text("")]:
            yield Text.assemble(("│ ", "dim"), line)


def _said(line: Line) -> RenderableType:
    if line.tone == "quote":
        return _Quote(line.text)
    return Text(line.text, _STYLES[line.tone], overflow="fold")


def _broken(failure: Failure, advisory: bool, currencies: Currencies) -> RenderableType:
    word, style = ("ADVICE", "bold yellow") if advisory else ("BROKEN", "bold red")
    kind = f", {failure.failure_class}" if failure.failure_class else ""
    head = f"✗ {word}: {one_line(failure.code)} ({failure.severity}{kind})"
    details = Text(printable(failure.message), overflow="fold")
    details.append(f"\nexpectation {one_line(failure.check)}", "dim")
    for name, item in (("found", failure.found), ("expected", failure.expected)):
        if item is not None:
            said = named_value(item, failure.check, currencies)
            details.append(f"\n{name}: {cut(said, LONGEST_FOUND)}")
    return Group(Text(head, style, overflow="fold"), Padding(details, (0, 0, 0, 2)))


def named_value(item: Any, check: str, currencies: Currencies) -> str:
    """What was found or expected; the last part of the check's path may name an amount of a record in it."""
    if isinstance(item, Mapping) and item:
        return fields(item, currency=currencies.of_call(item))
    path = check.split(".")
    return value(item, name=path[-1], currency=currencies.of(*path))


def _after(
    verdict: Verdict, without: Sequence[tuple[Failure, bool]], trace: Trace, currencies: Currencies
) -> Iterator[RenderableType]:
    if without:
        yield Rule("What never happened, or shows only in the end", style="dim", align="left")
        for failure, advisory in without:
            yield Padding(_broken(failure, advisory, currencies), (0, 0, 0, 2))
    if verdict.unscored:
        yield Rule("What could not be decided", style="dim", align="left")
        yield _noted("?", verdict.unscored, trace)
    if verdict.invalid:
        yield Rule("Why the episode does not count", style="dim", align="left")
        yield _noted("!", verdict.invalid, trace)
    if verdict.outcome == "passed":
        yield Rule("Why it passed", style="dim", align="left")
        if verdict.held:
            yield _noted("✓", verdict.held, trace)
        else:
            yield Text("  every expectation holds; the stored verdict does not explain them one by one")
    elif verdict.held:
        yield Text(f"\n{_count(len(verdict.held), 'other expectation')} held.", "dim")


def _noted(mark: str, notes: Iterable[Note], trace: Trace) -> RenderableType:
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for note in notes:
        text = Text(one_line(note.check), "bold")
        text.append(f": {printable(note.message)}", "not bold")
        where = ", ".join(_moments(note.evidence, trace))
        if where:
            text.append(f" [{where}]", "dim not bold")
        table.add_row(f"  {mark}", text)
    return table


def _moments(evidence: Iterable[int], trace: Trace) -> Iterator[str]:
    """The calls, events and other records that are moments of the timeline, each once."""
    names: dict[str, str] = {}
    for seq in evidence:
        if _is_moment(seq, trace):
            record = trace.records[seq]
            event = record.get("id") if record["kind"] == "event" else None
            _, time = _moment(record.get("at"))
            names.setdefault(one_line(str(record.get("call") or event or record["kind"])), time)
    shown = list(names.items())[:4]
    return (f"{name} at {time}" if time else name for name, time in shown)
