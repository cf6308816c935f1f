"""Giving a stored episode another verdict, beside the ones it had."""

from __future__ import annotations

from sqlalchemy import and_, select
from sqlalchemy.engine import Connection

from company_lab.evaluation import Verdict
from company_lab.formats.canonical import canonical
from company_lab.formats.errors import CompanyLabError, WrongUse
from company_lab.runs import schema
from company_lab.runs.plan import Cell


class WaveringVerdict(CompanyLabError):
    """The same grounds gave two verdicts: judging is broken, and neither can be trusted."""


def regrade(connection: Connection, run: str, cell: Cell, grading: str, verdict: Verdict) -> None:
    """Store a verdict under its grading digest and let it be the one that counts.

    Raises `WaveringVerdict` where another verdict is stored under that digest already.
    """
    episodes, verdicts = schema.episodes, schema.verdicts
    counting = select(episodes.c.episode, episodes.c.error).where(
        episodes.c.run == run,
        episodes.c.scenario == cell.scenario,
        episodes.c.trial == cell.trial,
        episodes.c.superseded == 0,
        episodes.c.life == 1,
    )
    found = connection.execute(counting).first()
    if found is None:
        raise WrongUse(f"run {run} has no episode of {cell.scenario} trial {cell.trial} to judge")
    same = and_(verdicts.c.episode == found.episode, verdicts.c.grading == grading)
    document = canonical(verdict.to_json())
    known = connection.execute(select(verdicts.c.document).where(same)).scalar_one_or_none()
    if known is None:
        connection.execute(
            verdicts.insert().values(
                episode=found.episode, grading=grading, outcome=verdict.outcome, document=document
            )
        )
    elif known != document:
        raise WaveringVerdict(
            f"{cell.scenario} trial {cell.trial} of run {run} was judged twice on the same grounds, with "
            "different verdicts; the first one stays"
        )
    connection.execute(
        episodes.update()
        .where(episodes.c.episode == found.episode)
        .values(
            grading=grading,
            outcome=verdict.outcome,
            recovered=int(bool(found.error) and verdict.outcome == "passed"),
        )
    )
