"""Matchers: what a scenario says about one value, compiled into a test.

A matcher is a one-key object (`equals`, `one_of`, `at_least`, `at_most`, `contains`, `regex`, `any`,
`unordered`, `is`); anything else is the value itself. Equality has JSON's types (true is not 1, 5.0 is 5),
lists are ordered and duplicates count, and absent, null and empty are three values. Folded are, in arguments
and receivers only, the domain of a mail address, the letters of a currency code and the zone of a moment.
The local part of an address and every id are compared exactly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from company_lab.evaluation.assignment import assign
from company_lab.formats.canonical import Json, same
from company_lab.formats.errors import WrongUse, nearest
from company_lab.formats.shapes import Shape, shown

Test: TypeAlias = Callable[[object], bool]

MATCHERS = ("equals", "one_of", "at_least", "at_most", "contains", "regex", "any", "unordered", "is")


class _Absent:
    """The value of something that is not there: neither null nor empty."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "nothing"

    def __copy__(self) -> _Absent:
        return self


ABSENT = _Absent()


@dataclass(frozen=True, slots=True)
class Matcher:
    """A compiled expectation of one value."""

    test: Test
    words: str
    """What is expected, for people."""
    written: Json = None
    """As it stands in the scenario."""


def is_matcher(value: object) -> bool:
    """Whether a value is a matcher rather than the expected value itself."""
    return isinstance(value, Mapping) and len(value) == 1 and next(iter(value)) in MATCHERS


def matcher(value: Json, *, shape: Shape | None = None, folding: bool = False) -> Matcher:
    """Compile a matcher or a literal. `folding` compares mail domains and currency codes as such.

    Raises `WrongUse` for a matcher that can not be read.
    """
    test, words = _compile(value, shape, folding)
    return Matcher(test, words, value)


def _compile(value: Json, shape: Shape | None, folding: bool) -> tuple[Test, str]:
    if not is_matcher(value):
        return _equals(value, shape, folding), shown(value)
    assert isinstance(value, dict)
    name, wanted = next(iter(value.items()))
    if name == "equals":
        return _equals(wanted, shape, folding), shown(wanted)
    if name == "one_of":
        options = [_equals(option, shape, folding) for option in _listed(name, wanted)]
        words = "one of " + ", ".join(shown(option) for option in _listed(name, wanted))
        return (lambda found: any(option(found) for option in options)), words
    if name in ("at_least", "at_most"):
        return _bound(name, wanted, shape if folding else None), f"{name.replace('_', ' ')} {shown(wanted)}"
    if name == "contains":
        return _contains(wanted, _items(shape), folding), f"something that contains {shown(wanted)}"
    if name == "regex":
        return _regex(wanted), f"text like {wanted}"
    if name == "unordered":
        return _unordered(_listed(name, wanted), _items(shape), folding), f"{shown(wanted)} in any order"
    if name == "any":
        return _present, "any value"
    return _is(wanted), _IS_WORDS.get(str(wanted), str(wanted))


def partial(pattern: Mapping[str, Json]) -> Test:
    """A test for records that have at least these fields; nested objects are partial too. `{}` asks for nothing."""
    if not pattern:
        return lambda record: True
    tests = [
        (
            field,
            partial(wanted)
            if isinstance(wanted, dict) and wanted and not is_matcher(wanted)
            else matcher(wanted).test,
        )
        for field, wanted in pattern.items()
    ]

    def matches(record: object) -> bool:
        if not isinstance(record, Mapping):
            return False
        return all(test(record.get(field, ABSENT)) for field, test in tests)

    return matches


def same_address(left: str, right: str) -> bool:
    """Whether two mail addresses name one mailbox: local parts exactly, domains without case.

    Only the receiving domain may say that case in the local part is idle, so it is never folded here.
    """
    if left == right:
        return True
    first, at, domain = left.rpartition("@")
    second, other_at, other = right.rpartition("@")
    return bool(at and other_at) and first == second and domain.casefold() == other.casefold()


def _equals(wanted: Json, shape: Shape | None, folding: bool) -> Test:
    if wanted is None or isinstance(wanted, bool):
        return lambda found: found is wanted
    if isinstance(wanted, str):
        if folding and shape is not None and shape.currency:
            return lambda found: isinstance(found, str) and found.upper() == wanted.upper()
        if folding and shape is not None and shape.moment:
            return _same_moment(wanted)
        if folding and "@" in wanted and not any(map(str.isspace, wanted)):
            return lambda found: found == wanted or (isinstance(found, str) and same_address(found, wanted))
        return lambda found: found == wanted
    if isinstance(wanted, (int, float)):
        return lambda found: found == wanted and found is not True and found is not False
    if folding and isinstance(wanted, list):
        return _equal_items([_equals(item, _items(shape), folding) for item in wanted])
    if folding and isinstance(wanted, dict):
        return _equal_fields(
            {name: _equals(item, _field(shape, name), folding) for name, item in wanted.items()}
        )
    return lambda found: same(found, wanted)


