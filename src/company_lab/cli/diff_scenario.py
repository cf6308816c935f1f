"""company-lab diff-scenario: what two scenarios ask differently."""

from __future__ import annotations

import click

from company_lab.cli.exits import ExitCode


@click.command("diff-scenario", short_help="Show what two scenarios ask differently.")
@click.argument("one")
@click.argument("other")
def command(one: str, other: str) -> int:
    """Compare two scenarios, each FILE or FILE#ID, by what they say; order of keys and comments do not count.

    Exit code 0 where they say the same, 1 where they differ.
    """
    from company_lab.cli.say import say
    from company_lab.cli.suites import one_scenario
    from company_lab.scenarios.differences import differences

    before, after = one_scenario(one), one_scenario(other)
    if before.digest == after.digest:
        say("They say the same")
        return ExitCode.GOOD
    for line in differences(before, after):
        say(line)
    return ExitCode.FAILURE
