"""How often intervals hold the truth, by simulation with fixed seeds: as often as they say, where that is claimed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from math import sqrt

import pytest

from company_lab.evaluation.statistics import (
    bca_interval,
    fisher_exact,
    mcnemar,
    paired_difference,
    pass_k,
    risk_coverage,
    t_interval,
    wilson,
)

pytestmark = pytest.mark.simulation

TRIALS = 8


def smooth(source: random.Random) -> float:
    return source.betavariate(8, 2)


def bimodal(source: random.Random) -> float:
    return 0.99 if source.random() < 0.7 else 0.5


def truth_of(population: Callable[[random.Random], float], k: int) -> float:
    if population is bimodal:
        return float(0.7 * 0.99**k + 0.3 * 0.5**k)
    value = 1.0
    for i in range(k):
        value *= (8 + i) / (10 + i)
    return value


def scenario_counts(
    population: Callable[[random.Random], float], scenarios: int, source: random.Random
) -> list[int]:
    rates = [population(source) for _ in range(scenarios)]
    return [sum(source.random() < rate for _ in range(TRIALS)) for rate in rates]


def coverage(
    interval: Callable[[Sequence[int]], tuple[float, float]],
    population: Callable[[random.Random], float],
    *,
    scenarios: int,
    k: int,
    times: int,
) -> float:
    source, truth = random.Random(5), truth_of(population, k)
    held = 0
    for _ in range(times):
        counts = scenario_counts(population, scenarios, source)
        low, high = interval(counts)
        held += low <= truth <= high
    return held / times


def values(counts: Sequence[int], k: int) -> list[list[float]]:
    return [[pass_k(successes=c, trials=TRIALS, k=k)] for c in counts]


@pytest.mark.parametrize("population", [smooth, bimodal])
@pytest.mark.parametrize("scenarios", [10, 20, 50])
def test_t_holds_new_scenarios_as_often_as_it_says(
    population: Callable[[random.Random], float], scenarios: int
) -> None:
    found = coverage(
        lambda counts: t_interval(values(counts, 4)), population, scenarios=scenarios, k=4, times=1500
    )
    assert 0.93 <= found <= 0.975


@pytest.mark.parametrize("population", [smooth, bimodal])
def test_bca_holds_new_scenarios_as_often_as_it_says(population: Callable[[random.Random], float]) -> None:
    found = coverage(
        lambda counts: bca_interval(values(counts, 4), times=999), population, scenarios=20, k=4, times=400
    )
    assert 0.93 <= found <= 0.98


@pytest.mark.parametrize(("population", "least", "most"), [(smooth, 0.75, 0.88), (bimodal, 0.3, 0.4)])
def test_a_pooled_interval_to_the_power_k_does_not(
    population: Callable[[random.Random], float], least: float, most: float
) -> None:
    def pooled(counts: Sequence[int]) -> tuple[float, float]:
        low, high = wilson(successes=sum(counts), trials=TRIALS * len(counts))
        return low**4, high**4

    assert least < coverage(pooled, population, scenarios=20, k=4, times=400) < most


@pytest.mark.parametrize(("population", "wrongly"), [(smooth, 0.09), (bimodal, 0.27)])
def test_two_equal_agents_are_told_apart_no_oftener_than_they_should_be(
    population: Callable[[random.Random], float], wrongly: float
) -> None:
    source, times = random.Random(3), 800
    paired = flipped = trial_by_trial = pooled = 0
    for _ in range(times):
        scenarios = range(20)
        # equal on average, different scenario by scenario
        rates = [(population(source), population(source)) for _ in scenarios]
        runs = [[[source.random() < rate for _ in range(TRIALS)] for rate in pair] for pair in rates]
        a = {f"s{i}": sum(runs[i][0]) / TRIALS for i in scenarios}
        b = {f"s{i}": sum(runs[i][1]) / TRIALS for i in scenarios}
        found = paired_difference(a, b)
        paired += found.t_p is not None and found.t_p <= 0.05
        flipped += found.sign_flip.p <= 0.05
        pairs = [pair for first, second in runs for pair in zip(first, second, strict=True)]
        trial_by_trial += (
            mcnemar(only_a=pairs.count((True, False)), only_b=pairs.count((False, True))).p <= 0.05
        )
        passed_a, passed_b = (sum(sum(pair[side]) for pair in runs) for side in (0, 1))
        n = TRIALS * len(scenarios)
        pooled += fisher_exact(successes_a=passed_a, trials_a=n, successes_b=passed_b, trials_b=n) <= 0.05
    most = 0.05 + 3 * sqrt(0.05 * 0.95 / times)
    assert paired / times <= most
    assert flipped / times <= most
    # both are wrong, and by how much depends on how far scenarios differ
    assert most < trial_by_trial / times == pytest.approx(wrongly, abs=0.02)
    assert most < pooled / times == pytest.approx(wrongly, abs=0.02)


def test_certified_coverage_breaks_its_promise_no_oftener_than_it_says() -> None:
    source, times, broken = random.Random(11), 300, 0
    for _ in range(times):
        # the error falls evenly with confidence: among those surer than c it is (1 - c)/4 on average
        sure = [source.random() for _ in range(200)]
        found = risk_coverage(sure, [source.random() < (1 - confidence) / 2 for confidence in sure])
        figure = found.certified(0.1)
        if figure.value is not None:
            point = next(point for point in found.curve if point.coverage == figure.value)
            broken += (1 - point.threshold) / 4 > 0.1
    assert broken / times <= 0.05 + 3 * sqrt(0.05 * 0.95 / times)
