"""Shapes: what a JSON value must look like, from which checks, JSON Schema and error texts come."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from company_lab.formats.canonical import Json

Kind = Literal["text", "integer", "number", "boolean", "object", "list", "any"]
_NAMES: Mapping[str, str] = {
    "text": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "list": "a list",
    "any": "anything",
}
_JSON_NAMES = {"text": "string", "boolean": "boolean", "object": "object", "list": "array"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """A place where a value does not have its shape; `path` is relative to the value."""

    path: tuple[str | int, ...]
    found: str
    expected: str
    unknown_key: str | None = None
    valid_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a value must look like.

    Types are strict: true is no number, an integral float counts as whole, null only where `nullable`.
    """

    kind: Kind = "any"
    nullable: bool = False
    choices: tuple[str | int, ...] = ()
    pattern: str | None = None
    minimum: int | None = None
    maximum: int | None = None
    items: Shape | None = None
    """Shape of list items."""
    values: Shape | None = None
    """Shape of the values of an object whose keys are free."""
    fields: Mapping[str, Shape] | None = None
    """Shapes of an object's declared keys; other keys are mismatches."""
    required: frozenset[str] = frozenset()
    references: str | None = None
    """The table whose ids this text names."""
    money: bool = False
    """An amount in minor units."""
    currency: bool = False
    """An ISO 4217 code."""
    moment: bool = False
    """A moment with a zone."""
    prose: bool = False
    """Free wording (text, subject, note): never compared unless an expectation mentions it."""
    target: bool = False
    """Names what a call is about; a new value is a new occurrence, a repeat an attempt."""
    description: str = ""

    def mismatches(self, value: object, path: tuple[str | int, ...] = ()) -> Iterator[Mismatch]:
        """Every place where `value` departs from this shape."""
        if value is None:
            if not self.nullable and self.kind != "any":
                yield Mismatch(path=path, found="null", expected=self.name())
            return
        if not _is_kind(self.kind, value):
            yield Mismatch(path=path, found=shown(value), expected=self.name())
            return
        if self.choices and value not in self.choices:
            yield Mismatch(path=path, found=shown(value), expected=self.name())
        elif isinstance(value, str):
            yield from self._text_mismatches(value, path)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            if (self.minimum is not None and value < self.minimum) or (
                self.maximum is not None and value > self.maximum
            ):
                yield Mismatch(path=path, found=shown(value), expected=self.name())
        elif isinstance(value, list):
            if self.items is not None:
                for index, item in enumerate(value):
                    yield from self.items.mismatches(item, (*path, index))
        elif isinstance(value, Mapping):
            yield from self._object_mismatches(value, path)

    def _text_mismatches(self, value: str, path: tuple[str | int, ...]) -> Iterator[Mismatch]:
        from company_lab.formats.money import UnknownCurrency, exponent
        from company_lab.formats.time import BadTime, parse_moment

        if self.pattern is not None and not re.fullmatch(self.pattern, value):
            yield Mismatch(path=path, found=shown(value), expected=self.name())
        try:
            if self.currency:
                exponent(value)
            if self.moment:
                parse_moment(value)
        except (UnknownCurrency, BadTime):
            yield Mismatch(path=path, found=shown(value), expected=self.name())

    def _object_mismatches(
        self, value: Mapping[str, object], path: tuple[str | int, ...]
    ) -> Iterator[Mismatch]:
        if self.fields is not None:
            for key, item in value.items():
                shape = self.fields.get(key)
                if shape is None:
                    yield Mismatch(
                        path=(*path, key),
                        found=f"the key {key}",
                        expected="one of " + ", ".join(self.fields),
                        unknown_key=key,
                        valid_keys=tuple(self.fields),
                    )
                else:
                    yield from shape.mismatches(item, (*path, key))
            for key in sorted(self.required - value.keys()):
                yield Mismatch(path=path, found="nothing", expected=f"the key {key}")
        elif self.values is not None:
            for key, item in value.items():
                yield from self.values.mismatches(item, (*path, key))

    def name(self) -> str:
        """The shape in words, for error texts."""
        if self.choices:
            text = "one of " + ", ".join(str(choice) for choice in self.choices)
        elif self.money:
            text = "an amount in whole minor units"
        elif self.currency:
            text = "an ISO 4217 currency code"
        elif self.moment:
            text = "a moment with a zone, such as 2026-03-05T08:00:00+01:00"
        elif self.references:
            text = f"the id of a record in {self.references}"
        else:
            text = _NAMES[self.kind]
        if self.minimum is not None:
            text += f" of at least {self.minimum}"
        if self.maximum is not None:
            text += f" of at most {self.maximum}"
        if self.pattern is not None:
            text += f" like {self.pattern}"
        return text + (" or null" if self.nullable else "")

    def json_schema(self) -> dict[str, Json]:
        """This shape as JSON Schema (2020-12)."""
        schema: dict[str, Json] = {}
        if self.kind in _JSON_NAMES or self.kind in ("integer", "number"):
            kind = _JSON_NAMES.get(self.kind, self.kind)
            schema["type"] = [kind, "null"] if self.nullable else kind
        if self.choices:
            schema["enum"] = [*self.choices, *([None] if self.nullable else [])]
        if self.pattern is not None:
            schema["pattern"] = f"^(?:{self.pattern})$"
        if self.minimum is not None:
            schema["minimum"] = self.minimum
        if self.maximum is not None:
            schema["maximum"] = self.maximum
        if self.items is not None:
            schema["items"] = self.items.json_schema()
        if self.fields is not None:
            schema["properties"] = {key: shape.json_schema() for key, shape in self.fields.items()}
            schema["additionalProperties"] = False
            if self.required:
                schema["required"] = list[Json](sorted(self.required))
        elif self.values is not None:
            schema["additionalProperties"] = self.values.json_schema()
        description = self.description or (self.name() if self.money or self.currency or self.moment else "")
        if description:
            schema["description"] = description
        return schema


