"""The rule table: for every rule of a world, what in a suite notices that it is gone, and that it never gives way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from company_lab.agents.conducts import wrong
from company_lab.agents.protocol import Agent
from company_lab.episodes import Episode, play
from company_lab.evaluation import judge, rule_compliance
from company_lab.scenarios.model import Scenario
from company_lab.worlds.fixture import Fixture
from company_lab.worlds.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRow:
    """One rule, with the contract scenarios of a suite that fail when it is broken on purpose."""

    rule: str
    text: str
    department: str
    when_off: tuple[str, ...]
    """Contracts that fail when the rule is switched off."""
    when_denying: tuple[str, ...]
    """Contracts that fail when the rule always denies; twins of those before it stand first."""

    @property
    def killed(self) -> bool:
        """Whether both mutations of the rule are noticed."""
        return bool(self.when_off and self.when_denying)


def rule_table(scenarios: Iterable[Scenario], world: World) -> tuple[RuleRow, ...]:
    """A row for every rule of `world`, in its order, from the contract scenarios among `scenarios` that play in it.

    A rule is switched off where it objected to a request, and made to deny where it was asked about one that was
    allowed: anywhere else neither would change anything.
    """
    off: dict[str, list[str]] = {rule.name: [] for rule in world.guard.rules}
    denying: dict[str, list[str]] = {rule.name: [] for rule in world.guard.rules}
    twins: dict[str, set[str]] = {}
    for scenario in scenarios:
        if not scenario.is_contract:
            continue
        if scenario.twin_of is not None:
            twins.setdefault(scenario.id, set()).add(scenario.twin_of)
            twins.setdefault(scenario.twin_of, set()).add(scenario.id)
        fixture = world.prepare(scenario)
        objecting, allowing = _asked(play(fixture, None))
        for rule in objecting:
            if _fails(fixture, play(fixture, None, rules_off=frozenset({rule}))):
                off[rule].append(scenario.id)
        for rule in allowing:
            if _fails(fixture, play(fixture, None, rules_denying=frozenset({rule}))):
                denying[rule].append(scenario.id)
    return tuple(
        RuleRow(
            rule=rule.name,
            text=rule.text,
            department=rule.department,
            when_off=tuple(_with_twins_first(off[rule.name], denying[rule.name], twins)),
            when_denying=tuple(_with_twins_first(denying[rule.name], off[rule.name], twins)),
        )
        for rule in world.guard.rules
    )


def covered_rules(scenarios: Iterable[Scenario], world: World) -> frozenset[str]:
    """The rules of `world` whose breach some check of the suite notices.

    A contract notices where it fails with the rule switched off; any other scenario where one of its wrong
    conducts breaks the rule (as it is, or with the rule switched off) and fails.
    """
    scenarios = tuple(scenarios)
    covered = {row.rule for row in rule_table(scenarios, world) if row.when_off}
    for scenario in scenarios:
        if scenario.wrong:
            fixture = world.prepare(scenario)
            for conduct in scenario.wrong:
                covered |= _noticed(fixture, wrong(scenario, conduct.id), already=covered)
    return frozenset(covered)


def _noticed(fixture: Fixture, conduct: Agent, *, already: set[str]) -> set[str]:
    episode = play(fixture, conduct)
    noticed = _broken(fixture, episode) if _fails(fixture, episode) else set()
    objecting, _ = _asked(episode)
    for rule in objecting:
        if rule not in already and rule not in noticed:
            without = play(fixture, conduct, rules_off=frozenset({rule}))
            if rule in _broken(fixture, without) and _fails(fixture, without):
                noticed.add(rule)
    return noticed


def _asked(episode: Episode) -> tuple[Sequence[str], Sequence[str]]:
    """The rules that objected to something, and those that were asked about something that was allowed."""
    objecting: dict[str, None] = {}
    allowing: dict[str, None] = {}
    for record in episode.trace.by_kind("guard"):
        objecting.update(dict.fromkeys(record["objections"]))
        if record["decision"] == "allow":
            allowing.update(dict.fromkeys(record["touched"]))
    return tuple(objecting), tuple(allowing)


def _fails(fixture: Fixture, episode: Episode) -> bool:
    spec = fixture.world.spec
    return judge(fixture.scenario, spec, episode.trace, episode.timings).outcome == "failed"


def _broken(fixture: Fixture, episode: Episode) -> set[str]:
    readings = rule_compliance(fixture.scenario, fixture.world.spec, episode.trace)
    return {one.rule for one in readings if one.reading == "broken"}


def _with_twins_first(
    names: Sequence[str], others: Sequence[str], twins: Mapping[str, set[str]]
) -> list[str]:
    return sorted(names, key=lambda name: not twins.get(name, set()) & set(others))
