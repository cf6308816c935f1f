"""A run as text for other programs: JSON lines and CSV, one row for every planned cell."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from company_lab.formats.canonical import Json, canonical
from company_lab.formats.hostile import one_line
from company_lab.reports.diagnoses import Diagnoses
from company_lab.runs.rows import COLUMNS, rows
from company_lab.runs.store import Store

# Also the wide ones, which spreadsheets of some languages read like the narrow.
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def json_lines(store: Store, run: str) -> Iterator[str]:
    """The rows of a run as strict JSON, one a line."""
    return (canonical(row) + "\n" for row in rows(store, run))


def csv_lines(store: Store, run: str) -> Iterator[str]:
    """The rows of a run as CSV. What a spreadsheet would take for a formula begins with an apostrophe."""
    yield _line(COLUMNS)
    for row in rows(store, run):
        yield _line(_cell(row[column]) for column in COLUMNS)


def write_csv(store: Store, run: str, file: BinaryIO) -> None:
    """Write the rows of a run as CSV."""
    for line in csv_lines(store, run):
        file.write(line.encode("utf-8"))


def verdict_lines(store: Store, run: str) -> Iterator[str]:
    """The verdict of every counting episode as strict JSON, one a line, with what it rests on.

    A failed one has its diagnosis beside it: where it first went wrong, and in what.
    """
    reader = Diagnoses(store, store.plan(run))
    for stored in store.stored(run):
        found = reader.of(stored)
        yield (
            canonical(
                {
                    "run": run,
                    "scenario": stored.scenario,
                    "trial": stored.trial,
                    "grading": stored.grading,
                    "verdict": stored.verdict.to_json(),
                    "diagnosis": None if found is None else found.to_json(),
                }
            )
            + "\n"
        )


def _line(cells: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _cell(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return " ".join(_cell(item) for item in value)
    text = one_line(str(value))
    # A spreadsheet drops blanks before it looks for a formula, and blanks of every script become plain ones here.
    formula = isinstance(value, str) and value.lstrip().startswith(_FORMULA)
    return f"'{text}" if formula else text
