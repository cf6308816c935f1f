"""company-lab mutate: other scenarios made from those that are there, written or played at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from company_lab.cli.exits import ExitCode
from company_lab.cli.options import seed_option, trials_option

if TYPE_CHECKING:
    from company_lab.agents.protocol import Agent
    from company_lab.probing.mutate import Changed, Mutant, Operator, Underivable
    from company_lab.scenarios.model import Scenario


@click.command("mutate", short_help="Make other scenarios from those that are there.")
@click.argument("scenario", required=False)
@click.option(
    "--operator", "names", metavar="NAME", multiple=True, help="Only this operator; may be repeated."
)
@click.option("--list", "listing", is_flag=True, help="List the operators and what they do.")
@click.option("--only", metavar="WORD", multiple=True, help="Only these ids, tags, classes or families.")
@click.option(
    "--write",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write what was made into this folder, one file each.",
)
@click.option("--force", is_flag=True, help="With --write: overwrite files that say something else.")
@click.option("--run", "play", is_flag=True, help="Play an agent on all that was made, and on the originals.")
@click.option("--agent", metavar="AGENT", help="With --run: the agent; else the reference of each scenario.")
@trials_option(1)
@seed_option
def command(
    scenario: str | None,
    names: tuple[str, ...],
    listing: bool,
    only: tuple[str, ...],
    folder: Path | None,
    force: bool,
    play: bool,
    agent: str | None,
    trials: int,
    seed: int,
) -> int:
    """Change SCENARIO as business does: the payment comes twice, in francs, in two parts; the approval runs out.

    SCENARIO is a file, a folder, FILE#ID, or the id of a scenario that ships. Every operator derives fixture and
    expectation together, and what it makes is played first: the new reference must pass, and whoever takes it for the
    original must fail where that is no longer right. Operators that do not apply say why.
    """
    from company_lab.cli.say import counted, say
    from company_lab.probing.mutate import Mutant, mutate, try_agent, write_mutants
    from company_lab.runs import select
    from company_lab.worlds.registry import resolve_world

    if listing:
        return _list(scenario)
    if scenario is None:
        raise click.UsageError("SCENARIO is missing: a file, a folder, or the id of a scenario that ships")
    if agent is not None and not play:
        raise click.UsageError("--agent belongs to --run")
    if force and folder is None:
        raise click.UsageError("--force belongs to --write")
    acting = _acting(agent)
    found, beside = _scenarios(scenario, folder)
    scenarios = select(found, only)
    operators = _operators({one.world for one in scenarios}, names)
    say("Deterministic simulation: declared conducts, no agent")
    made: list[Mutant] = []
    others: list[Underivable] = []
    for one in scenarios:
        if len(scenarios) < 5:
            say(one.id)
        for result in mutate(one, resolve_world(one.world), operators[one.world].values(), seed=seed):
            if isinstance(result, Mutant):
                made.append(result)
            else:
                others.append(result)
            _tell(result, whole=len(scenarios) < 5)
    if len(scenarios) >= 5:
        _count(made, others)
    say(f"{counted(len(made), 'scenario')} made from {counted(len(scenarios), 'scenario')}")
    if folder is not None and made:
        files = write_mutants(made, folder, force=force, beside=beside)
        say(f"{counted(len(files), 'file')} in {folder}")
    if not made:
        return ExitCode.INCOMPLETE
    if not play:
        return ExitCode.GOOD
    originals = {one.id: one for one in scenarios}
    return _report(list(try_agent(acting, made, originals, resolve_world, trials=trials, seed=seed)))


def _acting(agent: str | None) -> Agent | None:
    from company_lab.agents.resolve import resolve_agent

    return None if agent in (None, "reference") else resolve_agent(str(agent))


def _scenarios(name: str, folder: Path | None) -> tuple[Sequence[Scenario], Collection[str]]:
    """The scenarios of a name, and the ids of those that lie in the suite which files in `folder` would join."""
    from company_lab.cli.suites import one_scenario, open_suite
    from company_lab.company import SUITE
    from company_lab.formats.errors import WrongUse, nearest

    path = Path(name)
    if path.exists():
        found: Sequence[Scenario] = open_suite(path).scenarios
    elif "#" in name:
        found, path = [one_scenario(name)], Path(name.partition("#")[0])
    else:
        shipped = {one.id: one for one in open_suite(SUITE).scenarios}
        if name not in shipped:
            close = nearest(name, shipped)
            hint = f"; did you mean {close}?" if close else ""
            raise WrongUse(f"there is no file or folder {name}, and no scenario of that id ships{hint}")
        found, path = [shipped[name]], SUITE
    home = (path if path.is_dir() else path.parent).resolve()
    joins = folder is not None and (folder.resolve() == home or home in folder.resolve().parents)
    return found, {one.id for one in found} if joins else set()


def _operators(worlds: Collection[str], names: Sequence[str]) -> Mapping[str, Mapping[str, Operator]]:
    """The operators asked for, by world and name. Raises `WrongUse` for a name that none of the worlds has."""
    from company_lab.formats.errors import WrongUse, nearest
    from company_lab.probing.mutate import operators_of
    from company_lab.worlds.registry import resolve_world

    known = {world: operators_of(resolve_world(world)) for world in sorted(worlds)}
    everything = {name for some in known.values() for name in some}
    for name in names:
        if name not in everything:
            close = nearest(name, everything)
            hint = f"; did you mean {close}?" if close else ""
            raise WrongUse(f"there is no operator {name}{hint} (company-lab mutate --list shows all)")
    return {
        world: {name: one for name, one in some.items() if not names or name in names}
        for world, some in known.items()
    }


def _list(scenario: str | None) -> int:
    from company_lab.cli.say import say

    worlds = {"company"} if scenario is None else {one.world for one in _scenarios(scenario, None)[0]}
    for some in _operators(worlds, ()).values():
        for operator in some.values():
            of = f" (of the department {operator.department})" if operator.department else ""
            say(f"{operator.name}: {operator.meaning}{of}")
    return ExitCode.GOOD


def _tell(result: Mutant | Underivable, *, whole: bool) -> None:
    from company_lab.cli.say import say
    from company_lab.cli.verbosity import verbosity
    from company_lab.probing.mutate import Mutant

    if not (whole or verbosity.verbose):
        return
    if isinstance(result, Mutant):
        naive = _mistake(result)
        say(f"+ {result.operator}: {result.scenario.id}; {naive}")
        for id in result.dropped if verbosity.verbose else ():
            say(f"      the wrong conduct {id} is not wrong here and was left out")
    elif result.applies:
        say(f"! {result.operator}: {'' if whole else result.origin + ': '}not derived, {result.reason}")
    else:
        say(f"- {result.operator}: {'' if whole else result.origin + ': '}does not apply, {result.reason}")


def _mistake(mutant: Mutant) -> str:
    if not mutant.naive:
        return "the same conduct is right"
    who = mutant.mistake or "what was expected before"
    return f"{who} fails ({', '.join(mutant.naive)})"


def _count(made: Sequence[Mutant], others: Sequence[Underivable]) -> None:
    from company_lab.cli.say import say

    derived = Counter(one.operator for one in made)
    refused = Counter(one.operator for one in others if one.applies)
    foreign = Counter(one.operator for one in others if not one.applies)
    for name in dict.fromkeys([*(one.operator for one in others), *derived]):
        say(f"{name}: {derived[name]} made, {refused[name]} not derived, {foreign[name]} do not apply")


def _report(changes: Sequence[Changed]) -> int:
    from company_lab.cli.say import say

    evidence = dict.fromkeys(one.evidence for change in changes for one in (change.before, change.after))
    said = ", ".join(evidence)
    say(f"{said[:1].upper()}{said[1:]}: the originals, and what was made of them; nothing of it is stored")
    for change in changes:
        before, after = change.before, change.after
        codes = f" ({', '.join(after.codes)})" if after.codes else ""
        say(
            f"{change.reading}: {after.scenario}: {after.passed} of {after.trials} passed{codes}; "
            f"original {before.passed} of {before.trials}"
        )
    readings = Counter(change.reading for change in changes)
    say(", ".join(f"{readings[name]} {name}" for name in ("holds", "breaks", "wavers", "fails already")))
    if any(change.after.outcomes.get("failed") for change in changes):
        return ExitCode.FAILURE
    whole = all(change.after.passed == change.after.trials for change in changes)
    return ExitCode.GOOD if whole else ExitCode.INCOMPLETE
