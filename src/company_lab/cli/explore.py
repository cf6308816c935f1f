"""company-lab explore: crashes and faults at every call and event of a scenario, alone and in pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from company_lab.cli.again import words_again
from company_lab.cli.modelling import agent_given, model_options
from company_lab.cli.options import file_option, json_option, seed_option
from company_lab.cli.programs import PROGRAM_OPTIONS, UNCONFINED, program_of, program_options

_SEARCH_ONLY = ("order", "kinds", "restart", "sample", "workers")


@click.command("explore", short_help="Search for crashes and faults under which an agent breaks something.")
@click.argument("scenario", metavar="SCENARIO")
@click.option("--agent", metavar="AGENT", help="module:function, reference, hostile:NAME, or an adapter.")
@program_options
@model_options
@click.option(
    "--order",
    type=click.IntRange(1, 3),
    default=2,
    show_default=True,
    help="The most faults at once; of three a sample is drawn.",
)
@click.option(
    "--kinds",
    metavar="KIND",
    multiple=True,
    help="Only these kinds of fault: all, essential, crash, or names. Without it all alone, essential ones in pairs.",
)
@click.option(
    "--restart",
    type=click.Choice(("task", "transcript", "checkpoint")),
    multiple=True,
    help="With what the agent comes back after a crash; checkpoint. May be given several times.",
)
@click.option(
    "--sample", type=click.IntRange(min=1), default=500, show_default=True, help="Schedules of three faults."
)
@seed_option
@click.option("--max-episodes", type=click.IntRange(min=1), help="Stop after so many schedules.")
@click.option(
    "--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes at once."
)
@file_option(
    "--state",
    help="Keep what was played in this file, and go on from it where it is there.",
)
@click.option("--schedule", metavar="JSON", help="Play these faults only, and show the timeline.")
@click.option("--safety-only", is_flag=True, help="Hold nothing against the agent that it left undone.")
@click.option(
    "--tier",
    type=click.Choice(("commit", "nightly", "release", "rate")),
    help="How much of it: for agents that ask models, which can not be explored exhaustively.",
)
@click.option("--trials", type=click.IntRange(min=1), help="Repetitions of every schedule of a tier.")
@click.option("--plan-only", is_flag=True, help="Print how many episodes each tier takes, and play nothing.")
@click.option(
    "--replay-prefix",
    is_flag=True,
    help="Replay a recorded episode up to the crash instead of asking the agent; no independent trials.",
)
@json_option("what was found")
@click.option("--quiet", is_flag=True, help="No progress.")
@click.pass_context
def command(
    context: click.Context,
    /,
    scenario: str,
    agent: str | None,
    order: int,
    kinds: tuple[str, ...],
    restart: tuple[Any, ...],
    sample: int,
    seed: int,
    max_episodes: int | None,
    workers: int,
    state: Path | None,
    schedule: str | None,
    safety_only: bool,
    tier: Any,
    trials: int | None,
    plan_only: bool,
    replay_prefix: bool,
    json_file: Path | None,
    quiet: bool,
    **model: Any,
) -> int:
    """Play SCENARIO (FILE or FILE#ID; for --tier rate also a folder) under crashes and faults, one by one and in pairs.

    Points come from the episode without a fault, second faults from the episode of the first. Exits with 1 where
    something broke, 3 where something was left out or could not be decided, else 0.
    """
    if agent is None and model["agent_command"] is None and not plan_only:
        raise click.UsageError("whom shall it explore? Give --agent or --agent-command", context)
    if tier not in (None, "commit"):
        for name in _SEARCH_ONLY:
            if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                raise click.UsageError(f"--tier {tier} has schedules of its own: leave out --{name}", context)
    elif trials is not None or replay_prefix:
        raise click.UsageError(
            "--trials and --replay-prefix belong to --tier nightly, release or rate", context
        )
    if tier == "rate" and (replay_prefix or trials is not None):
        raise click.UsageError("a claim about a rate takes independent episodes, each once", context)
    if schedule is not None and (tier is not None or plan_only or state is not None):
        raise click.UsageError("--schedule plays one schedule only", context)

    from company_lab.agents.resolve import resolve_agent
    from company_lab.cli import exploring
    from company_lab.probing.explore.kinds import ALL, ESSENTIAL, read_kinds
    from company_lab.probing.explore.search import Bounds

    if plan_only:
        return exploring.plan(scenario, trials=trials)
    again = words_again(context, agent)
    program = program_of({**model, **UNCONFINED}, agent=agent)
    for option in PROGRAM_OPTIONS:
        model.pop(option)
    named = agent_given(agent, model)
    chosen = read_kinds(kinds)
    asked = exploring.Asked(
        scenario=scenario,
        agent_words=again,
        agent=program or (resolve_agent(named) if isinstance(named, str) else named),  # type: ignore[arg-type]
        seed=seed,
        safety_only=safety_only,
        state=state,
        max_episodes=max_episodes,
        json_file=json_file,
        quiet=quiet,
    )
    if schedule is not None:
        return exploring.replay(asked, schedule)
    if tier == "rate":
        return exploring.rate(asked)
    if tier in ("nightly", "release"):
        return exploring.tier(asked, tier, trials=trials, replay_prefix=replay_prefix)
    bounds = Bounds(
        order=order,
        kinds=chosen or ALL,
        pair_kinds=chosen or ESSENTIAL,
        restarts=tuple(dict.fromkeys(restart)) or ("checkpoint",),
        max_episodes=max_episodes,
        sample=sample,
    )
    return exploring.search(asked, bounds, workers=workers)
