"""Stored runs and their pages, for tests of the HTML report."""

from __future__ import annotations

import base64
import gzip
import io
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from company_lab.evaluation import Failure, Verdict
from company_lab.reports.html import write_html
from company_lab.runs import RunPlan, Store, StoredEpisode
from company_lab.runs.plan import AgentIdentity, every_cell
from company_lab.traces import Trace
from recorded_episode import failed_verdict, passed_verdict, wrong_posting

BIDI, ESCAPE, SURROGATE = "\u202e", "\x1b]0;owned\x07", "\ud800"
FORMULA = '=HYPERLINK("https://evil.example.test","x")'
MARKUP = (
    "</script><script>window.owned = 1</script><img src=x onerror='window.owned = 2'>"
    "<svg onload='window.owned = 3'></svg></textarea></style><!--"
)
NAME = f"{MARKUP} {BIDI} {ESCAPE} {FORMULA}"
"""For what a store keeps in columns of its own, which hold no lone surrogates."""
HOSTILE = f"{MARKUP} {BIDI} {ESCAPE} {SURROGATE} {FORMULA}"


def plan_of(scenarios: Iterable[str], trials: int, **changes: Any) -> RunPlan:
    """A plan of these scenarios."""
    names = list(scenarios)
    plan = RunPlan(
        run="20260305-080000-000-abcdefgh",
        created="2026-03-05T08:00:00+00:00",
        suite="scenarios",
        suite_digest="d",
        agent=AgentIdentity(name="agents:sloppy", kind="scripted"),
        trials=trials,
        seed=7,
        cells=every_cell(names, trials),
        scenarios={name: f"digest of {name}" for name in names},
        evidence=("deterministic simulation",),
    )
    return replace(plan, **changes)


def episode(scenario: str, trial: int, *, failed: bool, said: str = "", reply: str = "") -> StoredEpisode:
    """One stored episode; `said` is what the agent says and does in it, and what its failures say about it."""
    trace = Trace([dict(record) for record in wrong_posting().records])
    trace.records[0].update(scenario=scenario, trial=trial)
    for record in trace.records:
        if record["kind"] == "reply" and (said or reply):
            record["text"] = said or reply
        if record["kind"] == "action" and said:
            record["args"] = {"note": said, said: "1"}
    verdict = failed_verdict() if failed else passed_verdict()
    if said and failed:
        verdict = Verdict(outcome="failed", failures=tuple(_said(one, said) for one in verdict.failures))
    return StoredEpisode(
        scenario=scenario,
        trial=trial,
        trace=trace,
        verdict=verdict,
        grading="g",
        timings={"wall_ms": 12.5 * trial, "cpu_ms": 1.0},
    )


def with_fault(stored: StoredEpisode, what: str, *, stop: str = "finished", **header: Any) -> StoredEpisode:
    """The same episode, in which a fault occurred at a call that was answered all the same."""
    first, *rest = stored.trace.records
    trace = Trace([{**first, **header}, *rest[:-2]])
    trace.add("fault", first["at"], what=what, call="c1")
    for record in rest[-2:]:
        reason = {"reason": stop} if record["kind"] == "stopped" else {}
        trace.records.append({**record, **reason, "seq": len(trace)})
    return replace(stored, trace=trace)


def _said(failure: Failure, said: str) -> Failure:
    return replace(failure, message=said, check=said, found=said, expected={said: said})


def fill(store: Store, plan: RunPlan, episodes: Iterable[StoredEpisode]) -> str:
    """Store a run."""
    store.begin(plan)
    for one in episodes:
        store.add(plan.run, one)
    store.finish(plan.run, "finished")
    return plan.run


def page_of(store: Store, run: str, **options: Any) -> str:
    """The page of a run."""
    file = io.BytesIO()
    write_html(store, run, file, **options)
    return file.getvalue().decode("utf-8")


def timelines(page: str) -> dict[str, str]:
    """The HTML of every packed episode, by its element."""
    packed = re.findall(r'<script type="application/gzip" data-of="(\w+)">([A-Za-z0-9+/=]+)</script>', page)
    return {anchor: gzip.decompress(base64.b64decode(data)).decode("utf-8") for anchor, data in packed}
