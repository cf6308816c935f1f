"""company-lab diff-scenario: what two scenarios ask differently."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from company_lab.cli.exits import ExitCode

if TYPE_CHECKING:
    from company_lab.scenarios.model import Scenario


@click.command("diff-scenario", short_help="Show what two scenarios ask differently.")
@click.argument("one")
@click.argument("other")
def command(one: str, other: str) -> int:
    """Compare two scenarios, each FILE or FILE#ID, by what they say; order of keys and comments do not count.

    Exit code 0 where they say the same, 1 where they differ.
    """
    from company_lab.cli.say import say
    from company_lab.scenarios.differences import differences

    before, after = _scenario(one), _scenario(other)
    if before.digest == after.digest:
        say("They say the same")
        return ExitCode.GOOD
    for line in differences(before, after):
        say(line)
    return ExitCode.FAILURE


def _scenario(name: str) -> Scenario:
    from company_lab.cli.suites import open_suite
    from company_lab.formats.errors import WrongUse, nearest

    file, _, id = name.partition("#")
    scenarios = {scenario.id: scenario for scenario in open_suite(Path(file)).scenarios}
    if id in scenarios:
        return scenarios[id]
    if not id and len(scenarios) == 1:
        return next(iter(scenarios.values()))
    if not id:
        first = next(iter(scenarios))
        raise WrongUse(f"{file} holds {len(scenarios)} scenarios: write FILE#ID, such as {file}#{first}")
    close = nearest(id, scenarios)
    raise WrongUse(f"{file} has no scenario {id}" + (f"; did you mean {close}?" if close else ""))
