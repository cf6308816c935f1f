"""company-lab prune: forget old runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from company_lab.cli.options import store_option

if TYPE_CHECKING:
    from company_lab.runs import Store


@click.command("prune", short_help="Delete old runs from a store.")
@click.argument("runs", nargs=-1)
@click.option("--keep", type=click.IntRange(min=0), help="Keep so many of the newest runs.")
@click.option("--older-than", metavar="TIME", help="Only runs that began longer ago than this, such as 30d.")
@click.option(
    "--except",
    "excepted",
    metavar="RUN",
    multiple=True,
    help="Never this run, such as one others are compared with. May be given several times.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would go, as without --yes.")
@click.option("--yes", is_flag=True, help="Really delete. Without it only what would go is shown.")
@store_option
def command(
    runs: tuple[str, ...],
    keep: int | None,
    older_than: str | None,
    excepted: tuple[str, ...],
    dry_run: bool,
    yes: bool,
    store: str | None,
) -> None:
    """Delete RUNS, or old ones by --keep and --older-than, with their traces and verdicts.

    With both options a run goes only if it is neither among the newest nor recent. A run that is being played
    stays. There is no way back.
    """
    if bool(runs) == (keep is not None or older_than is not None):
        raise click.UsageError("give either the runs to delete, or --keep, --older-than or both")
    if dry_run and yes:
        raise click.UsageError("give either --dry-run or --yes")

    from company_lab.cli.say import counted, note, say
    from company_lab.runs import Store
    from company_lab.runs.holding import is_held

    with Store(store, create=False) as opened:
        spared = {opened.resolve(name) for name in excepted}
        if runs:
            chosen = list(dict.fromkeys(opened.resolve(name) for name in runs))
        else:
            chosen = _old(opened, keep or 0, older_than)
        going = [run for run in chosen if run not in spared and not is_held(opened.path, run)]
        for run in chosen:
            if run in spared:
                note(f"{run} stays, as --except says")
            elif run not in going:
                note(f"{run} stays: it is being played right now")
        for run in going:
            say(run)
        if not yes:
            say(f"{counted(len(going), 'run')} would be deleted from {opened.path}; --yes does it")
            return
        opened.forget(going)
        say(f"{counted(len(going), 'run')} deleted from {opened.path}")


def _old(store: Store, keep: int, older_than: str | None) -> list[str]:
    entries = store.runs()
    old = entries[: max(0, len(entries) - keep)]
    if older_than is None:
        return [entry.run for entry in old]

    from datetime import UTC, datetime, timedelta

    from company_lab.formats.errors import WrongUse
    from company_lab.formats.time import BadTime, parse_duration

    try:
        limit = datetime.now(UTC) - timedelta(milliseconds=parse_duration(older_than))
    except (BadTime, OverflowError) as error:
        raise WrongUse(f"--older-than {older_than}: {error}; write such as 30d or 12h") from None
    return [entry.run for entry in old if datetime.fromisoformat(entry.created) < limit]
