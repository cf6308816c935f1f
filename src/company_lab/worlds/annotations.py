"""From Python annotations to shapes: tool arguments and record fields are declared as types."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import (
    Annotated,
    Any,
    ForwardRef,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse
from company_lab.formats.shapes import Parameter, Shape, Signature


@dataclass(frozen=True, slots=True)
class Ref:
    """The text names a record of `table`."""

    table: str


@dataclass(frozen=True, slots=True)
class Between:
    """Bounds of a whole number, both included; None leaves a side open."""

    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True, slots=True)
class Like:
    """The text matches a regular expression as a whole."""

    pattern: str


@dataclass(frozen=True, slots=True)
class About:
    """A description for the schema an agent sees."""

    text: str


@dataclass(frozen=True, slots=True)
class _Mark:
    name: str


TARGET = _Mark("target")
"""The argument names what the call is about: a new value is a new occurrence, a repeat an attempt."""

MinorUnits = Annotated[int, _Mark("money")]
"""An amount in whole minor units (cents)."""
CurrencyCode = Annotated[str, _Mark("currency")]
"""An ISO 4217 code."""
Moment = Annotated[str, _Mark("moment")]
"""A moment with a zone."""
Prose = Annotated[str, _Mark("prose")]
"""Free wording: compared only where an expectation mentions it."""

_PLAIN: dict[object, str] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "boolean",
    dict: "object",
    list: "list",
    Any: "any",
    object: "any",
}
_JSON_MEMBERS = frozenset({bool, int, float, str})
"""`Json` reaches this module as the union it stands for; no other union holds all of these."""


def shape_of(annotation: object) -> Shape:
    """The shape an annotation declares.

    Understands str, int, float, bool, Literal, `X | None`, list[X], dict[str, X], TypedDict, Any and
    Annotated with the marks of this module. Raises `WrongUse` for anything else.
    """
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *marks = get_args(annotation)
        shape = shape_of(inner)
        for mark in marks:
            shape = _marked(shape, mark)
        return shape
    if origin in (Union, types.UnionType):
        members = [member for member in get_args(annotation) if member is not type(None)]
        if {*members} >= _JSON_MEMBERS:
            return Shape()
        if len(members) == 1 and len(get_args(annotation)) == 2:
            return replace(shape_of(members[0]), nullable=True)
        raise WrongUse(
            f"{annotation} is a union of several types; a field has one type, or one type and None"
        )
    if origin is Literal:
        choices = get_args(annotation)
        if not (_all_are(str, choices) or _all_are(int, choices)):
            raise WrongUse(f"{annotation} mixes types; choices are all text or all whole numbers")
        kind: Literal["text", "integer"] = "text" if _all_are(str, choices) else "integer"
        return Shape(kind=kind, choices=choices)
    if origin is list:
        return Shape(kind="list", items=shape_of(get_args(annotation)[0]))
    if origin is dict:
        if get_args(annotation)[0] is not str:
            raise WrongUse(f"{annotation} can not cross the boundary; keys of an object are text")
        return Shape(kind="object", values=shape_of(get_args(annotation)[1]))
    if origin in (typing.Required, typing.NotRequired):
        return shape_of(get_args(annotation)[0])
    if is_typeddict(annotation):
        return record_shape(annotation)
    if _spelled(annotation) in ("Json", Json):
        return Shape()
    try:
        return Shape(kind=_PLAIN[annotation])  # type: ignore[arg-type]
    except (KeyError, TypeError):
        raise WrongUse(f"{annotation!r} can not cross the boundary; use JSON types") from None


def _all_are(kind: type, choices: tuple[object, ...]) -> bool:
    return all(type(choice) is kind for choice in choices)


def _spelled(annotation: object) -> object:
    return annotation.__forward_arg__ if isinstance(annotation, ForwardRef) else annotation


def _hints(declared: Any) -> dict[str, Any]:
    """The annotations of a function or a TypedDict. `Json` names itself, so it is known everywhere."""
    try:
        return get_type_hints(declared, localns={"Json": Json}, include_extras=True)
    except NameError as error:
        raise WrongUse(
            f"{declared.__qualname__} has an annotation that can not be read: {error}; "
            "what it names must stand at the top of its module"
        ) from None


@cache
def record_shape(record: type) -> Shape:
    """The object shape of a TypedDict; keys of the class are required unless NotRequired or total=False."""
    hints = _hints(record)
    return Shape(
        kind="object",
        fields={name: shape_of(hint) for name, hint in hints.items()},
        # Where annotations are postponed the class itself can not tell Required from NotRequired yet.
        required=frozenset(
            name
            for name, hint in hints.items()
            if get_origin(hint) is typing.Required
            or (name in record.__required_keys__ and get_origin(hint) is not typing.NotRequired)  # type: ignore[attr-defined]
        ),
    )


def signature_of(function: Callable[..., object]) -> Signature:
    """The arguments of a tool: every parameter of `function` after the first, which is the context."""
    import inspect

    parameters = list(inspect.signature(function).parameters.values())[1:]
    hints = _hints(function)
    found: dict[str, Parameter] = {}
    for parameter in parameters:
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise WrongUse(f"{function.__qualname__}: {parameter} can not be an argument of a tool")
        if parameter.name not in hints:
            raise WrongUse(f"{function.__qualname__}: the argument {parameter.name} has no annotation")
        required = parameter.default is parameter.empty
        found[parameter.name] = Parameter(
            name=parameter.name,
            shape=shape_of(hints[parameter.name]),
            required=required,
            default=None if required else parameter.default,
        )
    return Signature(found)


def _marked(shape: Shape, mark: object) -> Shape:
    match mark:
        case Ref(table=table):
            return replace(shape, references=table)
        case Between(minimum=minimum, maximum=maximum):
            return replace(shape, minimum=minimum, maximum=maximum)
        case Like(pattern=pattern):
            return replace(shape, pattern=pattern)
        case About(text=text):
            return replace(shape, description=text)
        case _Mark(name=name):
            return replace(shape, **{name: True})  # type: ignore[arg-type]
        case _:
            return shape
