"""company-lab validate: every problem of a suite at once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

MOST_HINTS = 50


@click.command("validate", short_help="Name everything that is wrong with a suite.")
@click.argument("suite", type=click.Path(path_type=Path))
def command(suite: Path) -> None:
    """Read every scenario of SUITE and name everything that is wrong with it, or count what is there.

    Hints name scenarios that no wrong conduct tries; they are no errors.
    """
    from company_lab.cli.say import counted, say
    from company_lab.cli.suites import open_suite
    from company_lab.runs import cast

    loaded = open_suite(suite)
    cast(loaded.scenarios, agent=None)  # opens each world once: facts may build records that do not fit
    scenarios = loaded.scenarios
    contracts = sum(scenario.is_contract for scenario in scenarios)
    playable = sum(bool(scenario.reference) for scenario in scenarios)
    wrong = sum(len(scenario.wrong) for scenario in scenarios)
    say(f"{counted(len(scenarios), 'scenario')}, no problems")
    say(
        f"{counted(contracts, 'contract scenario')}, {playable} with a reference, "
        f"{counted(wrong, 'wrong conduct')}"
    )
    for name, count in sorted(Counter(scenario.severity for scenario in scenarios).items()):
        say(f"severity {name}: {count}")
    untried = [one for one in scenarios if not one.wrong and not one.is_contract]
    for one in untried[:MOST_HINTS]:
        say(f"hint: {one.source}: {one.id} has no wrong conduct; nothing shows that it would notice bad work")
    if len(untried) > MOST_HINTS:
        say(f"hint: and {counted(len(untried) - MOST_HINTS, 'more scenario')} without a wrong conduct")
