"""What one department of a world declares, as headed lists of names with their details."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from company_lab.formats.canonical import canonical
from company_lab.formats.shapes import Parameter, Shape
from company_lab.scenarios.spec import FactSpec, ToolSpec, WorldSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One name that a scenario may use. `inner` are the names inside it: fields, arguments, data, operations."""

    name: str
    text: str = ""
    phrases: tuple[str, ...] = ()
    """Wordings that make it, in the language of phrases."""
    inner: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """All names of one kind in a department, under the word the summary counts them by."""

    title: str
    kind: str
    entries: tuple[Entry, ...]


class _Declared(Protocol):
    @property
    def department(self) -> str: ...


D = TypeVar("D", bound=_Declared)


def departments(spec: WorldSpec) -> tuple[str, ...]:
    """The departments of a world, and behind them whatever else declares names, such as the guard."""
    declared: tuple[_Declared, ...] = (
        *spec.tables.values(), *spec.tools.values(), *spec.events.values(), *spec.facts.values(),
        *spec.stimuli.values(), *spec.requests.values(), *spec.claims.values(), *spec.questions.values(),
        *spec.amount_roles.values(), *spec.providers.values(), *spec.rules.values(),
    )  # fmt: skip
    return tuple(dict.fromkeys((*spec.departments, *(one.department for one in declared))))


def listings(spec: WorldSpec, department: str) -> tuple[Listing, ...]:
    """The names of a department, kind by kind; kinds it has none of are left out."""

    def of(named: Mapping[str, D]) -> Iterator[tuple[str, D]]:
        return ((name, one) for name, one in named.items() if one.department == department)

    found = (
        ("Tables", "table", [
            Entry(name=name, text=_readable(one.read), inner=_fields(one.shape)) for name, one in of(spec.tables)
        ]),
        ("Tools", "tool", [
            Entry(name=name, text=_tool(one), inner=_arguments(one)) for name, one in of(spec.tools)
        ]),
        ("Events", "event", [
            Entry(name=name, text=_brings(one.brings), inner=_fields(one.shape)) for name, one in of(spec.events)
        ]),
        ("Facts", "fact", [Entry(name=name, text=_fact(one)) for name, one in of(spec.facts)]),
        ("Stimuli", "stimulus", [
            Entry(name=name, text=f"{shape_text(one.shape)}. {_line(one.description)}")
            for name, one in of(spec.stimuli)
        ]),
        ("Requests", "request", [
            Entry(name=name, text=f"{one.tool} {canonical(dict(one.args))}: {_line(one.task)}")
            for name, one in of(spec.requests)
        ]),
        ("Claims", "claim", [
            Entry(
                name=name,
                text=f"true where the fact {one.fact} is" + ("; binds the company" if one.commitment else ""),
                phrases=one.phrases,
            )
            for name, one in of(spec.claims)
        ]),
        ("Questions", "question", [
            Entry(name=name, phrases=one.phrases) for name, one in of(spec.questions)
        ]),
        ("Amount roles", "amount role", [
            Entry(name=name, phrases=one.phrases) for name, one in of(spec.amount_roles)
        ]),
        ("Providers", "provider", [
            Entry(
                name=name,
                text=f"may answer {', '.join(one.answers)}" if one.answers else "always does as it is asked",
                inner=tuple((op, _inline(payload)) for op, payload in one.operations.items()),
            )
            for name, one in of(spec.providers)
        ]),
        ("Rules", "rule", [Entry(name=name, text=", ".join(one.tools)) for name, one in of(spec.rules)]),
    )  # fmt: skip
    return tuple(
        Listing(title=title, kind=kind, entries=tuple(entries)) for title, kind, entries in found if entries
    )


def shape_text(shape: Shape) -> str:
    """A shape in few words, with what a list or an object holds."""
    if shape.kind == "list" and shape.items is not None:
        text = f"a list of {shape_text(shape.items)}"
    elif shape.fields is not None:
        text = f"{{{_inline(shape)}}}"
    elif shape.values is not None:
        text = f"an object of {shape_text(shape.values)} by free key"
    elif shape.moment:
        return "a moment with a zone" + (" or null" if shape.nullable else "")
    else:
        return shape.name()
    return text + (" or null" if shape.nullable else "")


def _inline(shape: Shape) -> str:
    return "; ".join(f"{name}: {text}" for name, text in _fields(shape))


def _fields(shape: Shape) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, shape_text(inner) + ("" if name in shape.required else ", may be absent"))
        for name, inner in (shape.fields or {}).items()
    )


def _arguments(tool: ToolSpec) -> tuple[tuple[str, str], ...]:
    return tuple((name, _argument(one)) for name, one in tool.signature.parameters.items())


def _argument(one: Parameter) -> str:
    text = shape_text(one.shape) + (", prose" if one.shape.prose else "")
    if one.required:
        return text
    return f"{text}, may be absent" + (
        "" if one.default in (None, "") else f" (then {canonical(one.default)})"
    )


def _tool(tool: ToolSpec) -> str:
    doing = "spends" if tool.spends else "writes" if tool.writes else "reads"
    needs = f", needs {tool.permission}" if tool.permission else ", needs no permission"
    return f"{doing}{needs}. {_line(tool.description)}"


def _readable(permission: str | None) -> str:
    return f"read with {permission}" if permission else "every role may read it"


def _brings(brings: Mapping[str, str]) -> str:
    return ", ".join(f"{key} becomes a record of {table}" for key, table in brings.items())


def _fact(fact: FactSpec) -> str:
    use = " and ".join(
        word for word, is_so in (("set", fact.settable), ("expected", fact.expectable)) if is_so
    )
    return f"{shape_text(fact.shape)}; may be {use}. {_line(fact.description)}"


def _line(text: str) -> str:
    return " ".join(text.split())
