"""A plan and episodes of it, made up, for tests of stores."""

from __future__ import annotations

from company_lab.evaluation import Failure, Note, Verdict
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.plan import AgentIdentity, RunPlan, every_cell
from company_lab.traces import Trace

AT = "2026-03-05T08:00:00+01:00"
PASSED = Verdict(outcome="passed")
FAILED = Verdict(
    outcome="failed",
    failures=(
        Failure(
            code="false_commitment",
            severity="critical",
            failure_class="false_commitment",
            check="expected.told.never_claims[0]",
            message="the reply says that the invoice is settled",
            evidence=(3,),
            found="settled",
            expected=None,
        ),
    ),
)
UNSCORED = Verdict(outcome="unscored", unscored=(Note(check="episode", message="an outage ended it"),))


def plan(run: str = "r1", *, trials: int = 2) -> RunPlan:
    return RunPlan(
        run=run,
        created="2026-03-05T08:00:00+00:00",
        suite="scenarios",
        suite_digest="d",
        agent=AgentIdentity(name="a", kind="scripted"),
        trials=trials,
        seed=7,
        cells=every_cell(["s1", "s2"], trials),
        scenarios={"s1": "d1", "s2": "d2"},
        attempts=3,
    )


def trace(scenario: str, trial: int, stop: str = "finished", life: int = 1) -> Trace:
    made = Trace()
    made.add(
        "started",
        AT,
        format=1,
        scenario=scenario,
        trial=trial,
        episode="fresh" if life == 1 else "continuation",
        layer="runtime",
        evidence="deterministic simulation",
    )
    made.add("turn", AT, turn=1, because="stimulus", sender=None, message="Book it.")
    made.add("reply", AT, turn=1, to=None, text="Done \u2028 \x1b[2K", facts={})
    made.add("stopped", AT, reason=stop, detail="")
    made.add("settled", AT, cost_usd="0.0100", simulated_ms=5000, calls=0, turns=1)
    return made


def episode(
    scenario: str,
    trial: int,
    *,
    verdict: Verdict = PASSED,
    stop: str = "finished",
    attempt: int = 1,
    life: int = 1,
) -> StoredEpisode:
    return StoredEpisode(
        scenario=scenario,
        trial=trial,
        trace=trace(scenario, trial, stop, life),
        verdict=verdict,
        grading="g1",
        timings={"wall_ms": 1.5, "cpu_ms": 1.25},
        attempt=attempt,
        life=life,
    )
