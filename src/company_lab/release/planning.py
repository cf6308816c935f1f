"""Planning: how many trials and scenarios a claim needs, what a gate would let through, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from math import ceil

from company_lab.evaluation.statistics import (
    chance_over_attempts,
    operating_curve,
    runs_needed,
    runs_needed_for_quantile,
    scenarios_needed,
    variance_split,
)
from company_lab.evaluation.statistics.figure import percent
from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse
from company_lab.release.enough import least_episodes, least_trials
from company_lab.release.policy import CLASSES, QUANTILES, Policy
from company_lab.runs.store import Store

RATES = (0.0001, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
"""True failure rates at which the operating curve is given."""
ATTEMPTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What one claim takes."""

    claim: str
    episodes: int | None
    """In all; None where the claim is about each scenario."""
    trials: int
    """Of each of the planned scenarios."""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What an earlier run took and how it varied."""

    run: str
    episodes: int
    cost_usd: Decimal | None
    """Of one episode on average; None where one is unknown."""
    wall_s: float | None
    """Of one episode on average."""
    between: float | None
    """Variance of the success rate over scenarios; None where it can not be told from one trial each."""
    within: float | None
    """Variance of one trial within a scenario."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasePlan:
    """How much to run, and what that would show."""

    scenarios: int
    trials: int
    """The most any claim needs, or what was given."""
    needs: tuple[Need, ...]
    allowed: int
    curve: tuple[tuple[float, float], ...]
    """(true failure rate, chance to pass) of a gate with so many episodes."""
    compared: tuple[str, ...]
    """What a comparison with a baseline takes, in words."""
    past: Past | None
    notes: tuple[str, ...]

    @property
    def episodes(self) -> int:
        """Scenarios times trials."""
        return self.scenarios * self.trials

    @property
    def cost_usd(self) -> Decimal | None:
        """What they will cost, if they cost what they did; None where that is unknown."""
        return None if self.past is None or self.past.cost_usd is None else self.past.cost_usd * self.episodes

    @property
    def wall_s(self) -> float | None:
        """What they will take, one after another."""
        return None if self.past is None or self.past.wall_s is None else self.past.wall_s * self.episodes

    def to_json(self) -> dict[str, Json]:
        """As a JSON object."""
        return {
            "format": 1,
            "scenarios": self.scenarios,
            "trials": self.trials,
            "episodes": self.episodes,
            "needs": [
                {"claim": one.claim, "episodes": one.episodes, "trials": one.trials, "note": one.note}
                for one in self.needs
            ],
            "allowed": self.allowed,
            "curve": [[rate, chance] for rate, chance in self.curve],
            "compared": list(self.compared),
            "cost_usd": None if self.cost_usd is None else str(self.cost_usd),
            "wall_s": self.wall_s,
            "notes": list(self.notes),
        }


def plan_release(
    *,
    scenarios: int,
    trials: int | None = None,
    policy: Policy | None = None,
    below: float | None = None,
    allowed: int = 0,
    confidence: float = 0.95,
    difference: float | None = None,
    power: float = 0.8,
    past: Past | None = None,
) -> ReleasePlan:
    """How many trials of `scenarios` scenarios the claims of a policy take, or the claim `below` alone.

    `trials` fixes their number instead and shows what it would let through. `difference` is what a comparison is
    to find, with chance `power`; its variances come from `past`, else from the worst case. Raises `WrongUse` for a
    plan of nothing, `BadCounts` for claims that no number of runs shows.
    """
    if scenarios < 1:
        raise WrongUse("a plan needs at least one scenario")
    needs = list(_needs(policy, scenarios)) if policy is not None else []
    if below is not None:
        needs.append(
            _rate(f"critical failures below {percent(below)}", below, allowed, confidence, scenarios)
        )
    chosen = trials if trials is not None else max((need.trials for need in needs), default=0)
    if not chosen:
        raise WrongUse(
            "nothing was claimed: give --policy, --below RATE, or --trials to see what they would show"
        )
    least = allowed if policy is None else policy.critical.allowed
    margin = policy.baseline.margin if difference is None and policy and policy.baseline else difference
    short = [need for need in needs if need.trials > chosen]
    once = round(1 - confidence, 10)
    thrice = chance_over_attempts(chance=once, attempts=ATTEMPTS)
    return ReleasePlan(
        scenarios=scenarios,
        trials=chosen,
        needs=tuple(needs),
        allowed=least,
        curve=operating_curve(runs=scenarios * chosen, allowed=least, rates=RATES),
        compared=tuple(_compared(margin, chosen, power, past)) if margin else (),
        past=past,
        notes=(
            *(f"{chosen} trials are too few for: {need.claim}" for need in short),
            f"a failed gate tried {ATTEMPTS} times passes by luck up to {percent(thrice)} of the time instead of "
            f"{percent(once)}: earlier runs of a candidate stay in the count",
            "more scenarios show more than more trials of the same ones, down to the trials that pass^k needs",
        ),
    )


