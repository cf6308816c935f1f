"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def file_option(*names: str, help: str, default: str | None = None) -> Callable[[F], F]:
    """An option that takes a file, which is no folder."""
    return click.option(
        *names,
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        default=default,
        show_default=default is not None,
        help=help,
    )


def json_option(what: str) -> Callable[[F], F]:
    """`--json`: a file for other programs to read, beside what is printed."""
    return file_option("--json", "json_file", help=f"Write {what} here too, for other programs.")


def store_option(function: F) -> F:
    """`--store`: the file runs are kept in."""
    return click.option(
        "--store",
        metavar="FILE",
        help="Where runs are kept: else COMPANY_LAB_STORE, else .company-lab/runs.db under this folder.",
    )(function)


def seed_option(function: F) -> F:
    """`--seed`: what generated ids and random streams come from."""
    return click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same bytes.")(
        function
    )


def trials_option(default: int) -> Callable[[F], F]:
    """`--trials`: repetitions of every scenario."""
    return click.option(
        "--trials",
        type=click.IntRange(min=1),
        default=default,
        show_default=True,
        help="How often every scenario is played.",
    )


def redact_option(function: F) -> F:
    """`--redact`: rules by which traces are redacted before they are stored."""
    return file_option(
        "--redact",
        help="Redact traces by the rules in this file before they are stored. They are judged before that.",
    )(function)
