"""company-lab score: judge episodes recorded elsewhere."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("score", short_help="Judge episodes recorded elsewhere.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--goals", type=click.Path(path_type=Path), help="Goals by task, or a suite.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--details", is_flag=True, help="Also a line for every episode.")
def command(file: Path, goals: Path | None, as_json: bool, details: bool) -> int:
    """Judge the episodes in FILE (or in every file of a folder) and print reliability figures."""
    from company_lab.cli.say import say
    from company_lab.interop.authored import score_file

    text, code = score_file(file, goals, as_json=as_json, details=details)
    say(text)
    return code