def _is_kind(kind: Kind, value: object) -> bool:
    return _KIND_CHECKS[kind](value)


def _whole(value: object) -> bool:
    if isinstance(value, float):
        # Beyond 2^53 a float no longer says which whole number was meant.
        return value.is_integer() and abs(value) <= 2**53
    return isinstance(value, int) and not isinstance(value, bool)


_KIND_CHECKS: Mapping[Kind, Callable[[object], bool]] = {
    "any": lambda value: True,
    "text": lambda value: isinstance(value, str),
    "integer": _whole,
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, Mapping),
    "list": lambda value: isinstance(value, list),
}


def shown(value: object, limit: int = 60) -> str:
    """A value as error texts show it: "(id 'I-400', paid true)". Cut to `limit` characters."""
    text = _written(value, limit)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _written(value: object, limit: int) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping) and limit > 0:
        # Sorted, since a stored record comes back sorted: a message must not tell the two apart.
        inside = (
            f"{name} {_written(item, limit // 2)}" for name, item in sorted(value.items(), key=str)[:limit]
        )
        return f"({', '.join(inside)})"
    if isinstance(value, (list, tuple)) and limit > 0:
        return f"[{', '.join(_written(item, limit // 2) for item in value[:limit])}]"
    return repr(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument of a tool. An argument with a `default` may be left out."""

    name: str
    shape: Shape
    required: bool = True
    default: Json = None


@dataclass(frozen=True, slots=True)
class Signature:
    """The arguments a tool takes, by name."""

    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    def json_schema(self) -> dict[str, Json]:
        """The arguments as a JSON Schema object, the form agent frameworks expect."""
        properties: dict[str, Json] = {}
        for name, parameter in self.parameters.items():
            schema = parameter.shape.json_schema()
            if not parameter.required:
                schema["default"] = parameter.default
            properties[name] = schema
        required: list[Json] = [name for name, parameter in self.parameters.items() if parameter.required]
        return {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }
