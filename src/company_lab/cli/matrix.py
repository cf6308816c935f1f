"""company-lab matrix: what hostile agents get through, class by class."""

from __future__ import annotations

from pathlib import Path

import click

from company_lab.cli.exits import ExitCode
from company_lab.cli.options import file_option


@click.command("matrix", short_help="See which hostile agents a suite lets through.")
@click.argument("suite", type=click.Path(path_type=Path))
@click.option("--only", metavar="WORD", multiple=True, help="Only these ids, tags, classes or splits.")
@file_option(
    "--markdown",
    help="Write the matrix as a Markdown page to this file.",
)
@click.option("--check", is_flag=True, help="Write nothing: with --markdown, fail where FILE is not current.")
def command(suite: Path, only: tuple[str, ...], markdown: Path | None, check: bool) -> int:
    """Play every hostile agent and every reference of SUITE once, and count what each passed of every class.

    It fails where a hostile agent gets through a class it is made for or through the whole suite, where an
    over-cautious one gets through a twin, and where a reference does not pass. Whoever gets through everything because
    nothing in SUITE concerns it is named, too. With -v a line for every class.
    """
    from company_lab.cli.pages import keep_page, refuse_check_alone
    from company_lab.cli.say import command_line, say
    from company_lab.cli.suites import open_suite
    from company_lab.cli.verbosity import verbosity
    from company_lab.probing.matrix import REFERENCE, complaints, play_matrix, remarks
    from company_lab.reports.matrix_page import matrix_page
    from company_lab.runs import select
    from company_lab.worlds.registry import resolve_world

    refuse_check_alone(check, markdown)
    matrix = play_matrix(select(open_suite(suite).scenarios, only), resolve_world)
    say("Deterministic simulation: references and hostile agents, no model")
    for name in matrix.agents:
        whole = matrix.cell(name)
        say(f"{name if name == REFERENCE else f'hostile:{name}'}: passed {whole.passed} of {whole.of}")
        for failure_class in matrix.classes if verbosity.verbose else ():
            cell = matrix.cell(name, failure_class)
            say(f"    {failure_class}: {cell.passed} of {cell.of}")
    for line in remarks(matrix):
        say(f"- {line}")
    wrong = complaints(matrix)
    for line in wrong:
        say(f"! {line}")
    current = True
    if markdown is not None:
        page = matrix_page(matrix, command=command_line("matrix", suite, "--markdown", markdown))
        current = keep_page(markdown, page, check=check)
    return ExitCode.FAILURE if wrong or not current or not matrix.scenarios else ExitCode.GOOD
