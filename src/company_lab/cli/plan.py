"""company-lab plan: how many trials and scenarios a claim needs, before anything is run."""

from __future__ import annotations

from pathlib import Path

import click

from company_lab.cli.options import file_option, json_option, store_option

_SHARE = click.FloatRange(min=0, max=1, min_open=True, max_open=True)


@click.command("plan", short_help="See how much to run for a claim, and what a gate would let through.")
@file_option("--policy", help="Its claims.")
@click.option("--suite", type=click.Path(path_type=Path), help="Count the scenarios of this suite.")
@click.option("--scenarios", type=click.IntRange(min=1), help="The number of scenarios, without a suite.")
@click.option("--trials", type=click.IntRange(min=1), help="See what so many trials of each would show.")
@click.option(
    "--below", type=_SHARE, metavar="RATE", help="Claim that critical failures are rarer, such as 0.01."
)
@click.option("--allowed", type=click.IntRange(min=0), default=0, show_default=True, help="Failures allowed.")
@click.option(
    "--confidence",
    type=click.FloatRange(min=0.5, max=1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Of the claim.",
)
@click.option("--difference", type=_SHARE, metavar="SHARE", help="The difference a comparison should find.")
@click.option("--power", type=_SHARE, default=0.8, show_default=True, help="The chance to find it.")
@click.option("--from", "past", metavar="RUN", help="An earlier run: its cost, time and variance.")
@json_option("the plan")
@store_option
def command(
    policy: Path | None,
    suite: Path | None,
    scenarios: int | None,
    trials: int | None,
    below: float | None,
    allowed: int,
    confidence: float,
    difference: float | None,
    power: float,
    past: str | None,
    json_file: Path | None,
    store: str | None,
) -> None:
    """Reckon how many trials the claims of a policy take, or one claim alone, and what they cost. Runs nothing."""
    from company_lab.cli.say import note
    from company_lab.cli.suites import open_suite
    from company_lab.formats.canonical import canonical
    from company_lab.formats.whole_files import write_whole
    from company_lab.release.planning import past_run, plan_release
    from company_lab.release.policy_reading import load_policy
    from company_lab.reports import console
    from company_lab.reports.plan_page import plan_page
    from company_lab.runs import Store

    if suite is not None and scenarios is not None:
        raise click.UsageError(
            "--suite and --scenarios both say how many scenarios there are: give one of them"
        )
    missing = []
    if suite is None and scenarios is None and past is None:
        missing.append("how many scenarios (--suite SUITE, --scenarios N, or --from RUN)")
    if policy is None and below is None and trials is None:
        missing.append(
            "what is claimed (--policy FILE, --below RATE, or --trials N to see what they would show)"
        )
    if missing:
        if suite is not None and not suite.exists():
            missing.append(f"a suite that is there (nothing lies at {suite})")
        raise click.UsageError(
            f"still to be said: {'; and '.join(missing)}; for example --scenarios 20 --below 0.01"
        )
    rules = None if policy is None else load_policy(policy)
    count = scenarios if suite is None else len(open_suite(suite).scenarios)
    earlier = None
    if past is not None:
        with Store(store, create=False) as opened:
            run = opened.resolve(past)
            earlier = past_run(opened, run)
            count = count or len(opened.plan(run).planned())
    found = plan_release(
        scenarios=count or 0,
        trials=trials,
        policy=rules,
        below=below,
        allowed=allowed,
        confidence=confidence,
        difference=difference,
        power=power,
        past=earlier,
    )
    console.show(plan_page(found))
    if json_file is not None:
        write_whole(json_file, (canonical(found.to_json()) + "\n").encode())
        note(f"written to {json_file}")
