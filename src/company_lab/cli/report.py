"""company-lab report: the report of a stored run, on the terminal or as files."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from company_lab.cli.options import store_option

if TYPE_CHECKING:
    from company_lab.reports.forms import ReportForm
    from company_lab.runs import Store

F = TypeVar("F", bound=Callable[..., Any])

STANDARD_OUTPUT = Path("-")


def _form_options(function: F) -> F:
    """An option for every form that takes a file."""
    from company_lab.reports.forms import FORMS

    for form in reversed(FORMS):
        function = click.option(
            f"--{form.name}",
            type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
            metavar="FILE",
            help=form.help,
        )(function)
    return function


@click.command("report", short_help="Report on a stored run, on the terminal or as files.")
@click.argument("run", default="last")
@_form_options
@store_option
def command(run: str, store: str | None, **files: Path | None) -> None:
    """Report on RUN (last: the newest). Without a FILE the report goes to the terminal.

    A file appears whole or not at all, and several can be written at once. As FILE, - is the standard output.
    """
    from company_lab.reports.forms import FORMS
    from company_lab.runs import Store

    wanted = [(form, path) for form in FORMS if (path := files[form.name]) is not None]
    if sum(path == STANDARD_OUTPUT for _, path in wanted) > 1:
        raise click.UsageError("the standard output takes one report: give the others a file")
    with Store(store, create=False) as opened, _without_collection():
        full = opened.resolve(run)
        if not wanted:
            from company_lab.reports import console, terminal

            console.show(terminal.report_of(opened, full))
        for form, path in wanted:
            write_form(opened, full, form, path)


@contextmanager
def _without_collection() -> Iterator[None]:
    """A report is made of many small objects and no rings of them: looking for rings costs a tenth of its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def write_form(store: Store, run: str, form: ReportForm, path: Path) -> None:
    """Write one report of a run, by its whole id, to a file or to the standard output, and say so."""
    from company_lab.cli.say import note
    from company_lab.formats.whole_files import whole_file

    if path == STANDARD_OUTPUT:
        sys.stdout.flush()
        form.write(store, run, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    with whole_file(path) as file:
        form.write(store, run, file)
    note(f"written to {path}")
