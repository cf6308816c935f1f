"""Entry of the command: reads the command line, turns every error into one message and an exit code."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

import click

from company_lab.cli.exits import ExitCode
from company_lab.cli.group import LazyGroup
from company_lab.cli.say import complain, note, output_lost, prepare_streams
from company_lab.cli.verbosity import shared_options, verbosity
from company_lab.formats.errors import CompanyLabError, WrongUse


def _version(context: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"company-lab {version('company-lab')}")
        context.exit()


@click.group(
    cls=LazyGroup,
    params=shared_options(),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version."
)
def company_lab() -> None:
    """Put an agent to work in a simulated company, then look at the books.

    Exit codes, the first that applies: 130 interrupted, 2 wrong use, 1 a failure, 3 something incomplete,
    unscored or invalid, 0 all well.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and exit."""
    prepare_streams()
    try:
        code = _run(arguments)
    except KeyboardInterrupt:  # a second one, while the first was being told
        code = ExitCode.INTERRUPTED
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to interrupt but leaving itself
    sys.stdout.flush()
    lost = output_lost()
    if lost is not None and not isinstance(lost, BrokenPipeError):
        complain(f"standard output could not be written: {lost.strerror}")
        code = code or ExitCode.INCOMPLETE
    sys.exit(code)


def _look_here() -> None:
    """Look for modules named on the command line (agents, worlds) in this folder first, as `python` does."""
    try:
        here = os.getcwd()
    except FileNotFoundError:
        raise WrongUse("the folder this was started in is gone: change to another one") from None
    if "" not in sys.path and here not in sys.path:
        sys.path.insert(0, here)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        _look_here()
        words = list(sys.argv[1:] if arguments is None else arguments)
        with company_lab.make_context("company-lab", words) as context:
            result = company_lab.invoke(context)
        return result if isinstance(result, int) else ExitCode.GOOD
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except (KeyboardInterrupt, click.Abort):
        complain("interrupted")
        return ExitCode.INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as error:
        note(error.format_message())
        return ExitCode.WRONG_USE
    except click.ClickException as error:
        usage = error.ctx.get_usage() + "\n" if isinstance(error, click.UsageError) and error.ctx else ""
        return _told(error, usage + f"company-lab: {error.format_message()}", ExitCode.WRONG_USE)
    except CompanyLabError as error:
        return _told(error, f"company-lab: {error}", _code(error))
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        return _told(error, f"company-lab: {name}{error.strerror or error}", ExitCode.WRONG_USE)
    except Exception as error:  # noqa: BLE001 - whatever a bug raises, the user gets one message and a code
        text = f"company-lab: a fault of company-lab itself: {type(error).__name__}: {error}"
        return _told(error, text + ("" if verbosity.debug else "\n--debug shows where"), ExitCode.INCOMPLETE)


def _code(error: CompanyLabError) -> ExitCode:
    from company_lab.runs.failures import DamagedEpisode, DuplicateEpisode, StoreFailed

    broken_off = isinstance(error, (StoreFailed, DamagedEpisode, DuplicateEpisode))
    return ExitCode.INCOMPLETE if broken_off else ExitCode.WRONG_USE


def _told(error: BaseException, text: str, code: ExitCode) -> ExitCode:
    if verbosity.debug:
        note("".join(traceback.format_exception(error)).rstrip())
    note(text)
    return code
