"""company-lab runs: what a store holds, and the report of a run in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from company_lab.cli.options import store_option

if TYPE_CHECKING:
    from company_lab.runs import RunEntry, Store


@click.command("runs", short_help="List the runs of a store, or report one again.")
@click.argument("run", required=False)
@click.option(
    "--rules", "with_rules", is_flag=True, help="After the report of RUN: the rules, read from its traces."
)
@store_option
def command(run: str | None, with_rules: bool, store: str | None) -> None:
    """List the runs of a store, the newest last, each with what its episodes are evidence of.

    With RUN (its id, the beginning or end of one, or last) its report, as `run` printed it.
    """
    from company_lab.cli.say import counted, say
    from company_lab.formats.errors import WrongUse
    from company_lab.runs import Store
    from company_lab.runs.holding import is_held

    if with_rules and run is None:
        raise WrongUse("--rules reads the traces of one run; name it: company-lab runs RUN --rules")
    with Store(store, create=False) as opened:
        if run is not None:
            _report(opened, opened.resolve(run), with_rules=with_rules)
            return
        entries = opened.runs()
        for entry in entries:
            playing = entry.status == "running" and is_held(opened.path, entry.run)
            say(_line(entry, playing=playing))
        say(f"{counted(len(entries), 'run')} in {opened.path}")


def _report(store: Store, run: str, *, with_rules: bool) -> None:
    import sys

    from company_lab.cli.say import say
    from company_lab.library import print_report

    entry = store.entry(run)
    print_report(store, store.plan(run))
    if with_rules:
        from company_lab.reports.console import show
        from company_lab.reports.rule_readings import rules_of_run, run_section
        from company_lab.runs.place import store_words

        show(run_section(rules_of_run(store, run), run, at=store_words(store.path)))
    sys.stdout.flush()
    say(f"{_state(entry, playing=False)}; began {entry.created}, ended {entry.ended or 'never'}")


def _state(entry: RunEntry, *, playing: bool) -> str:
    # A run that was killed could not say so.
    return entry.status if entry.status != "running" else "running" if playing else "not ended"


def _line(entry: RunEntry, *, playing: bool) -> str:
    from company_lab.formats.hostile import one_line

    state = _state(entry, playing=playing)
    part = f"; failed cells of {entry.failed_of}" if entry.failed_of else ""
    outcomes = (
        ", ".join(f"{count} {outcome}" for outcome, count in sorted(entry.outcomes.items())) or "nothing"
    )
    return one_line(
        f"{entry.run}  {state:<11}  {entry.stored} of {entry.planned}: {outcomes}; "
        f"{', '.join(entry.evidence) or 'unknown evidence'}; agent {entry.agent}; suite {entry.suite}{part}"
    )
