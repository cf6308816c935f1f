"""Whether a scenario can be failed by doing nothing, and whether it can be passed at all.

A scenario needs a positive expectation: one that an agent which does nothing and says nothing would fail. Not
positive are what only restrains (`forbidden`, `never_*`, limits, `stop`), what is advisory, `times` that zero
meets, evidence (nothing is owed before a call that never comes), and a state that is already there at the
start. For a contract scenario a fact is positive unless it says again what `initial` says; elsewhere also not
where it is zero, false, null or empty, as an idle agent leaves such things behind. Whether the world brings
about an expectation on its own is for rehearsal to find out, with the idle agent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from company_lab.formats.canonical import Json, same
from company_lab.formats.yaml import Path
from company_lab.scenarios.inspection import Inspection
from company_lab.scenarios.known import listing, mapping
from company_lab.scenarios.matchers import ABSENT, Absent, holds, matcher_of
from company_lab.scenarios.short_form import EXPECTED_KEYS


def check_falsifiable(at: Inspection) -> None:
    """Each way to be right demands something, and nothing that it demands is forbidden."""
    expected = mapping(at.document.get("expected"))
    if "expected" in at.document and not (_demands(at, expected) or _facts_demand(at, expected)):
        at.findings.add(
            ("expected",),
            "an agent that does nothing would pass: no expectation is positive",
            key=True,
            expected="an action, effect, statement, question, new, deleted or changed record that must be",
        )
    for index, entry in enumerate(listing(expected.get("alternatives"))):
        if not _demands(at, mapping(entry)):
            at.findings.add(
                ("expected", "alternatives", index),
                "an agent that does nothing would pass by this alternative: no expectation is positive",
            )
    _check_overlap(at, expected)


def _demands(at: Inspection, section: Mapping[str, Json]) -> bool:
    told = mapping(section.get("told"))
    entries = (*listing(told.get("states")), *listing(told.get("asks")))
    return (
        any(_gates(entry) for entry in entries)
        or any(_gates(entry) and _at_least_once(entry) for entry in listing(section.get("actions")))
        or any(_gates(entry) and _effect_demands(entry) for entry in listing(section.get("effects")))
        or any(listing(partials) for partials in mapping(section.get("created")).values())
        or any(listing(ids) for ids in mapping(section.get("deleted")).values())
        or _state_demands(at, section.get("state"))
    )


def _gates(entry: Json) -> bool:
    return isinstance(entry, dict) and entry.get("advisory") is not True


def _at_least_once(entry: Json) -> bool:
    times = mapping(entry).get("times", 1)
    least = mapping(times).get("at_least", 0) if isinstance(times, dict) else times
    return isinstance(least, int) and least >= 1


def _effect_demands(entry: Json) -> bool:
    total = mapping(entry).get("sum_minor")
    if total is not None and total != 0:
        return True
    # Amounts that are to add up to nothing may be none at all, unless `times` asks for some.
    return _at_least_once(entry) and (total is None or "times" in mapping(entry))


def _state_demands(at: Inspection, state: Json | None) -> bool:
    for table, patches in mapping(state).items():
        for id, patch in mapping(patches).items():
            record = at.known.own.get(table, {}).get(id)
            if record is None:
                record = dict(at.known.brought.get(table, {}).get(id, {}))
            if _changes(mapping(patch), record):
                return True
    return False


def _changes(patch: Mapping[str, Json], record: Json) -> bool:
    """Whether some leaf of the patch does not hold yet."""
    for field, wanted in patch.items():
        value: Json | Absent = mapping(record).get(field, ABSENT)
        if isinstance(wanted, dict) and wanted and matcher_of(wanted) is None and isinstance(value, dict):
            if _changes(wanted, value):
                return True
        elif not holds(wanted, value):
            return True
    return False


def _facts_demand(at: Inspection, expected: Mapping[str, Json]) -> bool:
    contract = "agent_request" in mapping(at.document.get("stimulus"))
    initial = mapping(at.document.get("initial"))
    for name, value in expected.items():
        if name in EXPECTED_KEYS or name not in at.spec.facts:
            continue
        if name in initial and same(initial[name], value):
            continue
        if contract or value not in (None, False, 0, "", [], {}):
            return True
    return False


def _check_overlap(at: Inspection, expected: Mapping[str, Json]) -> None:
    for path, action in _required_actions(expected):
        for index, entry in enumerate(listing(expected.get("forbidden"))):
            forbidden = mapping(entry)
            if _gates(entry) and _always_forbidden(at, action, forbidden):
                line, _ = at.findings.document.position(("expected", "forbidden", index))
                at.findings.add(
                    path,
                    f"the action {action.get('tool')} is required here and forbidden in line {line}",
                    fix="remove one of them, or narrow the forbidden one by its args",
                )


def _required_actions(expected: Mapping[str, Json]) -> Iterator[tuple[Path, Mapping[str, Json]]]:
    sections: list[tuple[Path, Mapping[str, Json]]] = [(("expected",), expected)]
    for index, entry in enumerate(listing(expected.get("alternatives"))):
        sections.append((("expected", "alternatives", index), mapping(entry)))
    for path, section in sections:
        for index, action in enumerate(listing(section.get("actions"))):
            if _gates(action) and _at_least_once(action):
                yield (*path, "actions", index), mapping(action)


def _always_forbidden(at: Inspection, action: Mapping[str, Json], forbidden: Mapping[str, Json]) -> bool:
    """Whether every call that satisfies `action` is one that `forbidden` speaks of."""
    tool = action.get("tool")
    if forbidden.get("tool") == "any":
        return True
    if not isinstance(tool, str) or forbidden.get("tool") != tool:
        return False
    args = mapping(action.get("args"))
    return all(
        _implied(at, tool, name, wanted, args) for name, wanted in mapping(forbidden.get("args")).items()
    )


def _implied(at: Inspection, tool: str, name: str, forbidden: Json, args: Mapping[str, Json]) -> bool:
    if matcher_of(forbidden) == ("any", True):
        return True
    if name in args:
        required = args[name]
        matcher = matcher_of(required)
        if same(required, forbidden):
            return True
        if matcher is not None and matcher[0] == "one_of":
            return all(holds(forbidden, option) for option in listing(matcher[1]))
        if matcher is None or matcher[0] == "equals":
            return holds(forbidden, required if matcher is None else matcher[1])
        return False
    declared = at.spec.tools.get(tool)
    parameter = declared.signature.parameters.get(name) if declared is not None else None
    if not args or parameter is None or parameter.shape.prose:
        # Nothing is said about this argument, so some call escapes.
        return False
    return holds(forbidden, ABSENT) and (parameter.required or holds(forbidden, parameter.default))
