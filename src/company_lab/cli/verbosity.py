"""--debug and -v, understood before and after the subcommand alike."""

from __future__ import annotations

from dataclasses import dataclass

import click


@dataclass(slots=True)
class Verbosity:
    """How much the user wants to see."""

    debug: bool = False
    verbose: bool = False


verbosity = Verbosity()
"""That of this process, set while the command line is read."""


def shared_options() -> list[click.Option]:
    """Options every command takes."""
    return [
        click.Option(
            ["--debug"],
            is_flag=True,
            expose_value=False,
            callback=_debug,
            help="Show the traceback of an error.",
        ),
        click.Option(
            ["-v", "--verbose"],
            is_flag=True,
            expose_value=False,
            callback=_verbose,
            help="Tell more about what is going on.",
        ),
    ]


def _debug(context: click.Context, parameter: click.Parameter, given: bool) -> None:
    verbosity.debug = verbosity.debug or given


def _verbose(context: click.Context, parameter: click.Parameter, given: bool) -> None:
    verbosity.verbose = verbosity.verbose or given
