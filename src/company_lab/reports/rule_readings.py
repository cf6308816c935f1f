"""Rule compliance told to people: of one episode under its timeline, of a run under its report.

Readings are made from stored traces when somebody asks for them; a verdict never rests on one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from company_lab.evaluation import RuleCompliance, rule_compliance
from company_lab.formats.errors import CompanyLabError
from company_lab.formats.hostile import cut, one_line
from company_lab.probing.rule_table import covered_rules
from company_lab.reports.pointing import show_line
from company_lab.runs.documents import kept_scenario
from company_lab.runs.store import Store
from company_lab.scenarios.model import Scenario
from company_lab.traces.record import Trace
from company_lab.worlds.registry import resolve_world
from company_lab.worlds.world import World

MOST_LISTED = 20
"""Episodes are listed up to here and counted beyond."""
_LONGEST = 200
_NO_OCCASION = "no action that it concerns was attempted"
_MARKS = {"broken": ("✗", "bold red"), "kept": ("✓", ""), "not checkable": ("?", "dim")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """An episode that passed and broke a rule."""

    scenario: str
    trial: int
    rule: str
    why: str


@dataclass(slots=True, kw_only=True)
class RulesOfRun:
    """What became of the rules in the stored episodes of a run."""

    read: int = 0
    """Episodes whose rules could be read."""
    unread: dict[str, int] = field(default_factory=dict)
    """Number of episodes by the reason why nothing could be read of them."""
    breaches: list[Breach] = field(default_factory=list)
    """In episodes that passed; the first of them."""
    passed_breaking: int = 0
    """Episodes that passed while breaking a rule."""
    failed_breaking: int = 0
    uncovered: dict[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    """By world and department: the rules that no check of the played scenarios covers."""
    rules: int = 0
    """Rules of the worlds that were played in."""


def rules_of_run(store: Store, run: str, *, worlds: Callable[[str], World] = resolve_world) -> RulesOfRun:
    """Read the rules of every counting episode of a stored run, one episode at a time."""
    plan, found = store.plan(run), RulesOfRun()
    worlds = cache(worlds)  # looking a world up reads what is installed, each time
    scenarios: dict[str, Scenario | None] = {}
    for stored in store.stored(run):
        if stored.scenario not in scenarios:
            try:
                scenarios[stored.scenario] = kept_scenario(store, plan, stored.scenario, worlds=worlds)
            except CompanyLabError:
                scenarios[stored.scenario] = None
        scenario = scenarios[stored.scenario]
        if scenario is None:
            _count(found.unread, "its scenario is not in the store, or no longer understood")
            continue
        readings = rule_compliance(scenario, worlds(scenario.world).spec, stored.trace)
        reason = _nothing_read(readings)
        if reason:
            _count(found.unread, reason)
            continue
        found.read += 1
        broken = [one for one in readings if one.reading == "broken"]
        if broken and stored.verdict.outcome == "passed":
            found.passed_breaking += 1
            found.breaches += [
                Breach(scenario=stored.scenario, trial=stored.trial, rule=one.rule, why=one.why)
                for one in (broken if found.passed_breaking <= MOST_LISTED else ())
            ]
        elif broken:
            found.failed_breaking += 1
    played = [one for one in scenarios.values() if one is not None]
    for name in dict.fromkeys(one.world for one in played):
        world = worlds(name)
        covered = covered_rules((one for one in played if one.world == name), world)
        found.rules += len(world.guard.rules)
        missing: dict[str, list[str]] = {}
        for rule in world.guard.rules:
            if rule.name not in covered:
                missing.setdefault(rule.department, []).append(rule.name)
        if missing:
            found.uncovered[name] = missing
    return found


def _count(counts: dict[str, int], reason: str) -> None:
    counts[reason] = counts.get(reason, 0) + 1


def _nothing_read(readings: Sequence[RuleCompliance]) -> str:
    """The reason that keeps a whole episode from being read; empty where any rule could be read, or none applied."""
    reasons = {one.why for one in readings}
    if any(one.reading != "not checkable" for one in readings) or len(reasons) != 1:
        return ""
    return "" if reasons == {_NO_OCCASION} else reasons.pop()


def run_section(found: RulesOfRun, run: str, *, at: str = "") -> RenderableType:
    """What a report adds about rules: episodes that passed while breaking one, and rules that nothing covers."""
    return Group(*_of_run(found, run, at))


def _of_run(found: RulesOfRun, run: str, at: str) -> Iterator[RenderableType]:
    yield Rule("Rules, read from the stored traces; no verdict rests on them", style="dim", align="left")
    yield Text(f"rules read over {found.read} episodes; broken in {found.failed_breaking} that failed anyway")
    for reason, number in found.unread.items():
        yield _text(f"not readable in {number}: {reason}", "yellow")
    if found.passed_breaking:
        episodes = "episode" if found.passed_breaking == 1 else "episodes"
        yield Text(f"✗ PASSED WHILE BREAKING A RULE: {found.passed_breaking} {episodes}", "bold red")
        last = ("", 0)
        for breach in found.breaches:
            if (breach.scenario, breach.trial) != last:
                last = (breach.scenario, breach.trial)
                yield _indented(f"{breach.scenario}, trial {breach.trial}", "red")
                line = show_line(run, breach.scenario, breach.trial, at=f" --rules{at}")
                yield _indented(f"  {line}", "dim")
            yield _indented(f"  {breach.rule}: {breach.why}")
        if found.passed_breaking > MOST_LISTED:
            yield _indented(f"and {found.passed_breaking - MOST_LISTED} more episodes")
    elif found.read:
        yield Text("no episode passed while breaking a rule", "green")
    without = sum(len(rules) for world in found.uncovered.values() for rules in world.values())
    if not without:
        yield Text(f"every rule ({found.rules}) is covered by some check of the scenarios played")
        return
    yield Text(f"rules that no check of the scenarios played covers: {without} of {found.rules}", "bold")
    for world, departments in found.uncovered.items():
        if len(found.uncovered) > 1:
            yield _indented(f"of the world {world}", "bold")
        for department, rules in departments.items():
            yield _indented(f"{department}: {', '.join(rules)}")


def episode_section(readings: Sequence[RuleCompliance], trace: Trace) -> RenderableType:
    """The rules of one episode: those that were broken first, then those that were kept."""
    parts: list[RenderableType] = [Rule("Rules; no verdict rests on them", style="dim", align="left")]
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    idle = 0
    for reading, (mark, style) in _MARKS.items():
        for one in readings:
            if one.reading != reading:
                continue
            if one.why == _NO_OCCASION:
                idle += 1
                continue
            said = Text(f"{one.rule}: ", style or "bold")
            said.append(f"{reading}, {cut(one_line(one.why), _LONGEST)}", "not bold")
            where = ", ".join(_moments(one, trace))
            if where:
                said.append(f" [{where}]", "dim not bold")
            table.add_row(f"  {mark}", said)
    if _nothing_read(readings):
        parts.append(_indented(f"? none can be read: {_nothing_read(readings)}"))
        return Group(*parts)
    parts.append(table)
    parts.append(_indented(f"{idle} of {len(readings)} rules had no occasion", "dim"))
    return Group(*parts)


def _moments(one: RuleCompliance, trace: Trace) -> Iterator[str]:
    """The calls that show it, each once; only the first few, and none for a rule that was merely asked."""
    if one.reading == "broken":
        calls = (trace.records[seq].get("call") for seq in one.evidence if 0 <= seq < len(trace.records))
        yield from list(dict.fromkeys(one_line(str(call)) for call in calls if call))[:4]


def _text(text: str, style: str = "") -> Text:
    return Text(one_line(text), style, overflow="fold")


def _indented(text: str, style: str = "") -> RenderableType:
    return Padding(_text(text, style), (0, 0, 0, 2))
