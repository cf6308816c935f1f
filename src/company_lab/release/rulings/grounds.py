"""Whether there is anything to decide on: evidence, verdicts that follow from traces, every cell, enough trials."""

from __future__ import annotations

from collections.abc import Iterator

from company_lab.evaluation.statistics import chance_over_attempts
from company_lab.formats.canonical import digest
from company_lab.release.decision import Ruling, counted, named
from company_lab.release.rulings.case import Case
from company_lab.runs.plan import RunPlan


def grounds(case: Case) -> Iterator[Ruling]:
    """Evidence, layer, verdicts, completeness, trials, the whole suite, the number of attempts."""
    yield _evidence(case)
    if case.policy.layer is not None or len(_layers(case)) > 1:
        yield _layer(case)
    yield _verdicts(case)
    yield from _complete(case)
    yield _trials(case)
    yield from _choice(case)
    if case.policy.attempts is not None:
        yield _attempts(case, case.policy.attempts)


def _evidence(case: Case) -> Ruling:
    found, wanted = case.own.evidence, case.policy.evidence
    asked = " or ".join(wanted)
    if not found:
        said, good = "no episode is stored, so there is evidence of nothing", False
    elif len(found) > 1:
        said, good = f"episodes of different kinds, which are never pooled: {', '.join(found)}", False
    else:
        said, good = f"episodes are evidence of: {found[0]}", found[0] in wanted
    return Ruling(
        key="evidence",
        outcome="pass" if good else "hold",
        said=said,
        needed="" if good else f"a run whose episodes are all evidence of {asked}",
    )


def _layers(case: Case) -> list[str]:
    return sorted({layer for figure in case.own.scenarios for layer in figure.layers})


def _layer(case: Case) -> Ruling:
    found, wanted = _layers(case), case.policy.layer
    good = len(found) == 1 and (wanted is None or found[0] in wanted)
    asked = "one layer alone" if wanted is None else f"the {' or '.join(wanted)} layer alone"
    return Ruling(
        key="layer",
        outcome="pass" if good else "hold",
        said=f"episodes of: {', '.join(found) or 'no layer'}",
        needed="" if good else f"a run of {asked}; layers are never pooled",
    )


def _verdicts(case: Case) -> Ruling:
    run = case.run
    count = len(run.summaries)
    if run.doubts:
        details = tuple(map(str, run.doubts[:8]))
        return Ruling(
            key="verdicts",
            outcome="hold",
            said=f"{counted(len(run.doubts), 'stored verdict')} without what they should follow from",
            needed="a run whose verdicts follow from its traces: play it again",
            details=details,
        )
    if run.stale:
        return Ruling(
            key="verdicts",
            outcome="hold",
            said=f"{run.stale} of {count} verdicts rest on another scenario, world or judging than now",
            needed=f"company-lab judge {run.plan.run} --apply judges the traces again",
        )
    doubtful = {one.run: one.doubtful for one in case.attempts.others if one.doubtful}
    if doubtful:
        episodes = counted(sum(doubtful.values()), "episode")
        return Ruling(
            key="verdicts",
            outcome="hold",
            said=f"other runs of this candidate have {episodes} whose traces can not be read or say otherwise: "
            f"what was done there may be the worst ({named(doubtful)})",
            needed="those runs as they were played, judged again with company-lab judge RUN --apply",
        )
    if run.continued:
        continuations = sum(run.continued.values())
        return Ruling(
            key="verdicts",
            outcome="hold",
            said=f"{continuations} episodes are continuations, which start from what another one left and never count",
            needed="fresh episodes in their place",
        )
    return Ruling(
        key="verdicts",
        outcome="pass" if count else "hold",
        said=f"all {count} were judged again from their traces and are the same"
        if count
        else "there are none",
        needed="" if count else "a run with stored episodes",
    )


def _complete(case: Case) -> Iterator[Ruling]:
    own, allowed = case.own, case.policy.complete
    found = {"lost": own.lost, "unscored": own.unscored, "invalid": own.invalid, "outages": own.outages}
    over = {name: count for name, count in found.items() if count > getattr(allowed, name)}
    counts = ", ".join(f"{count} {name}" for name, count in found.items())
    scored = f"{own.n} of {own.planned} planned episodes are scored: {counts}"
    if not own.n:
        yield Ruling(key="complete", outcome="hold", said=scored, needed="a run with scored episodes")
        return
    again = f"company-lab run --resume {case.run.plan.run} plays what is lost"
    if over and set(over) != {"lost"}:
        again = "a run without " + ", ".join(name for name in over)
        if over.get("unscored") or over.get("invalid"):
            again += "; company-lab report says why they have no score"
    yield Ruling(
        key="complete",
        outcome="hold" if over else "pass",
        said=scored,
        needed=again if over else "",
    )


def _trials(case: Case) -> Ruling:
    wanted = case.policy.trials
    few = [figure for figure in case.own.scenarios if figure.n < wanted]
    least = min((figure.n for figure in case.own.scenarios), default=0)
    return Ruling(
        key="trials",
        outcome="hold" if few or not case.own.scenarios else "pass",
        said=f"every scenario has at least {least} scored trials; asked for: {wanted}",
        needed=f"--trials {wanted} or more: too few are not the same as bad ones" if few else "",
        details=tuple(f"{figure.scenario}: {figure.n} of {figure.planned} scored" for figure in few[:8]),
    )


def _choice(case: Case) -> Iterator[Ruling]:
    plan = case.run.plan
    if plan.failed_of is not None:
        yield Ruling(
            key="whole_suite",
            outcome="hold",
            said=f"these are the failed cells of run {plan.failed_of} again: chosen by outcome, a measure of nothing",
            needed="a run of the whole suite",
        )
    elif case.policy.whole_suite:
        # Everything that is not held out is one split; a choice beyond that is one of what to show.
        words = (plan.note or "").removeprefix("only ").split(", ")
        part = (plan.note or "").startswith("only ") and "development" not in words
        yield Ruling(
            key="whole_suite",
            outcome="hold" if part else "pass",
            said=f"a part of the suite: {plan.note}" if part else _whole(plan),
            needed="a run without --only, or with --only development --only held_out" if part else "",
        )


def _whole(plan: RunPlan) -> str:
    if digest(dict(plan.scenarios)) == plan.suite_digest:
        return "every scenario of the suite was planned"
    return "no part was chosen; what a run leaves out unless it is asked for, held-out scenarios, was not asked for"


def _attempts(case: Case, allowed: int) -> Ruling:
    count = 1 + len(case.attempts.others)
    chance = chance_over_attempts(chance=0.05, attempts=count)
    runs = named(one.run for one in case.attempts.others)
    return Ruling(
        key="attempts",
        outcome="hold" if count > allowed else "pass",
        said=f"{counted(count, 'run')} of this candidate"
        + (
            f"; with an error of 5 % each, one of so many is wrong in up to {chance:.0%} of cases"
            if count > 1
            else ""
        ),
        needed="another candidate: this one was tried too often to decide on it" if count > allowed else "",
        details=(f"others: {runs}",) if runs else (),
    )
