"""The digest of what departments are made of: their code and what they declare beside it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import CodeType
from typing import Any

from company_lab.formats.canonical import Json, boundary, digest
from company_lab.formats.shapes import Shape
from company_lab.worlds.annotations import record_shape
from company_lab.worlds.department import Department


def source_digest(
    name: str, departments: Sequence[Department], *, crowd: Callable[..., Any] | None = None
) -> str:
    """SHA-256 over the source of every function the departments declare, and over their names, phrases and shapes.

    A function counts with the whole file it stands in; one without a file (typed into a notebook or a shell)
    counts with its own source or, where there is none, with its code.
    """
    functions = [function for department in departments for function in _functions(department)]
    functions += [] if crowd is None else [crowd]
    return digest(
        [name, sorted({_source(function) for function in functions}), [_declared(one) for one in departments]]
    )


def _functions(department: Department) -> Iterator[Callable[..., Any]]:
    yield from (tool.function for tool in department.tools.values())
    yield from (event.handle for event in department.events.values())
    yield from (happening.happen for happening in department.happenings.values())
    for rule in department.rules:
        yield from filter(None, (rule.check, rule.reading))
    for fact in department.facts.values():
        yield from filter(None, (fact.get, fact.set))
    yield from filter(None, (department.on_hold, department.on_approved_use))


def _source(function: Callable[..., Any]) -> str:
    function = inspect.unwrap(function)
    try:
        file = inspect.getsourcefile(function)
        if file is not None and Path(file).is_file():
            return Path(file).read_text("utf-8")
        return inspect.getsource(function)
    except (OSError, TypeError):
        return _code(function.__code__) if hasattr(function, "__code__") else type(function).__qualname__


def _code(code: CodeType) -> str:
    constants = [_code(item) if isinstance(item, CodeType) else repr(item) for item in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {sorted(constants)}"


def _schemas(shapes: Mapping[str, Shape]) -> Json:
    return {name: shape.json_schema() for name, shape in shapes.items()}


def _declared(department: Department) -> Json:
    # Shapes stand here for themselves: a TypedDict may come from another file than the functions.
    named: tuple[Any, ...] = (
        *department.claims,
        *department.questions,
        *department.amount_roles,
        *department.requests,
    )
    return boundary(
        {
            "name": department.name,
            "named": [asdict(item) for item in named],
            "tables": [
                [name, table.singular, table.read, table.expires, record_shape(table.record).json_schema()]
                for name, table in department.tables.items()
            ],
            "providers": [
                [item.name, item.answers, item.key_retention_ms, _schemas(item.shapes())]
                for item in department.providers
            ],
            "data": [
                _schemas({event.type: event.shape for event in department.events.values()}),
                _schemas({fact.name: fact.shape for fact in department.facts.values()}),
                _schemas({one.name: one.shape for one in department.happenings.values()}),
            ],
            "rules": [[rule.name, rule.text, rule.tools] for rule in department.rules],
            "reasons": [*department.reasons],
            "permissions": [*department.permissions],
        }
    )
