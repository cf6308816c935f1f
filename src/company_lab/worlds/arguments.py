"""Arguments of a call: what is wrong with them, told in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from company_lab.formats.errors import nearest
from company_lab.formats.shapes import Mismatch, Shape, Signature

_PLAIN_TYPES: Mapping[str, type] = MappingProxyType({"text": str, "integer": int, "boolean": bool})
Fits = Callable[[object], bool]


def argument_check(signature: Signature) -> Callable[[object], str | None]:
    """A function that says what is wrong with the arguments of a call, or None."""
    parameters = signature.parameters
    required = frozenset(name for name, parameter in parameters.items() if parameter.required)
    shapes = {name: parameter.shape for name, parameter in parameters.items()}
    quick = {name: fits for name, shape in shapes.items() if (fits := _quick(shape)) is not None}
    full = Shape(kind="object", fields=shapes, required=required)

    def check(args: object) -> str | None:
        if isinstance(args, dict) and args.keys() >= required:
            for name, value in args.items():
                fits = quick.get(name)
                if fits is None or not fits(value):
                    break
            else:
                return None
        mismatch = next(full.mismatches(args), None)
        return None if mismatch is None else _told(mismatch)

    return check


def _quick(shape: Shape) -> Fits | None:
    """A look that decides for the common shapes; where it says no, the long way finds out why."""
    if shape.pattern is not None or shape.currency or shape.moment or shape.choices:
        return None
    minimum, maximum = shape.minimum, shape.maximum
    if shape.kind == "list" and shape.items is not None:
        inner = _quick(shape.items)
        if inner is None or shape.nullable:
            return None
        return lambda value: type(value) is list and all(map(inner, value))
    kind = _PLAIN_TYPES.get(shape.kind)
    if kind is None:
        return None
    if kind is int and (minimum is not None or maximum is not None):
        low = float("-inf") if minimum is None else minimum
        high = float("inf") if maximum is None else maximum
        return lambda value: type(value) is int and low <= value <= high
    if shape.nullable:
        return lambda value: value is None or type(value) is kind
    return lambda value: type(value) is kind


def _told(mismatch: Mismatch) -> str:
    place = ".".join(str(part) for part in mismatch.path) or "the arguments"
    text = f"{place}: found {mismatch.found}, expected {mismatch.expected}"
    close = nearest(mismatch.unknown_key, mismatch.valid_keys) if mismatch.unknown_key is not None else None
    return f"{text}; did you mean {close}?" if close else text
