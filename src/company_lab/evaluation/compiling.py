"""Compiling: a scenario turned into checks, once, so that judging an episode only runs them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from company_lab.evaluation.arguments import arguments
from company_lab.evaluation.case import Check, Key
from company_lab.evaluation.checks.actions import ActionEntry, ActionsTaken, Bounds
from company_lab.evaluation.checks.changes import OnlyExpectedChanges, OnlyExpectedEffects
from company_lab.evaluation.checks.claims import claim_checks
from company_lab.evaluation.checks.disclosure import disclosure_checks
from company_lab.evaluation.checks.effects import EffectsAtProvider, amount_field
from company_lab.evaluation.checks.evidence import EvidenceBeforeAction
from company_lab.evaluation.checks.facts import FactStands
from company_lab.evaluation.checks.faults import FaultTookEffect, ScheduleTookEffect
from company_lab.evaluation.checks.forbidden import NeverAttempted
from company_lab.evaluation.checks.limits import limit_checks
from company_lab.evaluation.checks.repeats import NothingDoneTwiceUnheard
from company_lab.evaluation.checks.retelling import allows_two, nothing_told_twice
from company_lab.evaluation.checks.spending import OnlyAuthorisedSpending
from company_lab.evaluation.checks.state import created_checks, deleted_checks, state_checks
from company_lab.evaluation.checks.stop import NotIdle, StoppedAs
from company_lab.evaluation.checks.tenants import tenant_check
from company_lab.evaluation.checks.told import told_checks
from company_lab.evaluation.checks.tries import no_more_tries_than_there_were
from company_lab.evaluation.findings import Place
from company_lab.evaluation.matching import is_matcher, matcher, partial
from company_lab.formats.canonical import canonical
from company_lab.scenarios.model import (
    Alternative,
    Expected,
    ExpectedAction,
    ExpectedEffect,
    ExpectedEvidence,
    Scenario,
    Times,
    TimesRange,
)
from company_lab.scenarios.spec import WorldSpec

Wanted: TypeAlias = Expected | Alternative
"""What must happen: the main expectation or an alternative to it."""

_MANY = 1024


@dataclass(frozen=True, slots=True)
class Branch:
    """One way to be right."""

    alternative: str | None
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Examination:
    """Everything one scenario asks of an episode."""

    common: tuple[Check, ...]
    """Hold whichever way was taken."""
    branches: tuple[Branch, ...]
    """The main expectation first; one of them has to hold."""
    deciding: frozenset[str] | None = None
    """The checks that decide, where the suite is a hosted one: its own verdict, and how the episode ended. What
    the others find stands beside it. None where every check decides."""


class _Compiled:
    """Examinations by the identity of scenario and spec; the oldest give way."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[int, int], tuple[Scenario, WorldSpec, Examination]] = OrderedDict()

    def of(self, scenario: Scenario, spec: WorldSpec) -> Examination:
        key = (id(scenario), id(spec))
        known = self._known.get(key)
        if known is not None:
            return known[2]
        examination = compile_scenario(scenario, spec)
        # holding on to both keeps their identities from being given to others
        self._known[key] = (scenario, spec, examination)
        if len(self._known) > _MANY:
            self._known.popitem(last=False)
        return examination


examination_of = _Compiled().of
"""The compiled checks of a scenario, compiled on first use."""


def compile_scenario(scenario: Scenario, spec: WorldSpec) -> Examination:
    """Compile every expectation of a scenario. Raises `WrongUse` where one can not be read."""
    expected = scenario.expected
    branches = [Branch(None, tuple(_branch(expected, "expected", scenario, spec)))]
    for position, alternative in enumerate(expected.alternatives):
        # an alternative that asks for nothing would be taken by doing nothing
        if _asks_for_something(alternative):
            prefix = f"expected.alternatives[{position}]"
            branches.append(Branch(alternative.id, tuple(_branch(alternative, prefix, scenario, spec))))
    deciding = None
    if spec.hosted:
        deciding = frozenset({"expected.stop", *(f"expected.{name}" for name in expected.facts)})
    return Examination(common=tuple(_common(scenario, spec)), branches=tuple(branches), deciding=deciding)


