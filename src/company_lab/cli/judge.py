"""company-lab judge: verdicts again, from stored traces."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from company_lab.cli.exits import ExitCode, exit_code
from company_lab.cli.options import store_option

if TYPE_CHECKING:
    from company_lab.runs.rejudging import Rejudged

MOST_LINES = 20
"""Differences of one scenario that are shown."""


@click.command("judge", short_help="Judge a stored run again.")
@click.argument("run", default="last")
@click.option("--suite", type=click.Path(path_type=Path), help="Judge by this suite instead of as played.")
@click.option("--apply", is_flag=True, help="Let the new verdicts count. Without it they are only shown.")
@store_option
def command(run: str, suite: Path | None, apply: bool, store: str | None) -> int:
    """Judge every episode of RUN (last: the newest) again, and show which verdicts change and why.

    Traces stay as they are, and earlier verdicts are kept beside the new ones.
    """
    from company_lab.cli.say import say
    from company_lab.cli.suites import open_suite
    from company_lab.runs import Cell, Store
    from company_lab.runs.rejudging import changes_since, rejudge, scenarios_of
    from company_lab.scenarios.crowding import crowded

    with Store(store, create=False) as opened:
        full = opened.resolve(run)
        if suite is None:
            scenarios = scenarios_of(opened, full)
        else:
            crowd = opened.plan(full).crowd
            scenarios = {one.id: one for one in crowded(open_suite(suite).scenarios, crowd)}
        say(", ".join(opened.plan(full).evidence))
        for what, lines in changes_since(opened, full, scenarios):
            say(f"{what} has changed since the run:")
            for line in [*lines[:MOST_LINES], *(["..."] if len(lines) > MOST_LINES else [])]:
                say(f"    {line}")
        total = changed = left_out = 0
        outcomes: Counter[str] = Counter()  # of the verdicts that count in the end
        for rejudged in rejudge(opened, full, scenarios):
            total += 1
            outcomes[(rejudged.after if apply else rejudged.before).outcome] += 1
            if rejudged.left_out is not None:
                left_out += 1
                say(f"{rejudged.scenario} trial {rejudged.trial} is not judged again: {rejudged.left_out}")
            elif rejudged.differs:
                changed += 1
                for line in _change(rejudged):
                    say(line)
        say(f"{changed} of {total} verdicts change")
        if left_out:
            say(f"{left_out} of {total} episodes keep their verdict, since they can not be judged again")
        if apply:
            count = opened.regrade(
                full,
                (
                    (Cell(rejudged.scenario, rejudged.trial), rejudged.grading, rejudged.after)
                    for rejudged in rejudge(opened, full, scenarios)
                    if rejudged.left_out is None and not rejudged.known
                ),
            )
            say(f"{count} new verdicts count from now on, in {opened.path}; the earlier ones are kept")
        elif changed:
            say("Nothing was stored: --apply lets the new verdicts count")
        code = exit_code(outcomes, len(opened.plan(full).cells))
        open_question = left_out or (changed and not apply)
        return ExitCode.INCOMPLETE if open_question and code == ExitCode.GOOD else code


def _change(rejudged: Rejudged) -> list[str]:
    before, after = rejudged.before, rejudged.after
    lines = [f"{rejudged.scenario} trial {rejudged.trial}: {before.outcome} -> {after.outcome}"]
    old = {(failure.code, failure.check): failure for failure in before.failures}
    new = {(failure.code, failure.check): failure for failure in after.failures}
    lines += [f"    no longer: {old[key].code} at {old[key].check}" for key in old if key not in new]
    lines += [
        f"    now: {new[key].code} at {new[key].check}: {new[key].message}" for key in new if key not in old
    ]
    lines += [
        f"    {note.check}: {note.message}"
        for note in (*after.unscored, *after.invalid)
        if note not in (*before.unscored, *before.invalid)
    ]
    return lines
