"""The list of subcommands, each in the module of its name, imported on demand."""

from __future__ import annotations

from importlib import import_module

import click

from company_lab.cli.verbosity import shared_options
from company_lab.formats.errors import nearest

MODULES = {
    "run": "run",
    "show": "show",
    "runs": "runs",
    "report": "report",
    "judge": "judge",
    "plan": "plan",
    "compare": "compare",
    "gate": "gate",
    "export": "export",
    "prune": "prune",
    "validate": "validate",
    "rehearse": "rehearse",
    "matrix": "matrix",
    "audit": "audit",
    "coverage": "coverage",
    "clone": "clone",
    "mutate": "mutate",
    "explore": "explore",
    "continue": "going_on",
    "rules": "rules",
    "world": "world",
    "schema": "schema",
    "diff-scenario": "diff_scenario",
    "score": "score",
    "import": "imports",
    "mcp": "mcp",
    "mcp-connect": "mcp_connect",
    "init": "init",
    "demo": "demo",
}
"""Subcommand to module of this package, in the order of the help."""


class HelpfulGroup(click.Group):
    """Names the subcommand that was probably meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            close = nearest(args[0], known)
            hint = f"did you mean {close}?" if close else f"`{ctx.command_path} --help` lists them"
            raise click.UsageError(f"there is no command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)


class LazyGroup(HelpfulGroup):
    """Finds subcommands in `MODULES`. Command modules import nothing heavy before they are invoked."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in MODULES:
            return None
        command = import_module(f"company_lab.cli.{MODULES[cmd_name]}").command
        if not isinstance(command, click.Command):
            raise TypeError(f"company_lab.cli.{MODULES[cmd_name]} has no command")
        known = {parameter.name for parameter in command.params}
        command.params.extend(option for option in shared_options() if option.name not in known)
        return command
