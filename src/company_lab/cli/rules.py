"""company-lab rules: would a suite notice if a rule of its world were broken?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from company_lab.cli.exits import ExitCode
from company_lab.cli.options import file_option

if TYPE_CHECKING:
    from company_lab.probing.rule_table import RuleRow


@click.command("rules", short_help="See whether a suite would notice a broken rule.")
@click.argument("suite", type=click.Path(path_type=Path))
@click.option("--world", metavar="WORLD", help="The rules of this world, where SUITE plays in several.")
@file_option(
    "--output",
    help="Write all rules as a Markdown page to this file.",
)
def command(suite: Path, world: str | None, output: Path | None) -> int:
    """Break every rule of a world on purpose, in two ways, and see whether a contract scenario of SUITE fails.

    A rule that is switched off must be noticed where a request has to be stopped, and a rule that always denies
    where nearly the same request is right. With -v a line for every rule, otherwise for those with a hole.
    """
    from company_lab.cli.say import command_line, say
    from company_lab.cli.suites import open_suite
    from company_lab.cli.verbosity import verbosity
    from company_lab.formats.whole_files import write_whole
    from company_lab.probing.rule_table import rule_table
    from company_lab.reports.rule_page import rule_page
    from company_lab.worlds.registry import resolve_world

    scenarios = open_suite(suite).scenarios
    name = world or _only_world({scenario.world for scenario in scenarios})
    here = resolve_world(name)
    rows = rule_table((one for one in scenarios if one.world == name), here)
    say("Deterministic simulation: rules broken on purpose, no agent")
    for row in rows:
        if verbosity.verbose or not row.killed:
            say(_told(row))
    noticed = sum(row.killed for row in rows)
    say(f"{noticed} of {len(rows)} rules of {name} are noticed when they are broken, in both ways")
    if output is not None:
        write_whole(output, rule_page(name, rows, command=command_line("rules", suite)).encode())
        say(f"written to {output}")
    return ExitCode.GOOD if rows and noticed == len(rows) else ExitCode.FAILURE


def _only_world(names: set[str]) -> str:
    from company_lab.formats.errors import WrongUse

    if len(names) != 1:
        raise WrongUse(f"the suite plays in {', '.join(sorted(names)) or 'no world'}: name one with --world")
    return names.pop()


def _told(row: RuleRow) -> str:
    without = row.when_off[0] if row.when_off else "NOTHING"
    denying = row.when_denying[0] if row.when_denying else "NOTHING"
    return f"{row.rule}: without it {without} fails, always denying {denying} fails"