def _needs(policy: Policy, scenarios: int) -> Iterator[Need]:
    yield Need(
        claim=f"at least {policy.trials} trials of every scenario", episodes=None, trials=policy.trials
    )
    for name in CLASSES:
        rule = policy.critical.of(name)
        if rule.below is not None:
            claim = (
                f"{name} below {percent(rule.below)} at {rule.confidence * 100:g} %, {rule.allowed} allowed"
            )
            yield _rate(claim, rule.below, rule.allowed, rule.confidence, scenarios)
    floor = policy.pass_k
    if floor is not None and floor.each is not None and floor.measure == "lower_bound":
        trials = least_trials(k=floor.k, floor=floor.each, confidence=floor.confidence)
        yield Need(
            claim=f"pass^{floor.k} of every scenario at least {floor.each:g}, by its lower bound",
            episodes=None,
            trials=trials,
            note="if every trial passes; more where some fail",
        )
    if floor is not None and floor.across is not None and floor.measure == "lower_bound" and floor.across < 1:
        episodes = least_episodes(k=floor.k, floor=floor.across, confidence=floor.confidence)
        yield Need(
            claim=f"mean pass^{floor.k} at least {floor.across:g}, by its lower bound",
            episodes=episodes,
            trials=max(floor.k, ceil(episodes / scenarios)),
            note="if every episode passes; otherwise it takes more scenarios",
        )
    if policy.latency is not None:
        for key, q in QUANTILES:
            if getattr(policy.latency, key) is not None:
                episodes = runs_needed_for_quantile(q=q, confidence=policy.latency.confidence, sides=2)
                yield Need(
                    claim=f"an upper bound of the {key} latency",
                    episodes=episodes,
                    trials=ceil(episodes / scenarios),
                )


def _rate(claim: str, below: float, allowed: int, confidence: float, scenarios: int) -> Need:
    episodes = runs_needed(rate=below, confidence=confidence, allowed=allowed)
    return Need(
        claim=claim,
        episodes=episodes,
        trials=ceil(episodes / scenarios),
        note="on average over these scenarios, and only if no more than allowed fail",
    )


def _compared(difference: float, trials: int, power: float, past: Past | None) -> Iterator[str]:
    known = past is not None and past.within is not None
    # Without an earlier run: half the trials pass, and true differences vary over scenarios as a third.
    within = past.within if past is not None and past.within is not None else 0.25
    between = 2 * past.between if past is not None and past.between is not None else 1 / 9
    found = scenarios_needed(
        between_variance=between,
        within_variance_a=within,
        within_variance_b=within,
        trials_a=trials,
        trials_b=trials,
        difference=difference,
        power=power,
    )
    grounds = f"by what run {past.run} varied" if known and past is not None else "by a cautious guess"
    yield (
        f"a difference of {difference:g} is found with chance {power:g} in {found.scenarios:,} scenarios of {trials} "
        f"trials in both runs, {grounds}"
    )
    yield f"endless trials would still take {found.least:,} scenarios"


def past_run(store: Store, run: str) -> Past:
    """What a stored run took, by its whole id, and how its outcomes varied."""
    outcomes: dict[str, list[float]] = {}
    for summary in store.episodes(run):
        if summary.outcome in ("passed", "failed"):
            outcomes.setdefault(summary.scenario, []).append(float(summary.outcome == "passed"))
    episodes, cost, wall = 0, Decimal(0), 0.0
    priced = timed = True
    for _, count, one_cost, all_wall in store.taken(run):
        episodes += count
        known = Decimal(one_cost) if one_cost is not None else None
        if known is None or not known.is_finite():
            priced = False
        else:
            cost += known * count
        timed = timed and all_wall is not None
        wall += all_wall or 0.0
    repeated = len(outcomes) > 1 and all(len(trials) > 1 for trials in outcomes.values())
    split = variance_split(outcomes) if repeated else None
    return Past(
        run=run,
        episodes=episodes,
        cost_usd=cost / episodes if priced and episodes else None,
        wall_s=wall / 1000 / episodes if timed and episodes else None,
        between=None if split is None else split.between,
        within=None if split is None else split.within,
    )
