"""company-lab demo: what this is about, in one go."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from company_lab.cli.exits import ExitCode
from company_lab.cli.options import seed_option, store_option, trials_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from company_lab.runs import Store
    from company_lab.scenarios.model import Scenario

TIMES = 3
SHOWN_TITLES = 6
SHOWN_WRONG = 3
SHOWN_SCENARIOS = 4


@click.command("demo", short_help="Show in one go what this is about.")
@trials_option(10)
@seed_option
@store_option
def command(trials: int, seed: int, store: str | None) -> int:
    """Play the shipped company: its references, wrong conducts that are caught, and reliability figures.

    Everything that acts is scripted.
    """
    from company_lab.cli.say import say
    from company_lab.cli.suites import open_suite
    from company_lab.company import SUITE
    from company_lab.runs import Store

    say("Deterministic simulation; no model inference. Everything that acts below is scripted.")
    scenarios = open_suite(SUITE).scenarios
    with Store(store) as opened:
        good = _references(scenarios, opened, seed)
        good = _wrong_conducts(scenarios) and good
        _timeline(opened, _reliability(scenarios, opened, trials, seed))
        say()
        say(f"Both runs are stored in {opened.path}")
    say("Your own project: company-lab init my-project")
    return ExitCode.GOOD if good else ExitCode.FAILURE


def _references(scenarios: Sequence[Scenario], store: Store, seed: int) -> bool:
    from company_lab.cli.say import counted, say
    from company_lab.company import SUITE
    from company_lab.runs import begin, cast, execute, plan_run

    _heading("Each request to the guard and each reference, three times: all must pass")
    castings = cast(scenarios, agent=None)
    plan = plan_run(castings, suite=SUITE, suite_digest="", agent=None, trials=TIMES, seed=seed)
    begin(plan, castings, store)
    execute(plan, castings, store)
    passed: dict[str, int] = {}
    for summary in store.episodes(plan.run):
        passed[summary.scenario] = passed.get(summary.scenario, 0) + (summary.outcome == "passed")
    for what, group in (
        ("requests to the guard", [casting for casting in castings if casting.agent is None]),
        ("references", [casting for casting in castings if casting.agent is not None]),
    ):
        total = sum(passed.get(casting.scenario.id, 0) for casting in group)
        say(f"  {len(group)} {what}: {total:,} of {counted(TIMES * len(group), 'episode')} passed, such as")
        for casting in group[:: max(1, len(group) // SHOWN_TITLES)][:SHOWN_TITLES]:
            scenario = casting.scenario
            say(f"    {passed.get(scenario.id, 0)}/{TIMES}  {scenario.id}: {scenario.title}")
    for casting in castings:
        if passed.get(casting.scenario.id, 0) != TIMES:
            say(f"  NOT PASSED  {passed.get(casting.scenario.id, 0)}/{TIMES}  {casting.scenario.id}")
    return sum(passed.values()) == len(plan.cells)


def _wrong_conducts(scenarios: Sequence[Scenario]) -> bool:
    from company_lab.cli.rehearse import told
    from company_lab.cli.say import counted, say
    from company_lab.probing.rehearse import rehearse
    from company_lab.worlds.registry import resolve_world

    _heading("Each declared wrong conduct: all must be caught, with the codes its scenario names")
    played = declared = 0
    classes: set[str | None] = set()
    for scenario in scenarios:
        for rehearsal in rehearse(scenario, resolve_world(scenario.world)):
            if not rehearsal.must_fail_with:
                continue
            played += 1
            declared += rehearsal.as_declared
            if not rehearsal.as_declared:
                say(f"  {told(rehearsal)}")
            elif len(classes) < SHOWN_WRONG and scenario.failure_class not in classes:
                classes.add(scenario.failure_class)
                say(f"  {told(rehearsal)}")
                for failure in rehearsal.verdict.failures[:2]:
                    records = ", ".join(map(str, failure.evidence[:5]))
                    say(f"      {failure.severity}: {failure.message} (trace records {records})")
    say(f"  {declared:,} of {counted(played, 'wrong conduct')} caught as declared")
    return declared == played


def _reliability(scenarios: Sequence[Scenario], store: Store, trials: int, seed: int) -> str:
    from company_lab.cli.say import say
    from company_lab.cli.wavering import SHARE, wavering
    from company_lab.company import SUITE
    from company_lab.library import print_report
    from company_lab.runs import begin, cast, execute, plan_run

    _heading("Reliability: the same scenarios again and again")
    say("  The agent is a script that goes wrong on purpose, in each episode with a chance of")
    say(
        f"  {SHARE * 100:.0f} %, drawn from a seeded stream of its own. The figures are about that script; they show"
    )
    say("  what such a table looks like.")
    say()
    chosen = [scenario for scenario in scenarios if scenario.wrong][:SHOWN_SCENARIOS]
    agent = wavering(seed)
    castings = cast(chosen, agent=agent)
    plan = plan_run(castings, suite=SUITE, suite_digest="", agent=agent, trials=trials, seed=seed)
    begin(plan, castings, store)
    execute(plan, castings, store)
    print_report(store, plan)
    return plan.run


def _timeline(store: Store, run: str) -> None:
    from company_lab.cli.say import say
    from company_lab.reports.console import show
    from company_lab.reports.timeline import render
    from company_lab.runs.explaining import explained

    failed = [summary for summary in store.episodes(run) if summary.outcome == "failed"]
    if not failed:
        return
    shortest = min(failed, key=lambda summary: (summary.calls, summary.scenario, summary.trial))
    _heading("One of the failed episodes, as `company-lab show` tells it")
    episode = explained(store, run, shortest.scenario, shortest.trial)
    sys.stdout.flush()
    show(render(episode.scenario, episode.spec, episode.trace, episode.verdict))
    say()


def _heading(text: str) -> None:
    from company_lab.cli.say import say

    say()
    say(f"== {text}")
