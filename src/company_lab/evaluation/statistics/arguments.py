"""What statistics are asked about: counts, levels, shares, values. Impossible ones are refused, never guessed."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isfinite
from numbers import Rational

from company_lab.formats.errors import WrongUse


class BadCounts(WrongUse, ValueError):
    """Counts, levels or values for which the figure asked for does not exist."""


def whole(name: str, value: object, *, least: int = 0) -> int:
    """`value` as an int of at least `least`. Raises `BadCounts` for anything else, booleans and floats included."""
    if isinstance(value, bool):
        raise BadCounts(f"{name} is {value!r}; expected a whole number")
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise BadCounts(f"{name} is {value!r}; expected a whole number") from None
    if number < least:
        raise BadCounts(f"{name} is {number}; expected {least} or more")
    return number


def part_of(
    name: str, part: object, whole_name: str, total: object, *, none_allowed: bool = False
) -> tuple[int, int]:
    """A count within another, such as successes in trials, which is at least 1 unless `none_allowed`."""
    n = whole(whole_name, total)
    c = whole(name, part)
    if n == 0 and not none_allowed:
        raise BadCounts(f"there are no {whole_name}; the figure needs at least one")
    if c > n:
        raise BadCounts(f"{c} {name} in {n} {whole_name}; expected at most as many {name} as {whole_name}")
    return c, n


def level(confidence: object, *, name: str = "confidence", like: str = "0.95") -> float:
    """A level strictly between 0 and 1, far enough from both to be told apart from them."""
    if (
        not isinstance(confidence, bool)
        and isinstance(confidence, (int, float))
        and isfinite(confidence)
        and 0 < confidence < 1
        and 0 < (1 - confidence) / 2 < 0.5
    ):
        return float(confidence)
    raise BadCounts(f"{name} is {confidence!r}; expected a number between 0 and 1, such as {like}")


def share(name: str, value: object, *, open_ends: bool = False) -> float:
    """A rate from 0 to 1; with `open_ends` neither of the two."""
    number = real(name, value)
    if 0 < number < 1 or (not open_ends and number in (0, 1)):
        return number
    raise BadCounts(
        f"{name} is {value!r}; expected a rate {'strictly between 0 and 1' if open_ends else 'from 0 to 1'}"
    )


def real(name: str, value: object) -> float:
    """A finite number as a float; booleans, NaN and infinities are refused."""
    if not isinstance(value, bool) and isinstance(value, (int, float, Rational)):
        number = float(value)
        if isfinite(number):
            return number
    raise BadCounts(f"{name} is {value!r}; expected a finite number")


def reals(name: str, values: Iterable[object], *, least: int = 1) -> list[float]:
    """Finite numbers, at least `least` of them."""
    found = [real(name, value) for value in values]
    if len(found) < least:
        raise BadCounts(f"{name}: {len(found)} given; expected at least {least}")
    return found


def beta_prior(prior: tuple[float, float]) -> tuple[float, float]:
    """The two numbers of a beta prior, both above 0."""
    a, b = real("prior a", prior[0]), real("prior b", prior[1])
    if a <= 0 or b <= 0:
        raise BadCounts(f"the prior is {prior!r}; expected two numbers above 0")
    return a, b


def exact(value: float | Fraction) -> Fraction:
    """The short fraction a float stands for (0.1 is 1/10), or its exact value where none is near enough."""
    real("a value", value)
    if isinstance(value, float):
        short = Fraction(value).limit_denominator(10_000)
        return short if abs(float(short) - value) <= 1e-14 * max(1.0, abs(value)) else Fraction(value)
    return Fraction(value)


def same_length(first: Sequence[object], second: Sequence[object], names: str) -> None:
    """Raises `BadCounts` where two lists that belong together have different lengths."""
    if len(first) != len(second):
        raise BadCounts(
            f"{names} have {len(first)} and {len(second)} entries; expected one of each for each item"
        )
