"""What the command line says about a program that is to be evaluated."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from company_lab.cli.confining import confinement_of

if TYPE_CHECKING:
    from company_lab.agents.protocol import Agent

F = TypeVar("F", bound=Callable[..., Any])
_BELONGING = ("agent_protocol", "agent_kind", "agent_env")
PROGRAM_OPTIONS = ("agent_command", *_BELONGING)
"""The parameters that `program_options` adds."""
UNCONFINED = dict.fromkeys(("isolate_cpu", "isolate_memory", "isolate_output"))
"""What a command without the options of `confining` gives for them."""


def program_options(function: F) -> F:
    """`--agent-command` with what belongs to it."""
    options = (
        click.option(
            "--agent-command",
            metavar="CMD",
            help="A program as the agent, started for each episode: an MCP client, or one that speaks lines.",
        ),
        click.option(
            "--agent-protocol",
            type=click.Choice(("mcp-http", "mcp-stdio", "lines")),
            help="How that program uses the world; mcp-http.",
        ),
        click.option(
            "--agent-kind",
            type=click.Choice(("scripted", "test_model", "real_model")),
            help="What episodes of that program are evidence of; undeclared without it.",
        ),
        click.option(
            "--agent-env",
            metavar="NAME[=VALUE]",
            multiple=True,
            help="A variable that program gets, such as a key; its value is not stored. May be given several times.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def program_of(given: dict[str, Any], *, agent: str | None) -> Agent | None:
    """The program the command line names, with its limits; None where it names none. Raises `UsageError`."""
    command = given["agent_command"]
    if command is None:
        for name in _BELONGING:
            if given[name]:
                option = name.replace("_", "-")
                raise click.UsageError(f"--{option} is about a program: give --agent-command too")
        return None
    if agent is not None:
        raise click.UsageError("give either --agent or --agent-command")
    from company_lab.episodes.programs import program_agent

    return program_agent(
        command,
        speaks=given["agent_protocol"] or "mcp-http",
        kind=given["agent_kind"] or "undeclared",
        env=given["agent_env"],
        confinement=confinement_of({**given, "isolate": True}),
    )
