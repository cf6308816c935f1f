"""company-lab world: everything a scenario may name in a world."""

from __future__ import annotations

from pathlib import Path

import click

from company_lab.cli.exits import ExitCode
from company_lab.cli.options import file_option


@click.command("world", short_help="List what a scenario may name in a world.")
@click.argument("name", metavar="[NAME]", default="company")
@click.option("--only", metavar="DEPARTMENT", multiple=True, help="Only this department; may be repeated.")
@file_option(
    "--markdown",
    help="Write it all as a Markdown page to this file.",
)
@click.option("--check", is_flag=True, help="Write nothing: with --markdown, fail where FILE is not current.")
def command(name: str, only: tuple[str, ...], markdown: Path | None, check: bool) -> int:
    """List tables, tools, events, facts, stimuli, requests, claims, providers and rules of a world.

    NAME is `company`, which is the default, or module:attribute for a world of your own. Without options a line for
    each department; with --only or -v everything in it.
    """
    from company_lab.cli.pages import keep_page, refuse_check_alone
    from company_lab.cli.say import command_line, say
    from company_lab.cli.suites import world_spec
    from company_lab.cli.verbosity import verbosity
    from company_lab.formats.errors import WrongUse, nearest
    from company_lab.reports.world_entries import departments
    from company_lab.reports.world_page import world_page, world_summary, world_text

    refuse_check_alone(check, markdown)
    spec = world_spec(name)
    known = departments(spec)
    for department in only:
        if department not in known:
            close = nearest(department, known)
            hint = f"did you mean {close}?" if close else f"there are {', '.join(known)}"
            raise WrongUse(f"the world {name} has no department {department}; {hint}")
    if markdown is not None:
        chosen = [word for one in only for word in ("--only", one)]
        page = world_page(spec, only, command=command_line("world", name, *chosen, "--markdown", markdown))
        return ExitCode.GOOD if keep_page(markdown, page, check=check) else ExitCode.FAILURE
    for line in world_text(spec, only) if only or verbosity.verbose else world_summary(spec):
        say(line)
    return ExitCode.GOOD