def _common(scenario: Scenario, spec: WorldSpec) -> Iterator[Check]:
    expected = scenario.expected
    yield StoppedAs(_place(scenario, "expected.stop"), expected.stop)
    yield NotIdle(_place(scenario, "episode"))
    yield from _forbidden(scenario, spec)
    yield tenant_check(scenario, spec, _place(scenario, "tenant"))
    yield from claim_checks(
        expected.told, scenario, spec, prefix="expected.told", place=_place(scenario, "claims")
    )
    yield from disclosure_checks(
        expected.told, scenario, spec, prefix="expected.told", place=_place(scenario, "")
    )
    yield no_more_tries_than_there_were(_place(scenario, "tries"), spec)
    for name, value in expected.facts.items():
        yield FactStands(
            _place(scenario, f"expected.{name}"), name, matcher(value), unknown_fails=not spec.hosted
        )
    yield from limit_checks(expected.limits, prefix="expected.limits", place=_place(scenario, ""))
    for position, fault in enumerate(scenario.faults):
        yield FaultTookEffect(
            _place(scenario, f"faults[{position}]"), position, f"{fault.kind} on {fault.on}"
        )
    yield ScheduleTookEffect(_place(scenario, "schedule"))


def _branch(wanted: Wanted, prefix: str, scenario: Scenario, spec: WorldSpec) -> Iterator[Check]:
    expected, initial = scenario.expected, scenario.initial
    place, knowable = _place(scenario, prefix), not initial.facts
    effects = tuple(
        (entry.provider, entry.op, partial(entry.match))
        for entry in wanted.effects
        if _bounds(entry.times).high != 0  # what must not happen is no leave for it
    )
    taken = _actions(wanted.actions, prefix, scenario, spec)
    yield taken
    yield from state_checks(
        wanted.state, initial.tables, knowable=knowable, prefix=f"{prefix}.state", place=place
    )
    yield from created_checks(wanted.created, prefix=f"{prefix}.created", place=place)
    yield from deleted_checks(
        wanted.deleted, initial.tables, knowable=knowable, prefix=f"{prefix}.deleted", place=place
    )
    yield OnlyExpectedChanges(
        place=_place(scenario, "only_expected_changes"),
        fields=_fields(wanted.state),
        deleted=frozenset((table, id) for table, ids in wanted.deleted.items() for id in ids),
        may_change=expected.may_change,
    )
    yield OnlyExpectedEffects(_place(scenario, "only_expected_changes"), effects)
    counted = tuple(
        _effect(effect, f"{prefix}.effects[{position}]", scenario, spec)
        for position, effect in enumerate(wanted.effects)
    )
    yield from counted
    yield OnlyAuthorisedSpending(
        place=_place(scenario, "spending"),
        spending=_spending(spec),
        forbidden=tuple(entry for entry in _forbidden(scenario, spec) if not entry.place.advisory),
        effects=effects,
        withheld=_request_tools(scenario, spec) if _withheld(expected) else frozenset(),
    )
    for position, evidence in enumerate(wanted.evidence):
        yield _evidence(evidence, f"{prefix}.evidence[{position}]", scenario, spec)
    yield NothingDoneTwiceUnheard(_place(scenario, "each_effect_once"))
    yield nothing_told_twice(
        _place(scenario, "each_message_once"),
        tuple(entry for entry in taken.entries if allows_two(entry.bounds) or _is_repeated(entry, wanted)),
        tuple(effect for effect in counted if allows_two(effect.bounds)),
        spec,
        scenario.locale,
    )
    yield from told_checks(wanted.told, scenario, spec, prefix=f"{prefix}.told", place=place)
    if wanted is not expected:
        yield from claim_checks(
            wanted.told, scenario, spec, prefix=f"{prefix}.told", place=place, declared_only=True
        )
        yield from disclosure_checks(wanted.told, scenario, spec, prefix=f"{prefix}.told", place=place)


def _is_repeated(entry: ActionEntry, wanted: Wanted) -> bool:
    """Whether the scenario says the same thing twice, and so asks for it twice."""
    return sum(one.tool == entry.tool and one.args == entry.written for one in wanted.actions) > 1


def _asks_for_something(wanted: Alternative) -> bool:
    told = wanted.told
    return bool(
        wanted.state
        or wanted.created
        or wanted.deleted
        or wanted.actions
        or wanted.effects
        or wanted.evidence
        or told.states
        or told.asks
    )


def _forbidden(scenario: Scenario, spec: WorldSpec) -> Iterator[NeverAttempted]:
    for position, entry in enumerate(scenario.expected.forbidden):
        tool = spec.tools.get(entry.tool)
        yield NeverAttempted(
            place=_entry_place(scenario, f"expected.forbidden[{position}]", entry),
            tool=entry.tool,
            args=arguments(tool.signature if tool is not None else None, entry.args, closed=False),
        )


