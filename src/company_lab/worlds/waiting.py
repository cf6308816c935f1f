"""`clock.wait`, which every world offers."""

from __future__ import annotations

from typing import Annotated

from company_lab.formats.canonical import Json
from company_lab.formats.time import BadTime, parse_duration
from company_lab.worlds.annotations import About
from company_lab.worlds.context import Context, Failed
from company_lab.worlds.department import Department

LONGEST_WAIT_MS = 90 * 86_400_000

clock_department = Department("clock")


@clock_department.tool(latency_ms=0)
def wait(ctx: Context, duration: Annotated[str, About("How long, such as 30s, 10m, 2h or 3d.")]) -> Json:
    """Let time pass. What falls due meanwhile is delivered before your next action."""
    try:
        milliseconds = parse_duration(duration)
    except BadTime as error:
        raise Failed("bad_duration", str(error)) from None
    if milliseconds > LONGEST_WAIT_MS:
        raise Failed("bad_duration", "the longest wait is 90d")
    ctx.wait(milliseconds)
    return {"now": ctx.at}
