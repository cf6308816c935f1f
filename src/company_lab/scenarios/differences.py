"""What two scenarios say differently, place by place."""

from __future__ import annotations

from collections.abc import Iterator

from company_lab.formats.canonical import canonical, same
from company_lab.scenarios.model import Scenario

_PLAYED = (
    *("world", "clock", "role", "people", "initial", "other_tenants", "events", "stimulus"),
    *("limits", "providers", "faults", "crowd"),
)
"""Keys that say how an episode goes; the others say who reads it and how it is judged."""
_ABSENT = object()


def differences(one: Scenario, other: Scenario) -> Iterator[str]:
    """Lines such as `expected.actions[0].times: 1 -> 2`; nothing where both say the same."""
    if one.digest != other.digest:
        for path, old, new in _differences("", one.document, other.document):
            yield f"{path}: {_shown(old)} -> {_shown(new)}"


def played_differently(one: Scenario, other: Scenario) -> tuple[str, ...]:
    """The keys in which two scenarios differ before anything is judged: episodes of one are none of the other."""
    if one.digest == other.digest:
        return ()
    return tuple(
        key for key in _PLAYED if one.model_dump_json(include={key}) != other.model_dump_json(include={key})
    )


def _shown(value: object) -> str:
    return "absent" if value is _ABSENT else canonical(value)


def _differences(path: str, old: object, new: object) -> Iterator[tuple[str, object, object]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            place = f"{path}.{key}" if path else str(key)
            yield from _differences(place, old.get(key, _ABSENT), new.get(key, _ABSENT))
        if old.keys() == new.keys() and list(old) != list(new) and path == "stimulus":
            yield path, list(old), list(new)
    elif isinstance(old, list) and isinstance(new, list):
        for index in range(max(len(old), len(new))):
            left = old[index] if index < len(old) else _ABSENT
            right = new[index] if index < len(new) else _ABSENT
            yield from _differences(f"{path}[{index}]", left, right)
    elif old is _ABSENT or new is _ABSENT or not same(old, new):
        yield path, old, new
