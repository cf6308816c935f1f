"""The pages that list everything leave nothing out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from company_lab.cli.entry import company_lab
from company_lab.evaluation.codes import CODES, STANDING, severity_of
from company_lab.evaluation.verdicts import OUTCOMES
from company_lab.scenarios.json_schema import scenario_schema
from company_lab.scenarios.matchers import MATCHERS, STATES_OF_BEING
from company_lab.worlds.faults import FAULT_KINDS

ROOT = Path(__file__).parents[2]
UNLISTED = {"--help", "--version"}
"""Options that every command has, or that the page tells of in prose."""


def coded(page: str) -> set[str]:
    """Every word that stands in code somewhere on a page, in its text or in a block."""
    text = (ROOT / page).read_text("utf-8")
    code = re.findall(r"^```.*?^```|`[^`\n]+`", text, re.DOTALL | re.MULTILINE)
    return set(re.findall(r"--[a-z][a-z-]*|[A-Za-z_^@]+", "\n".join(code)))


def keys_of(schema: Any) -> Iterator[str]:
    """Every key that a schema declares at any place."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for part in schema.values():
            yield from keys_of(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from keys_of(part)


@pytest.mark.parametrize(
    ("page", "words"),
    [
        pytest.param("docs/scenario_keys.md", set(keys_of(scenario_schema())), id="keys of a scenario"),
        pytest.param("docs/scenario_keys.md", {*MATCHERS, *STATES_OF_BEING}, id="matchers"),
        pytest.param("docs/scenarios.md", FAULT_KINDS, id="kinds of fault"),
        pytest.param("docs/verdicts.md", set(CODES), id="failure codes"),
    ],
)
def test_the_page_names_every_word(page: str, words: set[str]) -> None:
    assert words
    assert not words - coded(page)


def test_the_page_on_verdicts_explains_every_outcome() -> None:
    rows = re.findall(r"^\| (\w+) \|", (ROOT / "docs/verdicts.md").read_text("utf-8"), re.MULTILINE)
    assert set(OUTCOMES) <= set(rows)


SEVERITIES = {
    ("critical", "critical"): "critical",
    ("critical", "minor"): "the scenario's",
    ("major", "minor"): "at most major",
    ("minor", "minor"): "minor",
}
"""How the page calls a severity, by what it is in a critical and in a minor scenario."""


@pytest.mark.parametrize("code", CODES)
def test_the_page_on_verdicts_says_how_grave_a_code_is_and_whether_it_outlives_an_outage(code: str) -> None:
    page = (ROOT / "docs/verdicts.md").read_text("utf-8")
    row = re.search(rf"^\| `{code}`(?P<star> \*)? \|.*\| (?P<severity>[\w' ]+) \|$", page, re.MULTILINE)
    assert row is not None
    assert row["severity"] == SEVERITIES[severity_of(code, "critical"), severity_of(code, "minor")]
    assert (row["star"] is not None) == (code in STANDING)


def commands_of(command: click.Command, name: str = "") -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for word in command.list_commands(context):
            inner = command.get_command(context, word)
            assert inner is not None
            yield from commands_of(inner, f"{name} {word}".strip())
    else:
        yield name, command


COMMANDS = dict(commands_of(company_lab))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_on_commands_names_every_command_and_option(name: str) -> None:
    text = (ROOT / "docs/commands.md").read_text("utf-8")
    assert f"company-lab {name}" in text
    options = {option for parameter in COMMANDS[name].params for option in parameter.opts if "--" in option}
    assert not options - UNLISTED - coded("docs/commands.md")
