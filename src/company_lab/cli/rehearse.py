"""company-lab rehearse: do the conducts of a suite behave as declared?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from company_lab.cli.exits import ExitCode

if TYPE_CHECKING:
    from company_lab.probing.rehearse import Rehearsal


@click.command("rehearse", short_help="Play the declared conducts of a suite.")
@click.argument("suite", type=click.Path(path_type=Path))
@click.option("--only", metavar="WORD", multiple=True, help="Only these ids, tags, classes or splits.")
def command(suite: Path, only: tuple[str, ...]) -> int:
    """Play every conduct SUITE declares: references must pass, wrong conducts must fail with their codes.

    With -v a line for every conduct, otherwise only for those that surprise.
    """
    from company_lab.cli.say import say
    from company_lab.cli.suites import open_suite
    from company_lab.cli.verbosity import verbosity
    from company_lab.probing.rehearse import rehearse
    from company_lab.runs import select
    from company_lab.worlds.registry import resolve_world

    chosen = select(open_suite(suite).scenarios, only)
    say("Deterministic simulation: declared conducts, no agent")
    played = surprising = 0
    for scenario in chosen:
        for rehearsal in rehearse(scenario, resolve_world(scenario.world)):
            played += 1
            surprising += not rehearsal.as_declared
            if verbosity.verbose or not rehearsal.as_declared:
                say(told(rehearsal))
            if not rehearsal.as_declared:
                for failure in rehearsal.verdict.failures:
                    say(f"    {failure.code} at {failure.check}: {failure.message}")
                for doubt in (*rehearsal.verdict.unscored, *rehearsal.verdict.invalid):
                    say(f"    {doubt.check}: {doubt.message}")
    say(f"{played - surprising} of {played} conducts behave as declared")
    return ExitCode.FAILURE if surprising or not played else ExitCode.GOOD


def told(rehearsal: Rehearsal) -> str:
    """A conduct and what came of it, on one line."""
    verdict = rehearsal.verdict
    came = f"{verdict.outcome} ({', '.join(verdict.codes)})" if verdict.codes else verdict.outcome
    where = f"{rehearsal.scenario}: {rehearsal.conduct}"
    if rehearsal.as_declared:
        return f"{where}: {came}, as declared"
    must = f"fail with {', '.join(rehearsal.must_fail_with)}" if rehearsal.must_fail_with else "pass"
    return f"{where}: must {must}, and {came}"
