"""Matchers as a scenario writes them: whether they can be read, and whether they hold for a value.

A matcher is a one-key map. Evaluation compiles matchers for judging; what stands here answers questions about
the scenario itself, such as whether an expectation already holds before anybody did anything.
"""

from __future__ import annotations

import re
from typing import Final

from company_lab.formats.canonical import Json, same

MATCHERS: Final = ("equals", "one_of", "at_least", "at_most", "contains", "regex", "any", "unordered", "is")
STATES_OF_BEING: Final = ("absent", "present", "null", "empty")
"""What `is` may say."""


class Absent:
    """The value of a key that is not there; not null and not empty."""


ABSENT: Final = Absent()


def matcher_of(value: object) -> tuple[str, Json] | None:
    """Name and operand of a matcher, or None for anything that is not one."""
    if isinstance(value, dict) and len(value) == 1:
        name, operand = next(iter(value.items()))
        if name in MATCHERS:
            return name, operand
    return None


def holds(expectation: Json, value: Json | Absent) -> bool:
    """Whether a literal or a matcher is met by a value. False where that can not be decided."""
    matcher = matcher_of(expectation)
    if matcher is None:
        return same(expectation, value)
    name, operand = matcher
    if name == "is":
        return _is(operand, value)
    if name == "any":
        return value is not ABSENT
    if name == "equals":
        return same(operand, value)
    if name in ("one_of", "unordered"):
        if not isinstance(operand, list):
            return False
        if name == "one_of":
            return any(same(option, value) for option in operand)
        return isinstance(value, list) and _same_in_any_order(operand, value)
    if name == "contains":
        return isinstance(value, (str, list)) and _contains(value, operand)
    if name == "regex":
        return isinstance(operand, str) and isinstance(value, str) and _found(operand, value)
    return _in_order(operand, value) if name == "at_least" else _in_order(value, operand)


def _is(operand: Json, value: Json | Absent) -> bool:
    if operand == "absent":
        return value is ABSENT
    if operand == "present":
        return value is not ABSENT
    if operand == "empty":
        return isinstance(value, (str, list, dict)) and not value
    return value is None


def _same_in_any_order(wanted: list[Json], found: list[Json]) -> bool:
    rest = list(found)
    for item in wanted:
        place = next((index for index, other in enumerate(rest) if holds(item, other)), None)
        if place is None:
            return False
        del rest[place]
    return not rest


def _contains(value: str | list[Json], operand: Json) -> bool:
    if isinstance(value, str):
        return isinstance(operand, str) and operand in value
    return any(same(item, operand) for item in value)


def _found(pattern: str, value: str) -> bool:
    try:
        return re.search(pattern, value) is not None
    except (re.error, OverflowError, RecursionError):
        return False


def _in_order(low: object, high: object) -> bool:
    if isinstance(low, str) and isinstance(high, str):
        return low <= high
    numbers = [item for item in (low, high) if isinstance(item, (int, float)) and not isinstance(item, bool)]
    return len(numbers) == 2 and numbers[0] <= numbers[1]
