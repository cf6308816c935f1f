"""JSON as this package understands it: strict types, one spelling, no surprises at the boundary."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from math import isfinite
from types import MappingProxyType
from typing import Any, TypeAlias

from company_lab.formats.errors import CompanyLabError

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"

MAX_DEPTH = 64
MAX_INTEGER = 2**63 - 1
_MAX_EXACT_FLOAT = 2.0**53


class NotJson(CompanyLabError):
    """A value that JSON can not carry. `path` names the place, `reason` says what is wrong."""

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        self.reason = reason
        super().__init__(f"{path or 'the value'}: {reason}")


def _refuse_constant(name: str) -> None:
    raise NotJson("", f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise NotJson("", f"{text} is too large for a number")
    return number


def _integer(text: str) -> int:
    if len(text) > 4000:
        raise NotJson("", "an integer of more than 4000 digits")
    return int(text)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise NotJson("", f"the key {key!r} stands twice in one object")
            seen.add(key)
    return found


_encoder = json.JSONEncoder(ensure_ascii=True, allow_nan=False, sort_keys=True, separators=(",", ":"))


def _spelling() -> Callable[[object], str]:
    """The standard library's encoder, made once: it makes one anew for each value, at twice the cost of a record."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _encoder.encode
    escape = json.encoder.encode_basestring_ascii
    spell = make(None, _encoder.default, escape, None, ":", ",", True, False, False)
    return lambda value: "".join(spell(value, 0))


_encode = _spelling()
_decode = json.JSONDecoder(
    parse_constant=_refuse_constant, parse_float=_finite, parse_int=_integer, object_pairs_hook=_unique
).decode
_decode_own = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite).decode


def canonical(value: object) -> str:
    """The one spelling of a JSON value: keys sorted, no spaces, ASCII, finite numbers only."""
    try:
        return _encode(value)
    except (ValueError, TypeError, RecursionError) as error:
        raise NotJson("", str(error)) from None


def digest(value: object) -> str:
    """SHA-256 over the canonical spelling, in hexadecimal. Key order and line ends never matter."""
    return hashlib.sha256(canonical(value).encode("ascii")).hexdigest()


def parse(text: str | bytes) -> Json:
    """Read strict JSON. Duplicate keys, NaN, infinities, other encodings than UTF-8 raise `NotJson`."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        return _decode(text)  # type: ignore[no-any-return]
    except UnicodeDecodeError as error:
        raise NotJson("", f"not UTF-8 (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise NotJson("", f"line {error.lineno} column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise NotJson("", "nested too deeply") from None


def parse_own(text: str) -> Json:
    """Read what `canonical` wrote: as `parse`, without looking for keys that stand twice.

    Somebody may have changed it since: raises `NotJson` for whatever is no JSON, and for what is no text.
    """
    try:
        return _decode_own(text)  # type: ignore[no-any-return]
    except json.JSONDecodeError as error:
        raise NotJson("", f"line {error.lineno} column {error.colno}: {error.msg}") from None
    except (ValueError, TypeError) as error:
        raise NotJson("", str(error)) from None
    except RecursionError:
        raise NotJson("", "nested too deeply") from None


def boundary(value: object, path: str = "", depth: int = 0) -> Json:
    """A copy of `value` that shares nothing with it and could cross a process.

    Integral floats become integers, tuples become lists, read-only mappings become objects. NaN,
    infinities, integers beyond 64 bit, keys that are not text, other types and nesting beyond
    `MAX_DEPTH` raise `NotJson` with the path of the offending place.
    """
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value  # type: ignore[return-value]
    if kind is int:
        if -MAX_INTEGER <= value <= MAX_INTEGER:  # type: ignore[operator]
            return value  # type: ignore[return-value]
        raise NotJson(path, "an integer beyond 64 bit")
    if depth > MAX_DEPTH:
        raise NotJson(path, f"nested deeper than {MAX_DEPTH} levels")
    if kind is dict or kind is MappingProxyType:
        copy: dict[str, Json] = dict(value)  # type: ignore[call-overload]
        for key, item in copy.items():
            if type(key) is not str:
                return boundary(_text_keys(copy, path), path, depth)
            kind = type(item)
            if (
                kind is not str
                and item is not None
                and kind is not bool
                and not (kind is int and -MAX_INTEGER <= item <= MAX_INTEGER)  # type: ignore[operator]
            ):
                copy[key] = boundary(item, f"{path}.{key}" if path else key, depth + 1)
        return copy
    if kind is list or kind is tuple:
        listed: list[object] = list(value)  # type: ignore[call-overload]
        return [boundary(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(listed)]
    if kind is float:
        number: float = value  # type: ignore[assignment]
        if not isfinite(number):
            raise NotJson(path, f"{number!r} is not a JSON number")
        return int(number) if number.is_integer() and abs(number) <= _MAX_EXACT_FLOAT else number
    return boundary(_plain(value, path), path, depth)


def _text_keys(value: Mapping[Any, Json], path: str) -> dict[str, Json]:
    """The same items under keys of no type but text."""
    keys: list[str] = []
    for key in value:
        if not isinstance(key, str):
            raise NotJson(path, f"a key of type {type(key).__name__} is not text")
        keys.append(str.__str__(key))
    return dict(zip(keys, value.values(), strict=True))


def _plain(value: object, path: str) -> object:
    """What a value of a type of its own stands for, without running its code where that can be avoided."""
    try:
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, int):
            return int.__int__(value)
        if isinstance(value, float):
            return float.__float__(value)
        if isinstance(value, dict):
            return dict(dict.items(value))
        if isinstance(value, list):
            return list.copy(value)
        if isinstance(value, tuple):
            return tuple.__getitem__(value, slice(None))
        if isinstance(value, Mapping):
            return dict(value.items())
    except Exception as error:  # noqa: BLE001 - a foreign mapping may do anything when it is read
        name = type(error).__name__
        raise NotJson(path, f"a {type(value).__name__} that can not be read: {name}") from None
    raise NotJson(path, f"a value of type {type(value).__name__} is not JSON")


def duplicate(value: Json) -> Json:
    """A copy of a value that came out of `boundary`, without looking at it again."""
    if type(value) is dict:
        copy = value.copy()
        for key, item in value.items():
            if type(item) is dict or type(item) is list:
                copy[key] = duplicate(item)
        return copy
    if type(value) is list:
        return [duplicate(item) if type(item) is dict or type(item) is list else item for item in value]
    return value


def same(left: object, right: object) -> bool:
    """Equality with JSON's types: true is not 1, an integral float equals its integer, lists are ordered."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, (dict, MappingProxyType)) and isinstance(right, (dict, MappingProxyType)):
        return len(left) == len(right) and all(
            key in right and same(value, right[key]) for key, value in left.items()
        )
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right
