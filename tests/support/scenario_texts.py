"""The two printed scenarios, ways to change them, and loading against the small world."""

from __future__ import annotations

from pathlib import Path

from company_lab.formats.errors import Problem, Problems
from company_lab.scenarios.loader import load_scenarios
from company_lab.scenarios.model import Scenario
from small_world import small_worlds

PRINTED = Path(__file__).parents[1] / "scenarios" / "printed"
LONG = (PRINTED / "partial_payment_is_not_settlement.yaml").read_text("utf-8")
SHORT = (PRINTED / "changed_quote_invalidates_approval.yaml").read_text("utf-8")


def edited(text: str, *changes: tuple[str, str]) -> str:
    """`text` with the first occurrence of each left side replaced; each must occur."""
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def load(text: str | bytes) -> Scenario:
    """The one scenario in `text`."""
    (scenario,) = load_scenarios(text, file="sample.yaml", worlds=small_worlds)
    return scenario


def problems_in(text: str | bytes) -> tuple[Problem, ...]:
    """Everything that is wrong with `text`; empty where it loads."""
    try:
        load_scenarios(text, file="sample.yaml", worlds=small_worlds)
    except Problems as found:
        return found.problems
    return ()


def only_problem(text: str | bytes) -> Problem:
    """The one thing that is wrong with `text`."""
    problems = problems_in(text)
    assert len(problems) == 1, "\n".join(map(str, problems)) or "it loads"
    return problems[0]


def place_of(text: str, part: str) -> tuple[int, int]:
    """Line and column of the first occurrence of `part`."""
    offset = text.index(part)
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
