"""The page of the matrix: what every agent of the suite got through, class by class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from company_lab.agents.hostile import HOSTILE, Hostile
from company_lab.probing.matrix import REFERENCE, Matrix

MADE_FOR = "†"


def matrix_page(matrix: Matrix, *, command: str, hostile: Mapping[str, Hostile] = HOSTILE) -> str:
    """Agents and failure classes as a Markdown page. `command` says how it was made."""
    lines = [*_head(matrix, command), *_agents(matrix, hostile), *_table(matrix, hostile)]
    return "\n".join(lines) + "\n"


def _head(matrix: Matrix, command: str) -> Iterator[str]:
    yield "# Agents and failure classes"
    yield ""
    yield (
        f"Deterministic simulation: {len(matrix.scenarios)} played scenarios of {len(matrix.classes)} failure "
        f"classes, each played once by its reference and by {len(matrix.agents) - 1} hostile agents."
    )
    yield (
        "These agents are scripts that test the suite; nothing here says anything about a model. What the classes "
        "are about stands in [the classes](classes.md), how the agents work in [the suite](suite.md)."
    )
    yield f"This page is made by `{command}`."
    yield ""


def _agents(matrix: Matrix, hostile: Mapping[str, Hostile]) -> Iterator[str]:
    yield "| agent | what it does | made for | passed |"
    yield "|---|---|---|---|"
    for name in matrix.agents:
        cell = matrix.cell(name)
        one = hostile.get(name)
        manner = one.manner if one else "what is right"
        made_for = [f"`{failure_class}`" for failure_class in one.made_for] if one else []
        if one and one.cautious:
            made_for.append("every twin")
        shown = name if name == REFERENCE else f"hostile:{name}"
        yield f"| `{shown}` | {manner} | {', '.join(made_for)} | {cell.passed} of {cell.of} |"
    yield ""


def _table(matrix: Matrix, hostile: Mapping[str, Hostile]) -> Iterator[str]:
    yield (
        f"Passed of played. {MADE_FOR} marks a class the agent is made for: it fails the instances there, and what "
        "it passes are twins and variants in which its bad habit does no harm."
    )
    yield ""
    yield "| class | " + " | ".join(name.replace("_", " ") for name in matrix.agents) + " |"
    yield "|---|" + "---|" * len(matrix.agents)
    for failure_class in matrix.classes:
        cells = (_cell(matrix, name, failure_class, hostile.get(name)) for name in matrix.agents)
        yield f"| `{failure_class}` | {' | '.join(cells)} |"


def _cell(matrix: Matrix, name: str, failure_class: str, one: Hostile | None) -> str:
    cell = matrix.cell(name, failure_class)
    mark = f" {MADE_FOR}" if one and failure_class in one.made_for else ""
    return f"{cell.passed}/{cell.of}{mark}"
