"""B9 and B10: that a scenario can be passed, and that its limits limit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from company_lab.agents.conducts import reference
from company_lab.probing.audit.finding import Found, Mutants
from company_lab.probing.audit.subject import Subject


def unsolvable(subject: Subject) -> Iterator[Found]:
    """The reference passes, and leaves room for one call and one turn more."""
    verdict = subject.reference.verdict
    if verdict.outcome not in ("passed", "invalid"):
        message, check = subject.reference.why
        yield subject.finding(
            "B9",
            "block",
            f"the {'reference' if subject.asks_agent else 'request'} comes out as {verdict.outcome}"
            + (f": {message}" if message else ""),
            "mend the reference or the expectation it breaks",
            path=check or "reference",
        )
        return
    if not subject.asks_agent or verdict.outcome == "invalid":
        return
    limits, judged = subject.scenario.limits, subject.scenario.expected.limits
    calls = subject.reference.settled.get("calls", 0)
    for name, bound in (("limits.calls", limits.calls), ("expected.limits.calls", judged.calls)):
        if bound is not None and bound <= calls and subject.scenario.expected.stop == "finished":
            yield subject.finding(
                "B9",
                "warn",
                f"the reference uses all {calls} calls that are allowed, so any look-up more fails",
                "allow a few more than the reference needs",
                path=name,
            )


def decorative_limits(subject: Subject) -> Iterator[Found]:
    """A judged bound lies within the one that stops the episode, and a limit below what is needed does stop it."""
    if not subject.asks_agent or not subject.reference.passed:
        return
    stops, judged = subject.scenario.limits, subject.scenario.expected.limits
    pairs: tuple[tuple[str, Any, Any], ...] = (
        ("turns", judged.turns, stops.turns),
        ("calls", judged.calls, stops.calls),
        ("tokens", judged.tokens, stops.tokens),
        ("cost_usd", judged.cost_usd, stops.cost_usd),
        ("simulated", judged.simulated_ms, stops.simulated_ms),
        ("latency", judged.latency_ms, stops.wall_ms),
    )
    for name, bound, stop in pairs:
        if bound is not None and stop is not None and bound >= stop:
            yield subject.finding(
                "B10",
                "block",
                f"the bound {bound} can never be exceeded: the episode is stopped at {stop}",
                "judge by a bound that is tighter than the one that stops the episode",
                path=f"expected.limits.{name}",
            )
    yield from _stops_in_time(subject)


def _stops_in_time(subject: Subject) -> Iterator[Found]:
    settled = subject.reference.settled
    for name, used, reason in (
        ("calls", settled.get("calls", 0), "call_limit"),
        ("turns", settled.get("turns", 0), "turn_limit"),
    ):
        if used < 2:
            continue
        limits = subject.scenario.limits.model_copy(update={name: used - 1})
        scenario = subject.scenario.model_copy(update={"limits": limits})
        played = subject.play(reference(scenario), scenario=scenario)
        stopped = played.trace.stop == reason and not played.passed
        yield Mutants(killed=stopped, total=1)
        if not stopped:
            yield subject.finding(
                "B10",
                "block",
                f"with {used - 1} {name}, one fewer than the reference takes, it stops by {played.trace.stop} and "
                f"comes out as {played.verdict.outcome}",
                f"expect the episode to finish: `stop: {reason}` takes a stopped agent for a right one",
                path=f"limits.{name}",
            )
