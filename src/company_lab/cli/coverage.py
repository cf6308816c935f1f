"""company-lab coverage: which failure classes a suite covers, and where it has a hole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from company_lab.cli.exits import ExitCode
from company_lab.cli.options import file_option

if TYPE_CHECKING:
    from company_lab.company.classes import FailureClass
    from company_lab.scenarios.model import Scenario


@click.command("coverage", short_help="See which failure classes a suite covers.")
@click.argument("suite", type=click.Path(path_type=Path))
@file_option(
    "--markdown",
    help="Write the classes and their coverage as a Markdown page to this file.",
)
@click.option("--check", is_flag=True, help="Write nothing: with --markdown, fail where FILE is not current.")
def command(suite: Path, markdown: Path | None, check: bool) -> int:
    """Count instances, twins, wrong conducts and variants (permissive, unguarded, faulted) of every class of SUITE.

    A scenario says with tags what it is for its class: instance, twin, permissive, unguarded, faulted. It fails
    where something is missing. With -v a line for every class, otherwise for those with a hole.
    """
    from company_lab.cli.pages import keep_page, refuse_check_alone
    from company_lab.cli.say import command_line, say
    from company_lab.cli.suites import open_suite
    from company_lab.cli.verbosity import verbosity
    from company_lab.probing.coverage import KINDS, coverage, holes
    from company_lab.reports.class_page import class_page

    refuse_check_alone(check, markdown)
    scenarios = open_suite(suite).scenarios
    rows = coverage(scenarios, _described(suite, scenarios))
    for row in rows:
        if verbosity.verbose or not row.is_whole:
            counts = ", ".join(f"{kind} {count}" for kind, count in zip(KINDS, row.counts, strict=True))
            say(f"{row.failure_class}: {counts}" + (f"; hole: {', '.join(row.holes)}" if row.holes else ""))
    wrong = holes(rows)
    for line in wrong if verbosity.verbose else ():
        say(f"! {line}")
    say(f"{sum(row.is_whole for row in rows)} of {len(rows)} classes are covered")
    current = True
    if markdown is not None:
        page = class_page(rows, command=command_line("coverage", suite, "--markdown", markdown))
        current = keep_page(markdown, page, check=check)
    return ExitCode.FAILURE if wrong or not current or not rows else ExitCode.GOOD


def _described(suite: Path, scenarios: Sequence[Scenario]) -> tuple[FailureClass, ...]:
    """The classes the suite owes: all of them where it is the one that ships, else those that it has."""
    if all(scenario.world != "company" for scenario in scenarios):
        return ()
    from company_lab.company import SUITE
    from company_lab.company.classes import CLASSES

    present = {scenario.failure_class for scenario in scenarios}
    return tuple(one for one in CLASSES if one.name in present or suite.resolve() == SUITE.resolve())
