"""company-lab continue: a stored episode up to one of its calls, then an agent."""

from __future__ import annotations

from typing import Any

import click

from company_lab.cli.exits import ExitCode
from company_lab.cli.modelling import agent_given, model_options
from company_lab.cli.options import store_option
from company_lab.cli.programs import PROGRAM_OPTIONS, UNCONFINED, program_of, program_options
from company_lab.cli.show import cell_of


@click.command("continue", short_help="Repeat a stored episode up to a call, and let an agent go on.")
@click.argument("words", nargs=-1, metavar="[RUN] SCENARIO TRIAL")
@click.option(
    "--after",
    metavar="CALL",
    help="The last call that is repeated, as `company-lab show` names it, such as c3.",
)
@click.option("--agent", metavar="AGENT", help="module:function, reference, hostile:NAME, or an adapter.")
@program_options
@model_options
@click.option(
    "--restart",
    type=click.Choice(("task", "transcript", "checkpoint")),
    default="transcript",
    show_default=True,
    help="What the agent is told of it: its task alone, every call with its answer, or what had been saved.",
)
@store_option
def command(
    words: tuple[str, ...],
    after: str | None,
    agent: str | None,
    restart: Any,
    store: str | None,
    **model: Any,
) -> int:
    """Do again what was recorded, up to CALL, without asking anybody; then let the agent begin that turn again.

    Shows what came of it, and stores nothing: it shares its beginning with another episode and is no trial of its own.
    Exits with 1 where the episode fails, 3 where it can not be decided or the world answered otherwise than before.
    """
    run, scenario, trial = cell_of("continue", words)
    if agent is None and model["agent_command"] is None:
        raise click.UsageError("who shall go on? Give --agent or --agent-command")
    if after is None:
        raise click.UsageError(
            "from where? Give --after CALL, the last call that is repeated, such as c3; "
            f"company-lab show {run} {scenario} {trial} names them"
        )

    from company_lab.agents.resolve import resolve_agent
    from company_lab.cli.say import note, say
    from company_lab.evaluation import explain
    from company_lab.formats.errors import WrongUse
    from company_lab.formats.hostile import one_line
    from company_lab.probing.explore.playing import subject
    from company_lab.probing.going_on import go_on
    from company_lab.reports.console import show
    from company_lab.reports.timeline import render
    from company_lab.runs import Store
    from company_lab.runs.documents import kept_scenario
    from company_lab.worlds.registry import resolve_world

    program = program_of({**model, **UNCONFINED}, agent=agent)
    for option in PROGRAM_OPTIONS:
        model.pop(option)
    named = agent_given(agent, model)
    acting: Any = program or (resolve_agent(named) if isinstance(named, str) else named)
    with Store(store, create=False) as opened:
        full = opened.resolve(run)
        plan, recorded = opened.plan(full), opened.episode(full, scenario, trial).trace
        found = kept_scenario(opened, plan, scenario, worlds=resolve_world)
    if found is None:
        raise WrongUse(f"{scenario} was recorded elsewhere: there is no world in which somebody could go on")
    world = resolve_world(found.world)
    prepared = subject(found, world, acting, seed=plan.seed)
    explored, episode = go_on(prepared, recorded, after=after, restart=restart, trial=trial)
    show(render(found, world.spec, episode.trace, explain(found, world.spec, episode.trace, episode.timings)))
    say(f"repeated up to {after} of run {full}, then {acting.name}: {explored.outcome}")
    if explored.why:
        say(f"    {one_line(explored.why)}")
    note("nothing was stored: it shares its beginning with that episode, and no figure counts it")
    if explored.outcome == "failed":
        return ExitCode.FAILURE
    return ExitCode.GOOD if explored.outcome == "passed" else ExitCode.INCOMPLETE
