"""One episode as the page tells it: moments in order, each with what it changed and what it broke."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from company_lab.evaluation import Failure, Note, Verdict
from company_lab.formats.hostile import cut, one_line
from company_lab.formats.time import format_duration
from company_lab.reports.html.records import Books, RecordChange
from company_lab.reports.steps import Context, Line, lines_of
from company_lab.reports.timeline import LONGEST_FOUND, context_of, named_value, placed_failures
from company_lab.reports.vocabulary import stop_in_words
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.spec import WorldSpec
from company_lab.traces.record import Trace

MOST_CHOICES = 8
_INNER = frozenset({"observation", "choice", "guard", "fault", "effect", "result", "memory", "usage"})
_TOLD_BY_CHANGES = frozenset({"result", "event", "approval", "settled"})


@dataclass(frozen=True, slots=True)
class Share:
    """One option a selector weighed, and how probable it found it."""

    option: str
    probability: float

    @property
    def percent(self) -> str:
        """Its probability, as it is printed and drawn."""
        return f"{100 * self.probability:.1f}"


@dataclass(frozen=True, slots=True)
class Broken:
    """An expectation that does not hold."""

    word: str
    code: str
    severity: str
    message: str
    check: str
    found: str
    expected: str


@dataclass(frozen=True, slots=True)
class Moment:
    """One record of a trace."""

    kind: str
    day: str
    """Said where a new day begins."""
    time: str
    inner: bool
    """Whether it belongs to the moment above."""
    lines: tuple[Line, ...]
    shares: tuple[Share, ...]
    changes: tuple[RecordChange, ...]
    broken: tuple[Broken, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """A whole episode, ready to be set."""

    facts: tuple[str, ...]
    title: str
    stopped: str
    moments: tuple[Moment, ...]
    never: tuple[Broken, ...]
    """What no single moment broke."""
    undecided: tuple[Note, ...]
    void: tuple[Note, ...]


def told(scenario: Scenario | None, spec: WorldSpec | None, trace: Trace, verdict: Verdict) -> Told:
    """What happened in an episode. Without scenario and spec records have no titles and amounts no currency."""
    context = context_of(scenario, spec, trace)
    placed = placed_failures(verdict, trace)
    broken = {
        seq: tuple(_broken(one, advisory, context) for one, advisory in found)
        for seq, found in placed.items()
    }
    books = Books(scenario.initial.tables if scenario else {}, context)
    return Told(
        facts=tuple(_facts(trace)),
        title=scenario.title if scenario else "",
        stopped=stop_in_words(trace.stop) if trace.stop else "the trace ends before the episode stopped",
        moments=tuple(_moments(trace, context, books, broken)),
        never=broken.get(None, ()),
        undecided=verdict.unscored,
        void=verdict.invalid,
    )


def _facts(trace: Trace) -> Iterator[str]:
    header = trace.header
    agent: Mapping[str, Any] = header.get("agent") or {}
    yield f"agent {agent.get('name')} ({agent.get('kind')})"
    if header.get("seed") is not None:
        yield f"seed {header['seed']}"
    settled: Mapping[str, Any] = next(iter(trace.by_kind("settled")), {})
    for noun in ("call", "turn"):
        number = settled.get(f"{noun}s")
        if isinstance(number, int):
            yield f"{number} {noun}{'' if number == 1 else 's'}"
    if settled.get("simulated_ms") is not None:
        yield f"{format_duration(settled['simulated_ms'])} simulated"
    if "cost_usd" in settled:
        yield "cost unknown" if settled["cost_usd"] is None else f"cost {settled['cost_usd']} USD"


def _moments(
    trace: Trace, context: Context, books: Books, broken: Mapping[int | None, tuple[Broken, ...]]
) -> Iterator[Moment]:
    last_day = ""
    for record in trace.records:
        kind = str(record["kind"])
        changes: Sequence[Mapping[str, Any]] = record.get("changes") or ()
        shown = {**record, "changes": []} if kind in _TOLD_BY_CHANGES and changes else record
        lines = lines_of(shown, context)
        if kind == "settled" and changes:
            lines[:1] = [Line("the books in the end, against the beginning", "strong")]
        here = broken.get(record["seq"], ())
        if not lines and not here:
            continue
        day, time = _when(record.get("at"))
        yield Moment(
            kind=kind,
            day=day if day != last_day else "",
            time=time,
            inner=kind in _INNER,
            lines=tuple(lines),
            shares=shares_in(record.get("answer")) if kind == "choice" else (),
            changes=books.told(changes) if kind == "settled" else books.apply(changes),
            broken=here,
        )
        last_day = day or last_day


def _when(at: object) -> tuple[str, str]:
    try:
        moment = datetime.fromisoformat(str(at))
    except ValueError:
        return "", ""
    return f"{moment:%A, %d %B %Y}", f"{moment:%H:%M:%S}"


def _broken(failure: Failure, advisory: bool, context: Context) -> Broken:
    def said(item: Any) -> str:
        return (
            "" if item is None else cut(named_value(item, failure.check, context.currencies), LONGEST_FOUND)
        )

    severity: str = failure.severity
    if failure.failure_class:
        severity = f"{failure.severity}, class {failure.failure_class}"
    return Broken(
        word="Advice" if advisory else "Broken",
        code=failure.code,
        severity=severity,
        message=failure.message,
        check=failure.check,
        found=said(failure.found),
        expected=said(failure.expected),
    )


def shares_in(answer: Any) -> tuple[Share, ...]:
    """The options a raw answer weighs, most probable first; empty where it gives no probabilities.

    Understood are an object of option to probability and a list of objects that have both, under
    `probabilities`, at any place in the answer.
    """
    found = _probabilities(answer, 0)
    pairs: list[Share] = []
    if isinstance(found, Mapping):
        pairs = [Share(str(name), float(one)) for name, one in found.items() if _is_probability(one)]
    elif isinstance(found, list):
        for entry in found:
            if isinstance(entry, Mapping):
                one = next(
                    (entry[key] for key in ("probability", "p") if _is_probability(entry.get(key))), None
                )
                name = next(
                    (entry[key] for key in ("option", "label", "name", "value", "id") if key in entry), ""
                )
                if one is not None:
                    pairs.append(Share(str(name), float(one)))
    pairs.sort(key=lambda one: -one.probability)
    return tuple(Share(cut(one_line(one.option), 80), one.probability) for one in pairs[:MOST_CHOICES])


def _probabilities(answer: Any, depth: int) -> Any:
    if depth > 4:
        return None
    if isinstance(answer, Mapping):
        if isinstance(answer.get("probabilities"), (Mapping, list)):
            return answer["probabilities"]
        inner: Sequence[Any] = list(answer.values())
    elif isinstance(answer, list):
        inner = answer
    else:
        return None
    return next((found for one in inner if (found := _probabilities(one, depth + 1)) is not None), None)


def _is_probability(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1
