"""Attempting: a call that is one of those an expectation speaks of."""

from __future__ import annotations

from collections.abc import Mapping

from company_lab.formats.canonical import Json
from company_lab.formats.randomness import stream
from company_lab.formats.shapes import Shape
from company_lab.probing.audit.scripted import Seen, plausible
from company_lab.probing.audit.subject import Subject
from company_lab.scenarios.matchers import holds, matcher_of
from company_lab.scenarios.model import ExpectedAction, Step

_DRAWS = 40


def fitting_args(subject: Subject, entry: ExpectedAction) -> Step | None:
    """A call that an action entry speaks of, with arguments its tool takes; None where none comes to mind."""
    tool = subject.spec.tools.get(entry.tool)
    if tool is None:
        if entry.tool not in ("any", "any_tool"):
            return None
        tool = next(iter(subject.spec.tools.values()))
    draw = stream(0, subject.scenario.id, 1, f"audit: {entry.tool}")
    seen = names_of(subject)
    known = _used(subject, tool.name)
    args: dict[str, Json] = {}
    for name, parameter in tool.signature.parameters.items():
        if name in entry.args:
            value = satisfying(entry.args[name], parameter.shape, seen, subject)
            if value is _NOTHING:
                return None
            if value is not _LEFT_OUT:
                args[name] = value  # type: ignore[assignment]
        elif parameter.required:
            args[name] = known[name] if name in known else plausible(parameter.shape, seen, draw)
    return Step(tool=tool.name, args=args)


_NOTHING = object()
_LEFT_OUT = object()


def satisfying(wanted: Json, shape: Shape, seen: Seen, subject: Subject) -> object:
    """A value that a literal or a matcher is met by."""
    found = matcher_of(wanted)
    if found is None:
        return wanted
    name, operand = found
    if name == "is":
        told: dict[str, object] = {"absent": _LEFT_OUT, "null": None, "empty": ""}
        return told[str(operand)] if operand in told else _drawn(wanted, shape, seen, subject)
    if name in ("equals", "at_least", "at_most", "unordered"):
        return operand
    if name == "one_of":
        return operand[0] if isinstance(operand, list) and operand else _NOTHING
    if name == "contains":
        return [operand] if shape.kind == "list" else operand
    return _drawn(wanted, shape, seen, subject)


def _drawn(wanted: Json, shape: Shape, seen: Seen, subject: Subject) -> object:
    draw = stream(0, subject.scenario.id, 1, "audit: draw")
    for _ in range(_DRAWS):
        value = plausible(shape, seen, draw)
        if holds(wanted, value):
            return value
    if isinstance(wanted, dict) and "regex" in wanted:
        texts = [text for text in _texts(subject.scenario.document) if holds(wanted, text)]
        return texts[0] if texts else _NOTHING
    return _NOTHING


def _texts(value: Json | Mapping[str, Json]) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _texts(item)]


def names_of(subject: Subject) -> Seen:
    """The names of the scenario's own records."""
    seen = Seen()
    if subject.scenario.crowd is None:
        for table, records in subject.fixture.tenants[subject.scenario.role.tenant].items():
            seen.tables[table] = dict.fromkeys(records)
            seen.names |= dict.fromkeys(records)
    return seen


def _used(subject: Subject, tool: str) -> dict[str, Json]:
    """Arguments that a conduct of the scenario gives a tool: its author knows what is plausible there."""
    conducts = [subject.scenario.reference, *(wrong.turns for wrong in subject.scenario.wrong)]
    for turns in conducts:
        for turn in turns:
            for step in turn.do:
                if step.tool == tool and not step.malformed:
                    return dict(step.args)
    return {}
