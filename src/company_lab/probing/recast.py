"""Recast: what becomes what when a story is told again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction

from company_lab.formats.errors import CompanyLabError

WORDS_FOR: Mapping[str, tuple[str, str, str]] = {
    "EUR": ("euro", "euros", "€"),
    "USD": ("dollar", "dollars", "$"),
    "CAD": ("dollar", "dollars", "$"),
    "AUD": ("dollar", "dollars", "$"),
    "GBP": ("pound", "pounds", "£"),
    "CHF": ("franc", "francs", "Fr."),
    "JPY": ("yen", "yen", "¥"),
    "SEK": ("krona", "kronor", "kr"),
    "NOK": ("krone", "kroner", "kr"),
    "PLN": ("zloty", "zlotys", "zł"),
}
"""Singular, plural and sign of currencies as they stand in prose."""


class NotFitting(CompanyLabError):
    """This retelling does not fit this text, another one may."""


class Uncertain(CompanyLabError):
    """A text says something that no retelling can change with certainty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recast:
    """What becomes what. `shift` is a whole number of weeks, so that weekdays stay."""

    words: Mapping[str, str] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)
    currencies: Mapping[str, str] = field(default_factory=dict)
    factor: Fraction = Fraction(1)
    shift: timedelta = timedelta(0)
    clock: date = date(2026, 3, 2)
    """The day the story begins on, as it was."""
    majors: frozenset[int] = frozenset()
    """Whole amounts in major units that the story knows."""
    thirds: bool = False
    """Whether a currency of three decimals is in it."""
    things: frozenset[int] = frozenset()
    """Whole numbers in it that count something else."""

    def whole_years(self) -> bool:
        """Whether every day and month keeps its name."""
        moved = self.clock + self.shift
        return (moved.month, moved.day) == (self.clock.month, self.clock.day)


def is_money(key: str) -> bool:
    """Whether whole numbers under a key are amounts in minor units, or micros of them."""
    return key == "amount" or key.endswith(("_minor", "_micros"))
