"""What an exploration of faults found, as lines of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from company_lab.formats.canonical import Json
from company_lab.formats.hostile import one_line
from company_lab.formats.time import format_duration
from company_lab.probing.explore.explored import Explored, Schedule
from company_lab.probing.explore.grouping import Finding
from company_lab.probing.explore.invariants import Broken
from company_lab.probing.explore.kinds import kind_of
from company_lab.probing.explore.search import Exploration, Level
from company_lab.probing.explore.tiers import DRAWS, TIERS, Replays, plan_tier
from company_lab.release.decision import counted
from company_lab.scenarios.model import Fault
from company_lab.scenarios.schedules import fault_document

Command = Callable[[Schedule], str]
"""The command line that plays one schedule."""

_ORDERS = {1: "singles", 2: "pairs", 3: "triples"}
_SHOWN = {
    "commit": "every commit, scripted agents",
    "nightly": "the episode without a fault, and three crash points of each write",
    "release": "those, and six targeted pairs of each write",
    "rate": "crash points drawn evenly over scenarios and points",
}


def fault_in_words(fault: Fault) -> str:
    """A fault with its place, such as `lost_ack on bank.pay (attempt 2)`."""
    said = fault_document(fault)
    lasting = f" of {said['by']}" if "by" in said else ""
    places = [f"{name} {said[name]}" for name in ("occurrence", "attempt", "restart") if name in said]
    more = f" ({', '.join(places)})" if places else ""
    return f"{kind_of(fault)}{lasting} on {fault.on}{more}"


def schedule_in_words(schedule: Schedule) -> str:
    """Faults in the order in which they are scheduled."""
    return ", then ".join(map(fault_in_words, schedule)) or "no fault"


def exploration_lines(
    found: Exploration,
    shown: Sequence[Finding],
    *,
    evidence: str,
    command: Command,
    again: Sequence[str] = (),
) -> Iterator[str]:
    """Everything an exploration has to say, evidence first."""
    subject, clean = found.subject, found.clean
    yield f"{evidence}: {subject.scenario.id} under {subject.agent.name}, with faults scheduled around it"
    if clean.outcome in ("failed", "invalid"):
        yield f"! without any further fault it {_came(clean)}; nothing was explored"
        yield from _broken(clean.broken)
        yield "Faults are scheduled around an episode that passes: make this one pass first. To see all of it:"
        yield f"    {command(())}"
        return
    writes = sum(place.writes for place in clean.places)
    events = sum(place.event for place in clean.places)
    yield (
        f"without a fault: {clean.outcome}; {counted(writes, 'write')}, "
        f"{counted(len(clean.places) - writes - events, 'other call')}, {counted(events, 'event')}"
    )
    if clean.outcome == "unscored" and clean.why:
        yield f"? it could not be decided: {one_line(clean.why)}"
    for level in found.levels:
        yield level_line(level)
    for why, count in sorted(found.reasons.items()):
        yield f"? {count} could not be decided: {one_line(why)}"
    if shown or any(level.scored for level in found.levels):
        yield from findings_lines(shown, command=command, again=again)
    else:
        yield "No schedule says anything"
    if not found.complete:
        yield "Incomplete: what was left out may show more"


def level_line(level: Level) -> str:
    """The counts of one order on one line."""
    said = [
        f"{level.scored} scored",
        f"{level.failed} failed",
        *([f"{level.cut} came to a state that was known"] if level.cut else []),
        *([f"{level.invalid} had a fault that did not happen or changed nothing"] if level.invalid else []),
        *([f"{level.unscored} unscored"] if level.unscored else []),
        *([f"{level.left} not played"] if level.left else []),
    ]
    return f"{_ORDERS[level.order]}: {level.planned} schedules, {', '.join(said)}"


def findings_lines(shown: Sequence[Finding], *, command: Command, again: Sequence[str] = ()) -> Iterator[str]:
    """Findings, each with a schedule that shows it, what playing it again came to, and the line that plays it."""
    if not shown:
        yield "No invariant broke"
        return
    yield f"{len(shown)} {'finding' if len(shown) == 1 else 'findings'}, each with a 1-minimal schedule"
    for number, finding in enumerate(shown, start=1):
        yield from _finding(number, finding, command, again[number - 1] if again else "")


def _finding(number: int, finding: Finding, command: Command, again: str) -> Iterator[str]:
    worst = finding.worst
    yield f"{number}. {worst.severity} {_named(worst)}: {one_line(worst.message)}"
    others = dict.fromkeys(_named(one.shown) for one in finding.groups if one.shown != worst)
    others.pop(_named(worst), None)
    if others:
        yield f"   also {'; '.join(others)}"
    yield f"   under {schedule_in_words(finding.schedule)}"
    kinds = [f"{' + '.join(kinds)} ({count})" for kinds, count in finding.kinds.items()]
    yield f"   kinds of fault, with the schedules that lead to it: {', '.join(kinds)}"
    if again:
        yield f"   {again}"
    yield f"   {command(finding.schedule)}"


def _named(one: Broken) -> str:
    code, check, effect = one.invariant
    return f"{code} at {check}" + (f" ({effect})" if effect else "")


def _broken(broken: Sequence[Broken]) -> Iterator[str]:
    return (f"    {_named(one)}: {one_line(one.message)}" for one in broken)


def _came(explored: Explored) -> str:
    return f"is invalid ({explored.why})" if explored.outcome == "invalid" else explored.outcome


def replay_lines(explored: Explored, excused: Sequence[str]) -> Iterator[str]:
    """What one schedule came to."""
    yield f"under {schedule_in_words(explored.schedule)}: {_came(explored)}"
    yield from _broken(explored.broken)
    for message in excused:
        yield f"    excused by the schedule: {one_line(message)}"
    if explored.why and explored.outcome == "unscored":
        yield f"    {one_line(explored.why)}"


def plan_lines(writes: int, *, scenarios: int, singles: int, trials: int | None) -> Iterator[str]:
    """Every tier with its number of episodes."""
    whose = "a scenario" if scenarios == 1 else f"each of {scenarios} scenarios"
    yield f"Episodes by tier for {whose}, in which the reference makes {counted(writes, 'write')}"
    for tier in TIERS:
        plan = plan_tier(tier, writes)
        times = trials or plan.trials
        if plan.schedules is None:
            pairs = f"about {_pairs(writes):,} pairs of essential kinds"
            yield f"{tier}: {singles:,} singles and {pairs}, once each; no model calls ({_SHOWN[tier]})"
        elif tier == "rate":
            yield f"{tier}: {DRAWS} episodes in all; without a failure the rate is below 1 % at 95 % ({_SHOWN[tier]})"
        else:
            each = 1 + plan.schedules
            yield f"{tier}: {each} schedules, {times} trials, {each * times:,} episodes ({_SHOWN[tier]})"


def _pairs(writes: int) -> int:
    """Pairs of five faults a write, each with every fault at a later call and at the retry."""
    return 5 * 5 * writes * (writes + 1) // 2


def tier_lines(ended: Sequence[Replays], *, command: Command, replayed: bool) -> Iterator[str]:
    """What the schedules of a tier came to, those with failures one by one."""
    scored = sum(one.scored for one in ended)
    played = sum(len(one.ended) for one in ended)
    failed = sum(one.failed for one in ended)
    yield f"{played} episodes, {scored} scored, {failed} failed, {played - scored} say nothing"
    if replayed:
        saved = sum(one.replayed_calls or 0 for all in ended for one in all.ended)
        again = sum(one.replayed_calls is not None for all in ended for one in all.ended)
        yield f"{again} of them went on from a replayed prefix ({saved} calls): no independent trials"
    for one in ended:
        if one.failed:
            yield f"- {schedule_in_words(one.schedule)}: failed in {one.failed} of {one.scored}"
            shown = {_named(broken): broken for each in one.ended for broken in each.broken}
            yield from _broken(list(shown.values()))
            yield f"    {command(one.schedule)}"


def finding_json(finding: Finding, command: Command) -> dict[str, Json]:
    """A finding as JSON."""
    return {
        "schedule": [fault_document(fault) for fault in finding.schedule],
        "command": command(finding.schedule),
        "minimal": "1-minimal",
        "groups": [
            {
                "code": one.name.invariant.code,
                "check": one.name.invariant.check,
                "effect": one.name.invariant.effect,
                "severity": one.shown.severity,
                "message": one.shown.message,
                "kinds": list(one.name.kinds),
                "schedules": one.schedules,
                "minimal": [fault_document(fault) for fault in one.minimal],
            }
            for one in finding.groups
        ],
    }


def exploration_json(found: Exploration, shown: Sequence[Finding], command: Command) -> dict[str, Json]:
    """An exploration as JSON: counts by order and every finding."""
    return {
        "format": 1,
        "kind": "exploration",
        "scenario": found.subject.scenario.id,
        "agent": found.subject.agent.name,
        "clean": found.clean.outcome,
        "complete": found.complete,
        "levels": [
            {
                "order": level.order,
                "planned": level.planned,
                "scored": level.scored,
                "failed": level.failed,
                "cut": level.cut,
                "invalid": level.invalid,
                "unscored": level.unscored,
                "left": level.left,
            }
            for level in found.levels
        ],
        "findings": [finding_json(finding, command) for finding in shown],
    }


def elapsed_line(episodes: int, seconds: float) -> str:
    """How fast it went."""
    rate = f", {episodes / seconds:,.0f} a second" if seconds > 0.05 else ""
    return f"{counted(episodes, 'episode')} in {format_duration(max(1, round(seconds * 1000)))}{rate}"
