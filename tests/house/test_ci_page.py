"""The workflow in docs/ci.md: it is YAML that a server takes, and every command in it exists with these options."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from company_lab.cli.entry import company_lab

PAGE = Path(__file__).parents[2] / "docs" / "ci.md"
FENCE = re.compile(r"^```yaml\n(?P<body>.*?)^```", re.DOTALL | re.MULTILINE)


def workflow() -> dict[str, Any]:
    (body,) = (found["body"] for found in FENCE.finditer(PAGE.read_text("utf-8")))
    read: dict[str, Any] = yaml.load(body, Loader=yaml.BaseLoader)  # noqa: S506 - `on` is a word
    return read


def commands() -> list[list[str]]:
    """The words of every command of this package in the workflow, without what the shell takes for itself."""
    found = []
    for job in workflow()["jobs"].values():
        for step in job["steps"]:
            for line in str(step.get("run", "")).splitlines():
                words = shlex.split(line)
                if words[:1] == ["company-lab"]:
                    found.append(words[1 : words.index(">>")] if ">>" in words else words[1:])
    return found


def test_the_workflow_has_what_a_server_asks_for() -> None:
    read = workflow()
    assert {"name", "on", "jobs"} <= set(read)
    for job in read["jobs"].values():
        assert job["runs-on"]
        assert all(("run" in step) != ("uses" in step) for step in job["steps"])


def test_the_workflow_plays_and_reports() -> None:
    assert [words[0] for words in commands()] == ["validate", "rehearse", "run", "report", "report", "report"]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_exists_with_its_options(words: list[str]) -> None:
    group = click.Context(company_lab)
    command = company_lab.get_command(group, words[0])
    assert command is not None
    command.make_context(words[0], words[1:], parent=group)


def test_an_option_that_does_not_exist_is_noticed() -> None:
    group = click.Context(company_lab)
    command = company_lab.get_command(group, "report")
    assert command is not None
    with pytest.raises(click.NoSuchOption):
        command.make_context("report", ["--junitxml", "x"], parent=group)
