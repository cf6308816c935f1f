"""company-lab init: a small project that runs."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

FILES = ("workshop.py", "agent.py", "scenarios/not_ready_yet.yaml", "README.md")


@click.command("init", short_help="Start a small project.")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False), default=".")
def command(directory: Path) -> None:
    """Put a small project into DIRECTORY (this folder): a world, an agent, a scenario.

    Overwrites nothing.
    """
    from importlib.resources import files

    from company_lab.cli.say import say
    from company_lab.formats.errors import WrongUse

    there = [name for name in FILES if (directory / name).exists()]
    if there:
        raise WrongUse(f"{directory.absolute()} already has {', '.join(there)}: choose another folder")
    starter = files("company_lab.cli") / "starter"
    for name in FILES:
        target = directory / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8", newline="\n") as file:
            file.write((starter / name).read_text("utf-8"))
        say(f"  {target}")
    inside = "" if directory == Path() else f"cd {shlex.quote(str(directory))} && "
    say(f"Now: {inside}company-lab run scenarios --agent agent:agent --trials 5")
