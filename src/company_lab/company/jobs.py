"""Jobs: work that is done once a day at a time of the clock on the wall, whatever that clock does twice a year.

A job falls due when its time of day has come where it is kept, and it runs once for each day of that place. In the
night in which the clock goes back its time may come twice, and it still runs once; in the night in which the clock
goes forward its time may be left out, and it runs when the clock has passed it. Nothing runs a job by itself: somebody
looks what is due and runs it, so that nothing falls due after an agent has stopped.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, tzinfo
from typing import Annotated, NotRequired, TypedDict
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from company_lab.company.paging import PageNumber, PageSize, page_of
from company_lab.worlds import (
    TARGET,
    Context,
    Decision,
    Department,
    Json,
    Like,
    Moment,
    Prose,
    Ref,
    Request,
    Table,
    Tool,
    deny,
)

SUBJECT = "J-1"
"""The job that facts and requests of the short form are about."""
TimeOfDay = Annotated[str, Like(r"([01][0-9]|2[0-3]):[0-5][0-9]")]
Day = Annotated[str, Like(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")]


class Job(TypedDict):
    """Work for every day, at a time of day of a zone such as Europe/Berlin."""

    name: str
    at: TimeOfDay
    zone: str
    note: NotRequired[Prose]


class JobRun(TypedDict):
    """That a job was run for a day of its place, and when."""

    job: Annotated[str, Ref("jobs")]
    day: Day
    started: Moment


jobs = Department(
    "jobs",
    tables={
        "jobs": Table(record=Job, singular="job"),
        "job_runs": Table(record=JobRun, singular="run"),
    },
    reasons=("already_run", "not_due"),
    requests=(
        Request(
            name="run_daily_job",
            tool="jobs.run",
            args={"job": SUBJECT},
            task=f"Please run the daily job {SUBJECT}.",
        ),
    ),
)


def day_of(ctx: Context, job: Mapping[str, Json]) -> date:
    """The day it is where a job is kept."""
    return ctx.now.astimezone(_zone(ctx, job)).date()


def is_due(ctx: Context, job: Mapping[str, Json]) -> bool:
    """Whether the time of the job has come on the day it is where it is kept."""
    zone = _zone(ctx, job)
    day = day_of(ctx, job)
    at = time.fromisoformat(str(job["at"]))
    # A time that the clock leaves out has no moment of its own; it has come when the clock on the wall is past it.
    return ctx.now >= datetime.combine(day, at, tzinfo=zone) or ctx.now.astimezone(zone).time() >= at


def has_run(ctx: Context, id: str) -> bool:
    """Whether a job was run for the day it is where it is kept."""
    return bool(ctx.find("job_runs", job=id, day=day_of(ctx, ctx.read("jobs", id)).isoformat()))


def _zone(ctx: Context, job: Mapping[str, Json]) -> tzinfo | None:
    try:
        return ZoneInfo(str(job["zone"]))
    except (ZoneInfoNotFoundError, ValueError, OSError):  # a zone is free text
        return ctx.now.tzinfo


@jobs.tool()
def due(ctx: Context) -> Json:
    """List the jobs whose time has come today and that have not been run for today."""
    waiting: list[Json] = []
    for id in ctx.ids("jobs"):
        job = ctx.read("jobs", id)
        if is_due(ctx, job) and not has_run(ctx, id):
            waiting.append({**ctx.show("jobs", id), "day": day_of(ctx, job).isoformat()})
    return {"items": waiting, "at": ctx.at}


@jobs.tool()
def list_runs(
    ctx: Context, job: Annotated[str, Ref("jobs"), TARGET], limit: PageSize = 20, page: PageNumber = 1
) -> Json:
    """List the days for which a job was run."""
    ctx.read("jobs", job)
    return page_of(ctx, "job_runs", ctx.find("job_runs", job=job), page=page, limit=limit)


@jobs.tool(permission="jobs.run", writes=True)
def run(ctx: Context, job: Annotated[str, Ref("jobs"), TARGET]) -> Json:
    """Begin the run of a job for today, and write down that it was begun."""
    record = ctx.read("jobs", job)
    id = ctx.create("job_runs", job=job, day=day_of(ctx, record).isoformat(), started=ctx.at)
    return ctx.show("job_runs", id)


@jobs.rule("A daily job is run once for each day of the place where it is kept.", tools=["jobs.run"])
def daily_job_runs_once(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    id = str(args["job"])
    return deny("already_run") if ctx.get("jobs", id) is not None and has_run(ctx, id) else None


@jobs.rule("A daily job is run when its time of day has come, and not before.", tools=["jobs.run"])
def daily_job_waits_for_its_time(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    job = ctx.get("jobs", str(args["job"]))
    return None if job is None or is_due(ctx, job) else deny("not_due")


@jobs.fact(int)
def job_runs_made(ctx: Context) -> Json:
    """How often the job J-1 was run."""
    return len(ctx.find("job_runs", job=SUBJECT))


@jobs.sets("job_at", TimeOfDay)
def set_job_at(ctx: Context, value: str) -> None:
    """The daily job J-1 is due at this time of day in Berlin."""
    ctx.create("jobs", with_id=SUBJECT, name="Reminders", at=value, zone="Europe/Berlin")


@jobs.sets("job_ran_on", Day)
def set_job_ran_on(ctx: Context, value: str) -> None:
    """The job J-1 was run for this day."""
    ctx.create("job_runs", job=SUBJECT, day=value, started=ctx.at)
