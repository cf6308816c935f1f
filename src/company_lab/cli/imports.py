"""company-lab import: recorded episodes of other benchmarks become stored runs."""

from __future__ import annotations

from pathlib import Path

import click

from company_lab.cli.group import HelpfulGroup
from company_lab.cli.options import redact_option, store_option


@click.group("import", cls=HelpfulGroup, short_help="Read recorded runs of other benchmarks.")
def command() -> None:
    """Read episodes recorded elsewhere into a stored run."""


@command.command("tau-bench", short_help="Recorded tau-bench trajectories.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--checkout",
    metavar="PATH#DOMAIN",
    help="Judge the runs again: carry their calls out on the data of this tau-bench checkout, whose code runs here.",
)
@redact_option
@store_option
def tau_bench(file: Path, as_json: bool, checkout: str | None, redact: Path | None, store: str | None) -> int:
    """Read recorded tau-bench trajectories, store them as a run, and report.

    Their verdicts are the rewards that suite gave, unless --checkout has them judged again. The same file read again
    adds nothing.
    """
    from company_lab.cli.say import say
    from company_lab.formats.errors import WrongUse
    from company_lab.interop.tau_import import import_file
    from company_lab.runs import Store
    from company_lab.traces.redaction_rules import load_redaction

    rules = None if redact is None else load_redaction(redact)
    if not file.is_file():
        raise WrongUse(f"there is no file {file.absolute()}")
    with Store(store) as opened:
        text, code = import_file(file, opened, as_json=as_json, redaction=rules, checkout=checkout)
        say(text)
        if not as_json:
            say(f"Stored in {opened.path}")
    return code
