"""Inspection: a document beside the world it speaks of, and the checks that every part of it needs.

Checks read the document as written rather than the model, so that a misspelt key in one place does not hide a
wrong name in another. Values of the wrong type are passed over here; `structure` reports them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from company_lab.formats.canonical import Json
from company_lab.formats.shapes import Shape, Signature
from company_lab.formats.yaml import Path
from company_lab.scenarios.findings import Findings
from company_lab.scenarios.known import Known
from company_lab.scenarios.matchers import MATCHERS, STATES_OF_BEING, matcher_of
from company_lab.scenarios.spec import WorldSpec

_ANYTHING = Shape()
_MONEY_NAME = re.compile(r"(?:.*_)?(?:minor|amount|price|total)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """One document being checked."""

    document: Mapping[str, Json]
    spec: WorldSpec
    findings: Findings
    known: Known

    def name(
        self, path: Path, value: object, names: Collection[str], what: str, *, key: bool = False
    ) -> bool:
        """Check that a text is one of `names`; `what` says of what kind. True where it is."""
        if not isinstance(value, str):
            return False
        if value in names:
            return True
        few = ", ".join(sorted(names)) if 0 < len(names) <= 12 else None
        self.findings.add(
            path,
            f"there is no {what} {value}",
            key=key,
            expected=f"one of {few}" if few else None if names else f"no {what}, as there is none",
            nearest=self.findings.nearest(value, names),
        )
        return False

    def value(self, path: Path, value: Json, shape: Shape, *, named: str = "") -> None:
        """Check a plain value against its shape; `named` is the key it stands under."""
        for mismatch in shape.mismatches(value):
            at = (*path, *mismatch.path)
            if mismatch.unknown_key is not None:
                self.findings.add(
                    at,
                    f"unknown field {mismatch.unknown_key}",
                    key=True,
                    expected="one of " + ", ".join(mismatch.valid_keys),
                    nearest=self.findings.nearest(mismatch.unknown_key, mismatch.valid_keys),
                )
                continue
            inner, wanted = _at(value, mismatch.path), _shape_at(shape, mismatch.path)
            missing = mismatch.found == "nothing"
            self.findings.add(
                at,
                f"{mismatch.expected} is missing" if missing else "a wrong value",
                key=missing,
                found=None if missing else self.findings.shown(at, inner),
                expected=None if missing else mismatch.expected,
                fix=self.findings.quoting(at, inner) if wanted.kind == "text" else None,
                nearest=self._nearest_choice(inner, wanted),
            )
        if self.findings.document.floats:
            for at, spelling in _floats_as_money(value, shape, named, path):
                self.findings.add(
                    at,
                    "an amount is never a floating point number",
                    found=self.findings.shown(at, spelling),
                    expected="whole minor units: 1234 for 12.34",
                )

    def _nearest_choice(self, value: object, shape: Shape) -> str | None:
        if not isinstance(value, str) or not shape.choices:
            return None
        return self.findings.nearest(value, [choice for choice in shape.choices if isinstance(choice, str)])

    def references(self, path: Path, value: Json, shape: Shape, *, anywhere: bool, generated: bool) -> None:
        """Check that ids named by a value belong to records; `generated` lets ids the world makes pass."""
        if self.known.open:
            return
        for at, table, id in _references(value, shape, path):
            if self.known.has(table, id, anywhere=anywhere) or (
                generated and self.known.may_arise(table, id)
            ):
                continue
            self.record_missing(at, table, id)

    def record_missing(self, path: Path, table: str, id: str, *, key: bool = False) -> None:
        """Note that a record does not exist."""
        self.findings.add(
            path,
            f"there is no record {id} in {table}",
            key=key,
            expected="a record of initial, or one that an event brings",
            nearest=self.findings.nearest(id, self.known.ids(table)),
        )

    def expectation(
        self, path: Path, value: Json, shape: Shape, *, named: str, anywhere: bool = False
    ) -> None:
        """Check a literal or a matcher. A literal map must stand under `equals`."""
        matcher = matcher_of(value)
        if matcher is not None:
            self._matcher((*path, matcher[0]), matcher[0], matcher[1], shape, named=named, anywhere=anywhere)
        elif isinstance(value, dict):
            self.not_a_matcher(path, value, shape)
        else:
            self._literal(path, value, shape, named=named, anywhere=anywhere)

    def not_a_matcher(self, path: Path, value: Mapping[str, Json], shape: Shape) -> None:
        """Note a map that is neither a matcher nor written under `equals`."""
        name = next(iter(value)) if len(value) == 1 else ""
        close = self.findings.nearest(name, MATCHERS)
        if name and (close is not None or shape.kind not in ("object", "any")):
            self.findings.add(
                (*path, name),
                f"unknown matcher {name}",
                key=True,
                expected="one of " + ", ".join(MATCHERS),
                nearest=close,
            )
        else:
            self.findings.add(
                path, "a map is no value here", expected="a matcher", fix="write a literal map under equals"
            )

    def arguments(
        self, path: Path, args: Json | None, signature: Signature, tool: str, *, anywhere: bool
    ) -> None:
        """Check literals and matchers for the arguments of a tool."""
        if not isinstance(args, dict):
            return
        for name, value in args.items():
            if self.name((*path, name), name, signature.parameters, f"argument of {tool} called", key=True):
                shape = signature.parameters[name].shape
                self.expectation((*path, name), value, shape, named=name, anywhere=anywhere)

    def _literal(self, path: Path, value: Json, shape: Shape, *, named: str, anywhere: bool) -> None:
        self.value(path, value, shape, named=named)
        self.references(path, value, shape, anywhere=anywhere, generated=True)

    def _matcher(
        self, path: Path, name: str, operand: Json, shape: Shape, *, named: str, anywhere: bool
    ) -> None:
        if name == "equals":
            self._literal(path, operand, shape, named=named, anywhere=anywhere)
        elif name in ("one_of", "unordered"):
            inner = shape if name == "one_of" else shape.items or _ANYTHING
            if name == "unordered" and shape.kind not in ("list", "any"):
                self._misfit(path, name, "a list", shape)
            elif not isinstance(operand, list) or not operand:
                self.findings.add(
                    path,
                    f"{name} takes a list",
                    found=self.findings.shown(path, operand),
                    expected="a list of at least one value",
                )
            else:
                for index, item in enumerate(operand):
                    check = self._literal if name == "one_of" else self.expectation
                    check((*path, index), item, inner, named=named, anywhere=anywhere)
        elif name in ("at_least", "at_most"):
            self._bound(path, name, operand, shape, named=named)
        elif name == "contains":
            if shape.kind == "list":
                self._literal(path, operand, shape.items or _ANYTHING, named=named, anywhere=anywhere)
            elif shape.kind not in ("text", "any"):
                self._misfit(path, name, "text or a list", shape)
            elif shape.kind == "text":
                self._text(path, name, operand)
        elif name == "regex":
            if shape.kind not in ("text", "any"):
                self._misfit(path, name, "text", shape)
            elif self._text(path, name, operand):
                self._pattern(path, str(operand))
        elif name == "any":
            if operand is not True:
                self._operand(path, "any takes true", operand, "true")
        elif not (operand is None or operand in STATES_OF_BEING):
            self._operand(path, "is takes a state", operand, "one of " + ", ".join(STATES_OF_BEING))

    def _bound(self, path: Path, name: str, operand: Json, shape: Shape, *, named: str) -> None:
        number = isinstance(operand, (int, float)) and not isinstance(operand, bool)
        if shape.kind in ("integer", "number") or (shape.kind == "any" and number):
            if not number:
                self._operand(path, f"{name} takes a number here", operand, "a number")
            else:
                self.value(path, operand, Shape(kind=shape.kind, money=shape.money), named=named)
        elif shape.kind not in ("text", "any"):
            self._misfit(path, name, "a number, a date or a moment", shape)
        elif not isinstance(operand, str):
            self._operand(path, f"{name} takes a date or a moment here", operand, "text")

    def _text(self, path: Path, name: str, operand: Json) -> bool:
        if isinstance(operand, str) and operand:
            return True
        self._operand(path, f"{name} takes text", operand, "text of at least one character")
        return False

    def _operand(self, path: Path, message: str, operand: Json, expected: str) -> None:
        word = isinstance(operand, str) and path[-1] == "is"
        close = self.findings.nearest(str(operand), STATES_OF_BEING) if word else None
        found = self.findings.shown(path, operand)
        self.findings.add(path, message, found=found, expected=expected, nearest=close)

    def _misfit(self, path: Path, name: str, wanted: str, shape: Shape) -> None:
        self.findings.add(
            path,
            f"{name} looks at {wanted}, and here stands {shape.name()}",
            key=True,
            fix="use another matcher",
        )

    def _pattern(self, path: Path, pattern: str) -> None:
        try:
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            self.findings.add(path, f"the pattern can not be read: {error}", expected="a regular expression")


def _at(value: object, path: tuple[str | int, ...]) -> object:
    for part in path:
        value = value[part]  # type: ignore[index]
    return value


def _shape_at(shape: Shape, path: tuple[str | int, ...]) -> Shape:
    for part in path:
        if isinstance(part, int):
            shape = shape.items or _ANYTHING
        else:
            shape = field_shape(shape, part) or _ANYTHING
    return shape


def note_repeated(at: Inspection, path: Path, id: object, seen: dict[str, int], what: str) -> None:
    """Note an id that stands twice; `seen` holds the lines of those before."""
    if not isinstance(id, str):
        return
    line, _ = at.findings.document.position(path)
    if id in seen:
        at.findings.add(path, f"the {what} {id} stands twice, first in line {seen[id]}")
    else:
        seen[id] = line or 0


def field_shape(shape: Shape, field: str) -> Shape | None:
    """The shape of a field; None where the shape declares its fields and this is not one of them."""
    if shape.fields is not None:
        return shape.fields.get(field)
    return shape.values or _ANYTHING


def _floats_as_money(value: Json, shape: Shape, named: str, path: Path) -> Iterator[tuple[Path, float]]:
    if isinstance(value, float):
        if not value.is_integer() and shape.kind == "integer":
            # Not a whole number at all: its shape has said so.
            return
        if shape.money or (shape.kind != "number" and _MONEY_NAME.fullmatch(named)):
            yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _floats_as_money(item, field_shape(shape, key) or _ANYTHING, key, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _floats_as_money(item, shape.items or _ANYTHING, named, (*path, index))


def _references(value: Json, shape: Shape, path: Path) -> Iterator[tuple[Path, str, str]]:
    if isinstance(value, str):
        if shape.references is not None:
            yield path, shape.references, value
    elif isinstance(value, dict):
        fields, values = shape.fields, shape.values
        if fields is not None:
            for key, item in value.items():
                inner = fields.get(key)
                if inner is not None and (inner.references is not None or inner.kind in ("object", "list")):
                    yield from _references(item, inner, (*path, key))
        elif values is not None:
            for key, item in value.items():
                yield from _references(item, values, (*path, key))
    elif isinstance(value, list) and shape.items is not None:
        for index, item in enumerate(value):
            yield from _references(item, shape.items, (*path, index))