def _actions(
    entries: tuple[ExpectedAction, ...], prefix: str, scenario: Scenario, spec: WorldSpec
) -> ActionsTaken:
    """Entries that say the same thing twice ask for it twice."""
    merged: dict[str, ActionEntry] = {}
    for position, entry in enumerate(entries):
        tool = spec.tools.get(entry.tool)
        bounds = _bounds(entry.times)
        key = canonical([entry.tool, entry.args, entry.severity, entry.advisory])
        known = merged.get(key)
        if known is not None:
            high = (
                None if known.bounds.high is None or bounds.high is None else known.bounds.high + bounds.high
            )
            bounds = Bounds(known.bounds.low + bounds.low, high)
        merged[key] = ActionEntry(
            place=known.place
            if known is not None
            else _entry_place(scenario, f"{prefix}.actions[{position}]", entry),
            tool=entry.tool,
            args=arguments(tool.signature if tool is not None else None, entry.args, closed=True),
            bounds=bounds,
            written=entry.args,
            signature=tool.signature if tool is not None else None,
            spends=tool.spends if tool is not None else False,
        )
    compiled = tuple(merged.values())
    by_tool: dict[str, list[int]] = {}
    for position, compiled_entry in enumerate(compiled):
        by_tool.setdefault(compiled_entry.tool, []).append(position)
    return ActionsTaken(
        entries=compiled,
        by_tool={tool: tuple(positions) for tool, positions in by_tool.items()},
        request_tools=_request_tools(scenario, spec),
    )


def _effect(entry: ExpectedEffect, path: str, scenario: Scenario, spec: WorldSpec) -> EffectsAtProvider:
    provider = spec.providers.get(entry.provider)
    bounds = Bounds(0, None) if entry.times is None and entry.sum_minor == 0 else _bounds(entry.times)
    return EffectsAtProvider(
        place=_entry_place(scenario, path, entry),
        provider=entry.provider,
        op=entry.op,
        test=partial(entry.match),
        written=entry.match,
        bounds=bounds,
        sum_minor=entry.sum_minor,
        money=amount_field(provider.operations.get(entry.op) if provider is not None else None),
        spending=_spending(spec),
    )


def _evidence(
    entry: ExpectedEvidence, path: str, scenario: Scenario, spec: WorldSpec
) -> EvidenceBeforeAction:
    tool = spec.tools.get(entry.tool)
    parameters = tool.signature.parameters if tool is not None else {}
    tables: dict[str, str] = {}
    for name, parameter in parameters.items():
        shape = parameter.shape.items if parameter.shape.items is not None else parameter.shape
        if shape.references is not None:
            tables[name] = shape.references
    department = tool.department if tool is not None else ""
    return EvidenceBeforeAction(
        place=_entry_place(scenario, path, entry),
        tool=entry.tool,
        args=arguments(tool.signature if tool is not None else None, entry.args, closed=False),
        written=entry.args,
        before=entry.before,
        tables=tables,
        department=frozenset(table.name for table in spec.tables.values() if table.department == department),
    )


def _fields(state: Mapping[str, Mapping[str, Mapping[str, object]]]) -> dict[Key, Mapping[str, object]]:
    return {(table, id): _named(patch) for table, records in state.items() for id, patch in records.items()}


def _named(patch: Mapping[str, object]) -> Mapping[str, object]:
    """The fields that a patch speaks of; all those of a whole record, and none where it only says that it is there."""
    if not is_matcher(patch):
        return patch
    whole = patch.get("equals")
    return {name: {"equals": value} for name, value in whole.items()} if isinstance(whole, Mapping) else {}


def _bounds(times: Times | None) -> Bounds:
    if times is None:
        return Bounds(1, None)
    if isinstance(times, TimesRange):
        return Bounds(times.at_least or 0, times.at_most)
    return Bounds(times, times)


def _spending(spec: WorldSpec) -> frozenset[str]:
    return frozenset(tool.name for tool in spec.tools.values() if tool.spends)


def _request_tools(scenario: Scenario, spec: WorldSpec) -> frozenset[str]:
    request = spec.requests.get(scenario.stimulus.request or "")
    return frozenset({request.tool}) if request is not None else frozenset()


def _withheld(expected: Expected) -> bool:
    """Whether the decision the scenario expects, however it is written, is not to allow."""
    return "decision" in expected.facts and not matcher(expected.facts["decision"]).test("allow")


def _place(scenario: Scenario, path: str) -> Place:
    return Place(path, scenario.severity)


def _entry_place(
    scenario: Scenario, path: str, entry: ExpectedAction | ExpectedEffect | ExpectedEvidence
) -> Place:
    return Place(path, scenario.severity, entry.severity, entry.advisory)
