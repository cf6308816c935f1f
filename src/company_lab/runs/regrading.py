"""Giving a stored episode another verdict, beside the ones it had."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.engine import Connection

from company_lab.evaluation import Verdict
from company_lab.evaluation.summaries import counts_as
from company_lab.formats.errors import CompanyLabError, WrongUse
from company_lab.runs import schema
from company_lab.runs.plan import Cell
from company_lab.runs.verdict_texts import verdict_text


class WaveringVerdict(CompanyLabError):
    """The same grounds gave two verdicts: judging is broken, and neither can be trusted."""


def regrade(connection: Connection, run: str, cell: Cell, grading: str, verdict: Verdict) -> None:
    """Store a verdict under its grading digest and let it be the one that counts; the one before is kept.

    Raises `WaveringVerdict` where another verdict is stored under that digest already.
    """
    episodes, verdicts = schema.episodes, schema.verdicts
    columns = episodes.c
    counting = select(
        columns.episode, columns.error, columns.evidence, columns.grading, columns.outcome, columns.verdict
    ).where(
        episodes.c.run == run,
        episodes.c.scenario == cell.scenario,
        episodes.c.trial == cell.trial,
        episodes.c.superseded == 0,
        episodes.c.life == 1,
    )
    found = connection.execute(counting).first()
    if found is None:
        raise WrongUse(f"run {run} has no episode of {cell.scenario} trial {cell.trial} to judge")
    document = verdict_text(verdict)
    counted = counts_as(verdict.outcome, {"evidence": found.evidence})
    rows = select(verdicts.c.grading, verdicts.c.document).where(verdicts.c.episode == found.episode)
    known = {row.grading: row.document for row in connection.execute(rows)}
    for its_grading, outcome, text in (
        (found.grading, found.outcome, found.verdict),
        (grading, counted, document),
    ):
        if its_grading not in known:
            known[its_grading] = text
            connection.execute(
                verdicts.insert().values(
                    episode=found.episode, grading=its_grading, outcome=outcome, document=text
                )
            )
    if known[grading] != document:
        raise WaveringVerdict(
            f"{cell.scenario} trial {cell.trial} of run {run} was judged twice on the same grounds, with "
            "different verdicts; the first one stays"
        )
    connection.execute(
        episodes.update()
        .where(episodes.c.episode == found.episode)
        .values(
            grading=grading,
            outcome=counted,
            verdict=document,
            recovered=int(bool(found.error) and counted == "passed"),
        )
    )
