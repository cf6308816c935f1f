"""company-lab run: play a suite, store every episode, report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from company_lab.cli.confining import confinement_of, confining_options, rates_given
from company_lab.cli.modelling import agent_given, model_options
from company_lab.cli.options import file_option, redact_option, seed_option, store_option, trials_option
from company_lab.cli.programs import program_of, program_options

_PLANNED = ("trials", "seed", "only", "crowd", "attempts", "redact")


@click.command("run", short_help="Play a suite, judge every episode, store it, report.")
@click.argument("suite", type=click.Path(path_type=Path), required=False)
@click.option("--agent", metavar="AGENT", help="module:function, reference, hostile:NAME, or an adapter.")
@program_options
@model_options
@trials_option(1)
@seed_option
@click.option(
    "--only",
    metavar="WORD",
    multiple=True,
    help="Only scenarios with this id, tag, failure class, family or split. May be given several times.",
)
@click.option(
    "--crowd",
    type=click.IntRange(1, 1_000_000),
    metavar="N",
    help="Surround the records of every scenario with so many more of each kind, so that searches are hard.",
)
@click.option(
    "--attempts",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How often an episode may be played that an outage ended. What an agent finished is never repeated.",
)
@click.option(
    "--resume",
    metavar="RUN",
    is_flag=False,
    flag_value="last",
    help="Go on with this run (without a name: the newest): only what is missing, if nothing has changed.",
)
@click.option(
    "--failed",
    metavar="RUN",
    is_flag=False,
    flag_value="last",
    help="A new run of the cells that failed in this one. Its figures say nothing about reliability.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="Episodes at once: for agents that wait for a model. Async ones share an event loop, others have threads.",
)
@click.option(
    "--processes",
    type=click.IntRange(1, 1000),
    help="Episodes at once, in processes: for agents that keep a processor busy.",
)
@confining_options
@click.option("--max-episodes", type=click.IntRange(min=0), help="Stop after so many episodes.")
@click.option("--max-cost", metavar="USD", help="Stop when agents have reported this cost, such as 2.50.")
@redact_option
@store_option
@click.option(
    "--rules",
    "with_rules",
    is_flag=True,
    help="After the report: episodes that passed while breaking a rule, and rules that no check covers.",
)
@file_option(
    "--junit",
    help="Afterwards also write JUnit XML for build servers; nothing but an episode that passed is a pass.",
)
@click.option("--quiet", is_flag=True, help="No progress, only the report.")
@click.option("--json-lines", is_flag=True, help="One JSON object a line instead of progress and report.")
@click.pass_context
def command(
    context: click.Context,
    /,
    suite: Path | None,
    agent: str | None,
    trials: int,
    seed: int,
    only: tuple[str, ...],
    crowd: int | None,
    attempts: int,
    resume: str | None,
    failed: str | None,
    workers: int,
    processes: int | None,
    max_episodes: int | None,
    max_cost: str | None,
    redact: Path | None,
    store: str | None,
    with_rules: bool,
    junit: Path | None,
    quiet: bool,
    json_lines: bool,
    rate: tuple[str, ...],
    **isolating: Any,
) -> int:
    """Play every scenario of SUITE, judge it, store it, and report.

    Without --agent nobody is evaluated: requests of contract scenarios go straight to the guard, and every
    other scenario is played by its own reference. That shows whether company and scenarios hold together.
    """
    _refuse_contradictions(context, suite, resume, failed, workers, processes, isolating["isolate"])
    if junit is not None and not junit.absolute().parent.is_dir():
        raise click.UsageError(f"--junit {junit}: there is no folder {junit.parent}", context)

    from company_lab.cli.playing import Means, play_and_report
    from company_lab.cli.preparing import budget_of, failed_run, new_run, resumed_run
    from company_lab.runs import Store, begin
    from company_lab.traces.redaction_rules import load_redaction

    program = program_of(isolating, agent=agent)
    asked = agent_given(agent, isolating)
    acting = asked if program is None else program
    means = Means(
        workers=workers,
        processes=processes,
        isolation=confinement_of(isolating) if program is None else None,
        rates=rates_given(rate),
        budget=budget_of(max_episodes, max_cost),
        rules=with_rules,
        junit=junit,
        quiet=quiet,
        json_lines=json_lines,
    )
    if resume is not None:
        with Store(store, create=False) as opened:
            plan, castings, todo = resumed_run(opened, resume, suite=suite, agent=acting)
            opened.reopen(plan.run)
            return play_and_report(plan, castings, opened, todo, means)
    if failed is not None:
        with Store(store, create=False) as opened:
            plan, castings = failed_run(opened, failed, suite=suite, agent=acting)
            begin(plan, castings, opened)
            return play_and_report(plan, castings, opened, None, means)
    assert suite is not None
    rules = None if redact is None else load_redaction(redact)
    plan, castings = new_run(
        suite,
        agent=acting,
        trials=trials,
        seed=seed,
        only=only,
        attempts=attempts,
        redaction=rules,
        crowd=crowd,
    )
    with Store(store) as opened:
        begin(plan, castings, opened, redaction=rules)
        return play_and_report(plan, castings, opened, None, means)


def _refuse_contradictions(
    context: click.Context,
    suite: Path | None,
    resume: str | None,
    failed: str | None,
    workers: int,
    processes: int | None,
    isolate: bool,
) -> None:
    def given(name: str) -> bool:
        return context.get_parameter_source(name) is ParameterSource.COMMANDLINE

    if resume is not None and failed is not None:
        raise click.UsageError("give either --resume or --failed", context)
    earlier = "--resume" if resume is not None else "--failed" if failed is not None else None
    if earlier is None and suite is None:
        raise click.UsageError("SUITE is missing: give a folder of scenarios or one YAML file", context)
    for name in _PLANNED:
        if earlier is not None and given(name):
            raise click.UsageError(f"{earlier} takes --{name} from the plan of the earlier run", context)
    if processes is not None and workers != 1:
        raise click.UsageError(
            "give either --workers or --processes: threads for agents that wait, processes for busy ones",
            context,
        )
    if processes is not None and isolate:
        raise click.UsageError(
            "isolated episodes have processes of their own: say with --workers how many at once", context
        )
