"""company-lab mcp: try an MCP client by hand on one scenario."""

from __future__ import annotations

import click


@click.command("mcp", short_help="Serve one scenario over MCP, to try an agent by hand.")
@click.argument("scenario")
@click.option(
    "--http",
    "port",
    type=click.IntRange(0, 65535),
    is_flag=False,
    flag_value=0,
    metavar="[PORT]",
    help="Serve over HTTP on this machine instead of standard input and output; without a port, a free one.",
)
@click.option(
    "--wall", default="1h", show_default=True, metavar="TIME", help="How long to wait for the agent."
)
def command(scenario: str, port: int | None, wall: str) -> int:
    """Serve the world of SCENARIO to one MCP client, then show what it did and the verdict.

    SCENARIO is FILE or FILE#ID; FILE may be a folder. The client finds the task as the prompt and the resource
    `task`, and gives its reply through the tool `reply`. The episode ends with that, when the client leaves, or with
    Ctrl-C. Over standard input and output everything for people goes to standard error. Nothing is stored.
    """
    import sys

    from company_lab.cli.exits import ExitCode
    from company_lab.cli.say import note, say
    from company_lab.cli.suites import one_scenario
    from company_lab.episodes.by_hand import play_by_hand
    from company_lab.evaluation import explain
    from company_lab.formats.errors import WrongUse
    from company_lab.formats.time import BadTime, parse_duration
    from company_lab.reports.console import show
    from company_lab.reports.timeline import render
    from company_lab.worlds.registry import resolve_world

    try:
        wall_ms = parse_duration(wall)
    except BadTime as error:
        raise WrongUse(f"--wall: {error}") from None
    chosen = one_scenario(scenario)
    world = resolve_world(chosen.world)
    tell = note if port is None else say

    def open_to(url: str, task: str) -> None:
        tell(f"Serving {chosen.id}{f' at {url}' if url else ''}. Its task:")
        tell(task)

    episode = play_by_hand(chosen, world, wall_ms=wall_ms, port=port, open_to=open_to)
    verdict = explain(chosen, world.spec, episode.trace, episode.timings)
    report = render(chosen, world.spec, episode.trace, verdict)
    show(report, sys.stderr if port is None else None)
    if verdict.outcome == "passed":
        return ExitCode.GOOD
    return ExitCode.FAILURE if verdict.outcome == "failed" else ExitCode.INCOMPLETE