def _items(shape: Shape | None) -> Shape | None:
    return shape.items if shape is not None else None


def _field(shape: Shape | None, name: str) -> Shape | None:
    return (shape.fields or {}).get(name, shape.values) if shape is not None else None


def _equal_items(tests: Sequence[Test]) -> Test:
    return lambda found: (
        isinstance(found, (list, tuple))
        and len(found) == len(tests)
        and all(test(item) for test, item in zip(tests, found, strict=True))
    )


def _equal_fields(tests: Mapping[str, Test]) -> Test:
    return lambda found: (
        isinstance(found, Mapping)
        and found.keys() == tests.keys()
        and all(test(found[name]) for name, test in tests.items())
    )


def _same_moment(wanted: str) -> Test:
    moment = _moment(wanted)
    return lambda found: found == wanted or (moment is not None and _moment(found) == moment)


def _moment(value: object) -> datetime | None:
    from company_lab.formats.time import BadTime, parse_moment

    try:
        return parse_moment(value) if isinstance(value, str) else None
    except BadTime:
        return None


def _bound(name: str, wanted: Json, shape: Shape | None) -> Test:
    upper = name == "at_most"
    if isinstance(wanted, str):
        moment = _moment(wanted) if shape is not None and shape.moment else None
        if moment is not None:
            return lambda found: (
                (given := _moment(found)) is not None and (given <= moment if upper else given >= moment)
            )
        # ISO dates and moments of one spelling order as their text does
        return lambda found: isinstance(found, str) and (found <= wanted if upper else found >= wanted)
    if isinstance(wanted, bool) or not isinstance(wanted, (int, float)):
        raise WrongUse(f"{name} is {shown(wanted)}; expected a number or a date")
    return lambda found: (
        isinstance(found, (int, float))
        and not isinstance(found, bool)
        and (found <= wanted if upper else found >= wanted)
    )


def _contains(wanted: Json, shape: Shape | None, folding: bool) -> Test:
    test = _equals(wanted, shape, folding)
    if not isinstance(wanted, str):
        return lambda found: isinstance(found, list) and any(map(test, found))
    from company_lab.evaluation.texts.folding import contains_phrase

    def matches(found: object) -> bool:
        if isinstance(found, str):
            return contains_phrase(found, wanted)
        return isinstance(found, list) and any(map(test, found))

    return matches


def _regex(wanted: Json) -> Test:
    if not isinstance(wanted, str):
        raise WrongUse(f"regex is {shown(wanted)}; expected a pattern")
    try:
        search = re.compile(wanted).search
    except re.error as error:
        raise WrongUse(f"regex {wanted!r}: {error}") from None
    return lambda found: isinstance(found, str) and search(found) is not None


def _unordered(wanted: Sequence[Json], shape: Shape | None, folding: bool) -> Test:
    tests = [matcher(item, shape=shape, folding=folding).test for item in wanted]

    def matches(found: object) -> bool:
        if not isinstance(found, list) or len(found) != len(tests):
            return False
        edges = [[position for position, item in enumerate(found) if test(item)] for test in tests]
        return None not in assign(edges)

    return matches


def _present(found: object) -> bool:
    return found is not ABSENT


_IS: dict[str, Test] = {
    "absent": lambda found: found is ABSENT,
    "present": _present,
    "null": lambda found: found is None,
    "empty": lambda found: isinstance(found, (str, list, dict)) and not found,
}
_IS_WORDS = {"absent": "nothing", "present": "any value", "null": "null", "empty": "an empty value"}


def _is(wanted: Json) -> Test:
    test = _IS.get(wanted) if isinstance(wanted, str) else _IS["null"] if wanted is None else None
    if test is None:
        close = nearest(str(wanted), _IS)
        raise WrongUse(
            f"is: {shown(wanted)}; expected {', '.join(_IS)}" + (f"; did you mean {close}?" if close else "")
        )
    return test


def _listed(name: str, wanted: Json) -> list[Json]:
    if not isinstance(wanted, list):
        raise WrongUse(f"{name} is {shown(wanted)}; expected a list")
    return wanted
