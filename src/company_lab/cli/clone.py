"""company-lab clone: a held-out set of isomorphic clones, and the hash that can be committed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from company_lab.cli.exits import ExitCode

if TYPE_CHECKING:
    from company_lab.probing.clones import Clone
    from company_lab.probing.held_out import Refused


@click.command("clone", short_help="Make a private held-out set from a suite.")
@click.argument("suite", type=click.Path(path_type=Path))
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help="The folder of the set; its commitment lies beside it, in DIR.commitment.json.",
)
@click.option("--seed", type=int, help="Decides what becomes what. Keep it as private as the set.")
@click.option("--only", metavar="WORD", multiple=True, help="Only these ids, tags, classes or families.")
@click.option("--check", is_flag=True, help="Write nothing: is the set in DIR the one that was committed?")
def command(suite: Path, output: Path, seed: int | None, only: tuple[str, ...], check: bool) -> int:
    """Retell every played scenario of SUITE: other people, amounts, currencies, dates and ids, the same story.

    Each clone is played before it is written: its conducts must come out and see the same as those of its origin.
    A scenario that can not be retold with certainty is refused, and the reason is printed.
    """
    if check:
        return _check(output)
    if seed is None:
        raise click.UsageError("--seed is missing: a whole number, large and secret")
    from company_lab.cli.say import counted, say
    from company_lab.cli.suites import open_suite
    from company_lab.probing.held_out import clone_suite, write_set
    from company_lab.runs import select
    from company_lab.worlds.registry import resolve_world

    scenarios = select(open_suite(suite).scenarios, only)
    say("Deterministic simulation: declared conducts, no agent")
    made = clone_suite(scenarios, resolve_world, seed=seed, watch=_tell)
    contracts = sum(scenario.is_contract for scenario in scenarios)
    say(f"{len(made.clones)} of {counted(len(scenarios) - contracts, 'played scenario')} cloned")
    if contracts:
        say(f"{counted(contracts, 'contract scenario')} left out: their requests are fixed by the world")
    if not made.clones:
        return ExitCode.FAILURE
    beside = write_set(made, output)
    say(f"written to {output}; its commitment to {beside}")
    return ExitCode.GOOD


def _tell(one: Clone | Refused) -> None:
    from company_lab.cli.say import say
    from company_lab.cli.verbosity import verbosity
    from company_lab.probing.held_out import Refused

    if isinstance(one, Refused):
        say(f"{one.id}: refused, {one.reason}")
    elif verbosity.verbose:
        kept = f", with its {' and '.join(one.kept)}" if one.kept else ""
        say(f"{one.origin}: {one.scenario.id}{kept}")


def _check(folder: Path) -> int:
    from company_lab.cli.say import counted, say
    from company_lab.cli.suites import open_suite
    from company_lab.probing.held_out import commitment_file, differences

    scenarios = open_suite(folder).scenarios
    wrong = differences(scenarios, commitment_file(folder))
    for line in wrong:
        say(f"! {line}")
    if not wrong:
        say(f"{counted(len(scenarios), 'scenario')}, as committed")
    return ExitCode.FAILURE if wrong else ExitCode.GOOD
