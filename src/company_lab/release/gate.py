"""The gate: one stored run, one policy, one decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from company_lab.evaluation.statistics import failure_bound, operating_curve
from company_lab.evaluation.statistics.figure import percent
from company_lab.formats.errors import CompanyLabError, WrongUse
from company_lab.release.attempts import Attempts, attempts_of
from company_lab.release.candidate import candidate_digest
from company_lab.release.comparison import Comparison, compared
from company_lab.release.decision import Decision, counted, worst
from company_lab.release.played import PlayedRun, read_played
from company_lab.release.policy import CLASSES, Policy
from company_lab.release.rulings.against import against
from company_lab.release.rulings.case import Case
from company_lab.release.rulings.critical import bound_of, critical
from company_lab.release.rulings.grounds import grounds
from company_lab.release.rulings.reliability import reliability
from company_lab.release.rulings.spending import spending
from company_lab.release.rulings.suite import suite
from company_lab.release.use_log import log_use, uses_of
from company_lab.runs.audits import audit_of
from company_lab.runs.store import Store
from company_lab.worlds.registry import resolve_world
from company_lab.worlds.world import World

RULINGS = (grounds, critical, reliability, suite, spending, against)
"""In the order of the page. A further question is one module and one name here."""

MOST_CRITICAL = 1_000
"""Critical failures are listed up to here and counted beyond."""
CURVE = (0.0001, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1)
"""True rates at which the operating curve is given."""


def gate(
    store: Store,
    run: str,
    policy: Policy,
    *,
    baseline: str | None = None,
    worlds: Callable[[str], World] = resolve_world,
) -> Decision:
    """Decide on a stored run, by its whole id; `baseline` is the run of what it would replace.

    Everything comes from the store: every trace is read, its verdict is given again, and every other run of the same
    candidate counts with it. Nothing can be handed in. A use of held-out scenarios is written into the store's
    log. Raises `WrongUse` for a baseline the policy has no margin for, and for runs the store does not hold.
    """
    if baseline is not None and policy.baseline is None:
        raise WrongUse(
            "the policy has no baseline: a margin is fixed before the runs; add baseline: {margin: ...} to it"
        )
    if baseline is not None:
        store.plan(baseline)
    played = read_played(store, run, worlds=worlds)
    case = _case(store, played, policy, _comparison(store, played, policy, baseline, worlds), worlds)
    rulings = tuple(ruling for rule in RULINGS for ruling in rule(case))
    outcome = worst(ruling.outcome for ruling in rulings)
    failures = case.attempts.critical(played)
    listed = tuple(islice(failures, MOST_CRITICAL))
    decision = Decision(
        outcome=outcome,
        run=run,
        baseline=baseline,
        agent=played.plan.agent.name,
        use=policy.use,
        policy=policy.digest,
        evidence=case.own.evidence,
        n=case.own.n,
        planned=case.own.planned,
        rulings=rulings,
        critical=listed,
        critical_total=len(listed) + sum(1 for _ in failures),
        attempts=tuple(_attempts(case.attempts)),
        bounds=tuple(bound_of(case, name) for name in CLASSES) if case.pooled.n else (),
        curve=_curve(case),
        not_established=tuple(_not_established(case)),
        comparison=case.comparison if isinstance(case.comparison, Comparison) else None,
    )
    log_use(store, played.plan, played.held_out, what="gate", outcome=outcome)
    return decision


def _case(
    store: Store,
    run: PlayedRun,
    policy: Policy,
    comparison: Comparison | str | None,
    worlds: Callable[[str], World],
) -> Case:
    ks = tuple(sorted({1, *(floor.k for floor in (policy.pass_k, policy.pass_at_k) if floor is not None)}))
    attempts = attempts_of(store, run, worlds=worlds)
    return Case(
        policy=policy,
        run=run,
        own=run.figures(ks),
        pooled=attempts.pooled(run, ks),
        attempts=attempts,
        audit=audit_of(store, run.plan.suite_digest),
        uses=uses_of(store, run.plan, run.held_out),
        candidate=candidate_digest(run.plan),
        comparison=comparison,
    )


def _comparison(
    store: Store, run: PlayedRun, policy: Policy, baseline: str | None, worlds: Callable[[str], World]
) -> Comparison | str | None:
    rule = policy.baseline
    if rule is None or baseline is None:
        return None
    if candidate_digest(store.plan(baseline)) == candidate_digest(run.plan):
        return f"run {baseline} is of this very candidate, which is never worse than itself"
    before = read_played(store, baseline, worlds=worlds)
    if before.doubts or before.stale:
        return (
            f"the baseline has {counted(len(before.doubts) + before.stale, 'verdict')} that its traces do not give "
            f"now; company-lab judge {baseline} --apply judges it again"
        )
    try:
        return compared(run, before, margin=rule.margin, k=rule.k, confidence=rule.confidence)
    except CompanyLabError as error:  # no pair: that is missing evidence, not an error of the gate
        return str(error)


def _attempts(attempts: Attempts) -> Iterator[str]:
    yield from (str(one) for one in attempts.others)
    if attempts.namesakes:
        same = counted(attempts.namesakes, "run")
        yield f"{same} under the same name with other settings, prompts or code: not counted"
    if attempts.renamed:
        same = counted(attempts.renamed, "run")
        yield f"{same} of the same code under another name: not counted; if it is the same agent, so are its failures"


def _curve(case: Case) -> tuple[tuple[float, float], ...]:
    if not case.pooled.planned:
        return ()
    return operating_curve(runs=case.pooled.planned, allowed=case.policy.critical.allowed, rates=CURVE)


def _not_established(case: Case) -> Iterator[str]:
    figures = case.pooled
    yield "that the risk is 0: a bound says what it is below, on average over these scenarios"
    least = min((figure.n for figure in figures.scenarios), default=0)
    if least and len(figures.scenarios) > 1:
        yield (
            f"the rate of any one scenario: {least} trials without a failure only say that it is below "
            f"{percent(failure_bound(failures=0, runs=least))}"
        )
    yield "anything about states, faults or tools that no episode reached, or that no check sees"
    yield "anything about another prompt, model, version, tool or world"
    yield "how often it will fail in production: no interval covers the distance between this suite and traffic"
    if case.run.plan.caveat is not None:
        yield f"how it does where the suite is at home: here {case.run.plan.caveat}"
    same = figures.unrepeated
    if same:
        yield (
            f"repeated reliability of {len(same)} of {counted(len(figures.scenarios), 'scenario')}: one trial, "
            "or all trials went the same way, which also makes the bounds too friendly"
        )
    if "real model" not in figures.evidence and "live" not in figures.evidence:
        yield "anything about a real model: none took part"
    if case.policy.use == "supervised_draft":
        yield "that it may run unattended: this was asked for drafts that somebody checks"
    yield "that no other runs of this candidate came out worse: runs in other stores, or deleted ones, are not seen"
