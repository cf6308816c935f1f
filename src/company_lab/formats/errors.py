"""The one exception family, and problems that carry their position."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


class CompanyLabError(Exception):
    """Root of every error this package raises on purpose. Its text is meant for a person."""


class WrongUse(CompanyLabError):
    """The caller asked for something that can not be done as asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong with an input, and where.

    Lines and columns count from 1 and are absent where the input has none. `path` names the place
    inside the document (`expected.actions[0].tool`).
    """

    message: str
    file: str = ""
    line: int | None = None
    column: int | None = None
    path: str = ""
    found: str | None = None
    expected: str | None = None
    nearest: str | None = None
    fix: str | None = None

    def __str__(self) -> str:
        where = ":".join(
            str(part) for part in (self.file or None, self.line, self.column) if part is not None
        )
        head = " ".join(
            part for part in (f"{where}:" if where else "", f"{self.path}:" if self.path else "") if part
        )
        text = f"{head} {self.message}" if head else self.message
        if self.found is not None:
            text += f"; found {self.found}"
        if self.expected is not None:
            text += f"; expected {self.expected}"
        if self.nearest is not None:
            text += f"; did you mean {self.nearest}?"
        if self.fix is not None:
            text += f" ({self.fix})"
        return text


MOST_TOLD = 50
"""Problems that the text of `Problems` tells one by one; the rest is counted."""


class Problems(CompanyLabError):
    """Every problem found in an input, collected before anything is refused. `problems` holds all of them."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        lines = [str(problem) for problem in self.problems[:MOST_TOLD]]
        untold = len(self.problems) - len(lines)
        if untold:
            lines.append(f"and {untold:,} more problem{'' if untold == 1 else 's'}")
        super().__init__("\n".join(lines))


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The valid name most like `name`, or None where nothing comes close."""
    matches = difflib.get_close_matches(name, list(names), n=1, cutoff=0.6)
    return matches[0] if matches else None
