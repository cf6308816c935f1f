"""Limits that are judged: cost, time, turns, calls, tokens. An unknown is never within a bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from company_lab.evaluation.case import Case, Check
from company_lab.evaluation.findings import Place
from company_lab.evaluation.index import Record
from company_lab.evaluation.model_cost import model_cost
from company_lab.formats.time import format_duration
from company_lab.scenarios.expected import JudgedLimits

_FREE = frozenset({"request", "conduct", "scripted", "test_model"})
"""Agents that use no model, for which no report of use means none."""


@dataclass(frozen=True, slots=True)
class WithinCost:
    """Model cost in US dollars stays within the bound. Known cost beyond it fails, whatever is unknown."""

    place: Place
    bound: Decimal

    def __call__(self, case: Case) -> None:
        index = case.index
        reported = [model_cost(record.get("cost_usd")) for record in index.usage]
        known = sum((cost for cost in reported if cost is not None), Decimal(0))
        total = model_cost(index.settled.get("cost_usd")) if index.settled is not None else None
        # A scripted model costs nothing, whatever tokens it says it used at a price nobody knows.
        if not _free(index.started) and (None in reported or any(map(_unmetered, index.usage))):
            total = None
        evidence = (*(record.get("seq", -1) for record in index.usage), index.end)
        spent = known if total is None else max(total, known)
        if spent > self.bound:
            _exceeded(case, self.place, "cost", f"{spent} USD", f"{self.bound} USD", evidence)
        elif total is None:
            case.findings.undecided(
                self.place, f"the cost is unknown; the bound is {self.bound} USD", evidence
            )
        elif case.findings.explaining:
            case.findings.hold(self.place, f"cost {spent} USD of at most {self.bound} USD", evidence)


@dataclass(frozen=True, slots=True)
class WithinTokens:
    """Input and output tokens together stay within the bound."""

    place: Place
    bound: int

    def __call__(self, case: Case) -> None:
        index = case.index
        free = _free(index.started)
        known, complete = 0, bool(index.usage) or free
        for record in index.usage:
            counts = [_count(record.get("input_tokens")), _count(record.get("output_tokens"))]
            known += sum(count for count in counts if count is not None)
            complete = complete and None not in counts and (free or any(counts))
        evidence = (*(record.get("seq", -1) for record in index.usage), index.end)
        if known > self.bound:
            _exceeded(case, self.place, "tokens", str(known), str(self.bound), evidence)
        elif not complete:
            case.findings.undecided(
                self.place, f"the use of tokens is unknown; the bound is {self.bound}", evidence
            )
        elif case.findings.explaining:
            case.findings.hold(self.place, f"{known} of at most {self.bound} tokens", evidence)


@dataclass(frozen=True, slots=True)
class WithinLatency:
    """Real time, from the timings stored beside the trace, stays within the bound."""

    place: Place
    bound_ms: int

    def __call__(self, case: Case) -> None:
        wall = case.timings.get("wall_ms") if case.timings is not None else None
        if isinstance(wall, bool) or not isinstance(wall, (int, float)) or not 0 <= wall < float("inf"):
            case.findings.undecided(
                self.place,
                f"the latency is unknown; the bound is {format_duration(self.bound_ms)}",
                (case.index.end,),
            )
        elif wall > self.bound_ms:
            found = f"{format_duration(round(wall))}"
            _exceeded(case, self.place, "latency", found, format_duration(self.bound_ms), (case.index.end,))
        elif case.findings.explaining:
            # the measured value is left out, so that explanations of equal traces stay equal
            case.findings.hold(
                self.place, f"latency within {format_duration(self.bound_ms)}", (case.index.end,)
            )


@dataclass(frozen=True, slots=True)
class WithinCount:
    """Simulated time until the agent stopped, turns or calls stay within the bound."""

    place: Place
    key: str
    """`simulated_ms`, `turns` or `calls` of the settled record."""
    bound: int

    def __call__(self, case: Case) -> None:
        index = case.index
        found = _count(index.settled.get(self.key)) if index.settled is not None else None
        if found is None and self.key == "calls":
            found = len(index.attempts)
        elif found is None and self.key == "turns":
            found = index.turns
        if found is None:
            case.findings.undecided(self.place, "the simulated time is unknown", (index.end,))
        elif found > self.bound:
            _exceeded(case, self.place, self.key, self._words(found), self._words(self.bound), (index.end,))
        elif case.findings.explaining:
            case.findings.hold(
                self.place,
                f"{self._words(found)} of at most {self._words(self.bound)} {self.key}",
                (index.end,),
            )

    def _words(self, value: int) -> str:
        return format_duration(value) if self.key == "simulated_ms" else str(value)


def limit_checks(limits: JudgedLimits, *, prefix: str, place: Place) -> Iterator[Check]:
    """One check for each judged limit that is set."""

    def at(name: str) -> Place:
        return Place(f"{prefix}.{name}", place.scenario, place.override, place.advisory)

    if limits.cost_usd is not None:
        yield WithinCost(at("cost_usd"), limits.cost_usd)
    if limits.latency_ms is not None:
        yield WithinLatency(at("latency"), limits.latency_ms)
    if limits.simulated_ms is not None:
        yield WithinCount(at("simulated"), "simulated_ms", limits.simulated_ms)
    if limits.turns is not None:
        yield WithinCount(at("turns"), "turns", limits.turns)
    if limits.calls is not None:
        yield WithinCount(at("calls"), "calls", limits.calls)
    if limits.tokens is not None:
        yield WithinTokens(at("tokens"), limits.tokens)


def _exceeded(case: Case, place: Place, what: str, found: str, bound: str, evidence: tuple[int, ...]) -> None:
    case.findings.fail(
        place,
        "limit_exceeded",
        f"{what}: {found}; expected at most {bound}",
        evidence,
        found=found,
        expected=bound,
    )


def _free(started: Record) -> bool:
    agent = started.get("agent") or {}
    return started.get("layer") == "contract" or agent.get("kind") in _FREE


def _unmetered(record: Record) -> bool:
    """Whether a report of use says that a model answered on no tokens and for nothing, which none does."""
    tokens = record.get("input_tokens") or record.get("output_tokens")
    return not tokens and not model_cost(record.get("cost_usd"))


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
