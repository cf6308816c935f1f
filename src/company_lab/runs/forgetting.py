"""Deleting runs, and the scenarios, prompts and rules that no other run needs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.engine import Connection

from company_lab.formats.canonical import parse_own
from company_lab.runs import schema


def forget(connection: Connection, runs: Collection[str]) -> None:
    """Delete runs with their episodes, traces, verdicts and timings, and texts nobody needs any more."""
    gone: set[str] = set()
    kept: set[str] = set()
    for run, text in connection.execute(select(schema.runs.c.run, schema.runs.c.plan)).all():
        (gone if run in runs else kept).update(_needed(text))
    for run in runs:
        connection.execute(delete(schema.runs).where(schema.runs.c.run == run))
    for digest in gone - kept:
        connection.execute(delete(schema.blobs).where(schema.blobs.c.digest == digest))


def _needed(text: str) -> set[str]:
    """The digests of everything a plan points to."""
    plan: Any = parse_own(text)
    redaction = () if plan["redaction"] is None else (plan["redaction"],)
    return {*plan["scenarios"].values(), *plan["prompts"].values(), *redaction}
