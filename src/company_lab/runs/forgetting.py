"""Deleting runs, and the scenarios, prompts and rules that no other run needs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.engine import Connection

from company_lab.formats.canonical import NotJson, parse_own
from company_lab.runs import schema


def forget(connection: Connection, runs: Collection[str]) -> None:
    """Delete runs with their episodes, traces, verdicts and timings, and texts nobody needs any more.

    What a damaged plan needs nobody knows: while a run with one stays, so does every text.
    """
    gone: set[str] = set()
    kept: set[str] = set()
    unknown = False
    for run, text in connection.execute(select(schema.runs.c.run, schema.runs.c.plan)).all():
        needed = _needed(text)
        if run in runs:
            gone.update(needed or ())
        elif needed is None:
            unknown = True
        else:
            kept.update(needed)
    for run in runs:
        connection.execute(delete(schema.runs).where(schema.runs.c.run == run))
    for digest in () if unknown else gone - kept:
        connection.execute(delete(schema.blobs).where(schema.blobs.c.digest == digest))


def _needed(text: str) -> set[str] | None:
    """The digests of everything a plan points to; None where it is damaged."""
    try:
        plan: Any = parse_own(text)
        redaction = () if plan["redaction"] is None else (plan["redaction"],)
        return {*plan["scenarios"].values(), *plan["prompts"].values(), *redaction}
    except (NotJson, KeyError, TypeError, AttributeError):
        return None
