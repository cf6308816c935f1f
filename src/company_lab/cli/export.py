"""company-lab export: a run as a file for other programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from company_lab.cli.options import file_option, store_option

if TYPE_CHECKING:
    from company_lab.runs import Store

Form = Literal["jsonl", "csv", "parquet", "verdicts", "traces", "inspect"]


@click.command("export", short_help="Write a run as JSON lines, CSV, Parquet, verdicts or traces.")
@click.argument("run", default="last")
@click.option(
    "--form",
    type=click.Choice(["jsonl", "csv", "parquet", "verdicts", "traces", "inspect"]),
    default="jsonl",
    show_default=True,
    help="A row for every planned cell, whole verdicts or traces as JSON lines, or a log of Inspect.",
)
@file_option("--output", help="Write to this file instead.")
@store_option
def command(run: str, form: Form, output: Path | None, store: str | None) -> None:
    """Write RUN (last: the newest) for other programs. Cells without an episode are there too, as lost."""
    import sys

    from company_lab.cli.say import note, output_lost
    from company_lab.formats.whole_files import whole_file
    from company_lab.runs import Store

    if form == "parquet":
        _refuse_parquet(output)
    with Store(store, create=False) as opened:
        full = opened.resolve(run)
        _note_strangers(opened, full)
        if form == "inspect" and output is None:
            raise click.UsageError("a log of Inspect is a file: give --output FILE.json or FILE.eval")
        if output is None:
            for line in _lines(opened, full, form):
                sys.stdout.write(line)
                if output_lost() is not None:
                    break
            return
        if form == "inspect":
            from company_lab.interop.inspect_log import write_inspect_log

            write_inspect_log(opened, full, output)
            note(f"written to {output}")
            return
        with whole_file(output) as file:
            if form == "parquet":
                from company_lab.reports.parquet import write_parquet

                write_parquet(opened, full, file)
            else:
                for line in _lines(opened, full, form):
                    file.write(line.encode("utf-8"))
        note(f"written to {output}")


def _lines(store: Store, run: str, form: Form) -> Iterator[str]:
    from company_lab.reports.tables import csv_lines, json_lines, verdict_lines

    if form == "traces":
        return (stored.trace.text() for stored in store.stored(run))
    return {"jsonl": json_lines, "csv": csv_lines, "verdicts": verdict_lines}[form](store, run)


def _refuse_parquet(output: Path | None) -> None:
    from company_lab.reports.parquet import require_pyarrow

    if output is None:
        raise click.UsageError("a Parquet file is no text: give --output FILE")
    require_pyarrow()


def _note_strangers(store: Store, run: str) -> None:
    from company_lab.cli.say import counted, note

    strangers = store.foreign(run)
    if strangers:
        named = ", ".join(f"{cell.scenario} trial {cell.trial}" for cell in strangers[:3])
        note(f"{counted(len(strangers), 'episode')} not in the plan, and left out of the table: {named}")
