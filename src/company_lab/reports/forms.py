"""The forms a report of a run can be written in: one line here and one module for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from company_lab.formats.errors import WrongUse, nearest

if TYPE_CHECKING:
    from company_lab.runs.store import Store

WriteReport: TypeAlias = "Callable[[Store, str, BinaryIO], None]"
"""Writes the report of a run, by its whole id, to a binary file, piece by piece."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportForm:
    """A form of report: `--name FILE` of the command, `report(name=FILE)` of the library."""

    name: str
    help: str
    module: str
    function: str

    def write(self, store: Store, run: str, file: BinaryIO) -> None:
        """Write it. The module is loaded now, since some need packages that are not always installed."""
        function: WriteReport = getattr(import_module(self.module), self.function)
        function(store, run, file)


FORMS = (
    ReportForm(
        name="html",
        help="One self-contained page that a browser opens from disk, without any network.",
        module="company_lab.reports.html",
        function="write_html",
    ),
    ReportForm(
        name="junit",
        help="JUnit XML for build servers: a suite for each scenario, a case for each trial.",
        module="company_lab.reports.junit",
        function="write_junit",
    ),
    ReportForm(
        name="annotations",
        help="Workflow commands of GitHub Actions: the worst failures as annotations.",
        module="company_lab.reports.annotations",
        function="write_annotations",
    ),
    ReportForm(
        name="markdown",
        help="Markdown, small enough for a GitHub step summary or a comment.",
        module="company_lab.reports.markdown",
        function="write_markdown",
    ),
    ReportForm(
        name="json",
        help="One JSON document: the plan, every figure with its n and N, every planned cell.",
        module="company_lab.reports.figures_json",
        function="write_json",
    ),
    ReportForm(
        name="csv",
        help="CSV, a row for every planned cell.",
        module="company_lab.reports.tables",
        function="write_csv",
    ),
    ReportForm(
        name="parquet",
        help="Parquet, a row for every planned cell.",
        module="company_lab.reports.parquet",
        function="write_parquet",
    ),
)
"""In the order of the help."""


def form_named(name: str) -> ReportForm:
    """The form of a name in `FORMS`. Raises `WrongUse` where there is none."""
    known = {form.name: form for form in FORMS}
    if name not in known:
        close = nearest(name, known)
        hint = f"; did you mean {close}?" if close else ""
        raise WrongUse(f"there is no report as {name}{hint} (known: {', '.join(known)})")
    return known[name]
