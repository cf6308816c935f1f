"""Every figure against values that were computed elsewhere, with other libraries or in exact fractions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from math import fsum, sqrt
from pathlib import Path
from statistics import NormalDist, fmean, pstdev
from typing import Any

import pytest

from company_lab.evaluation import statistics
from company_lab.evaluation.statistics import (
    BadCounts,
    bca_interval,
    calibration,
    clopper_pearson,
    cohen_kappa,
    confidence_sequence,
    exact_coverage,
    fisher_exact,
    gwet_ac1,
    jeffreys,
    newcombe,
    observed_agreement,
    pabak,
    paired_difference,
    pass_k,
    pass_k_interval,
    peeking_miss,
    posterior,
    quantile,
    resampled_means,
    risk_coverage,
    sprt,
    standard_errors,
    t_interval,
    wilson,
    zero_failure_rule,
)
from company_lab.evaluation.statistics.distributions import t_quantile

CASES: dict[str, list[dict[str, Any]]] = json.loads(
    Path(__file__).with_name("statistics_reference.json").read_text("utf-8")
)
ENOUGH = 200_000


def wald(*, successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """The textbook interval, which the package does not offer."""
    rate = successes / trials
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt(rate * (1 - rate) / trials)
    return rate - reach, rate + reach


INTERVALS = {
    "wald": wald,
    "wilson": wilson,
    "clopper_pearson": clopper_pearson,
    "jeffreys": jeffreys,
    "confidence_sequence": confidence_sequence,
}


def low_high(interval: Callable[..., tuple[float, float]], **given: Any) -> dict[str, float]:
    low, high = interval(**given)
    return {"low": low, "high": high}


def _jeffreys(**given: Any) -> dict[str, float]:
    raw = jeffreys(**given, edge_rule=False)
    return {**low_high(jeffreys, **given), "raw_low": raw[0], "raw_high": raw[1]}


def _pass_k_interval(**given: Any) -> dict[str, float]:
    ends = {method: pass_k_interval(**given, method=method) for method in ("wilson", "clopper_pearson")}
    return {
        f"{method}_{side}": end
        for method, pair in ends.items()
        for side, end in zip(("low", "high"), pair, strict=True)
    }


def _value(function: Callable[..., Any], **given: Any) -> float | None:
    found: float | None = function(**given).value
    return found


def _kappa(table: Sequence[Sequence[int]]) -> dict[str, float | None]:
    return {"agreement": observed_agreement(table).value, "kappa": cohen_kappa(table).value}


def _ac1(table: Sequence[Sequence[int]]) -> dict[str, float | None]:
    return {"ac1": gwet_ac1(table).value, "pabak": pabak(table).value}


def _newcombe(**given: Any) -> dict[str, float | None]:
    figure = newcombe(**given)
    del given["confidence"]
    return {
        "difference": figure.value,
        "low": figure.low,
        "high": figure.high,
        "fisher": fisher_exact(**given),
    }


def _expectation(trials: int, k: int, rate: str) -> statistics.Expectation:
    return statistics.expected_pass_k(trials=trials, k=k, rate=Fraction(rate))


def _posterior(**given: Any) -> dict[str, float]:
    found = posterior(**given)
    powers = {f"power_{k}": found.mean_power(k) for k in (1, 4, 8)}
    return {"a": found.a, "b": found.b, "mean": found.mean, **low_high(found.interval), **powers}


def _standard_errors(runs: Mapping[str, Sequence[float]]) -> dict[str, float | None]:
    found = standard_errors(runs)
    means = [[fmean(outcomes)] for outcomes in runs.values()]
    fields = ("run_mean", "scenario_mean", "naive", "clustered", "clustered_corrected", "over_scenarios")
    return {
        **{field: getattr(found, field) for field in fields},
        **low_high(t_interval, groups=means),
        "t_quantile": t_quantile(0.975, len(runs) - 1),
    }


def _paired(a: Sequence[float], b: Sequence[float]) -> dict[str, float | None]:
    found = paired_difference(
        {f"s{i}": rate for i, rate in enumerate(a)}, {f"s{i}": rate for i, rate in enumerate(b)}
    )
    answer = {
        "difference": found.difference.value,
        "standard_error": found.standard_error,
        "unpaired_error": found.unpaired_error,
        "sign_flip": found.sign_flip.p,
        "smallest": found.sign_flip.smallest,
    }
    return answer if found.t is None else {**answer, "t": found.t, "t_p": found.t_p}


def _by_family(families: Mapping[str, Sequence[float]]) -> dict[str, float | None]:
    a = {f"{name} {i}": value for name, values in families.items() for i, value in enumerate(values)}
    b = dict.fromkeys(a, 0.0)
    kept = paired_difference(a, b, families={scenario: scenario.split()[0] for scenario in a})
    return {
        "difference": kept.difference.value,
        "unclustered": paired_difference(a, b).standard_error,
        "standard_error": kept.standard_error,
        "sign_flip": kept.sign_flip.p,
    }


def _every_resample(values: Sequence[float]) -> dict[str, float]:
    means = sorted(fmean(drawn) for drawn in product(values, repeat=len(values)))
    highest = max(means)

    def at(share: float) -> float:
        return means[max(0, -int(-share * len(means) // 1) - 1)]

    return {
        "mean": fmean(means),
        "error": pstdev(means),
        "min": means[0],
        "max": highest,
        "share_at_max": sum(mean > highest - 1e-12 for mean in means) / len(means),
        "low": at(0.025),
        "high": at(0.975),
    }


def _resampled_trials(successes: int, trials: int, k: int) -> dict[str, float]:
    runs = [1] * successes + [0] * (trials - successes)
    drawn = [pass_k(successes=sum(sample), trials=trials, k=k) for sample in product(runs, repeat=trials)]
    return {"estimate": pass_k(successes=successes, trials=trials, k=k), "resampled": fmean(drawn)}


def _adjusted(p_values: Sequence[float]) -> dict[str, list[float]]:
    names = ("holm", "benjamini_hochberg", "bonferroni")
    return {name: list(getattr(statistics, name)(p_values)) for name in names}


def _zero_failures(rate: float, alpha: float) -> dict[str, float]:
    rule = zero_failure_rule(rate=rate, alpha=alpha)
    return {
        "runs": rule.runs,
        "e_value": rule.e_value(failures=0, runs=rule.runs),
        "e_value_after_failure": rule.e_value(failures=1, runs=rule.runs),
    }


def _runs_per_side(**given: Any) -> dict[str, float]:
    return {"runs": statistics.runs_per_side_needed(**given)}


def _sprt(**given: Any) -> dict[str, float]:
    test = sprt(**given)
    fields = ("step_pass", "step_failure", "accept_at", "reject_at")
    passes = {f"passes_to_accept_{failures}": test.passes_to_accept(failures) for failures in (0, 1)}
    return {**{field: getattr(test, field) for field in fields}, **passes}


def _peeking(rate: float, first: int, last: int, every: int, confidence: float) -> dict[str, float]:
    looks = range(first, last + 1, every)
    return {
        name: peeking_miss(interval=INTERVALS[name], rate=rate, looks=looks, confidence=confidence)
        for name in ("wilson", "clopper_pearson", "confidence_sequence")
    }


def _coverage(**given: Any) -> dict[str, float]:
    names = ("wald", "wilson", "clopper_pearson", "jeffreys")
    return {name: exact_coverage(INTERVALS[name], **given) for name in names}


def _calibration(**given: Any) -> dict[str, Any]:
    ten, five = calibration(**given), calibration(**given, bins=5)
    fields = ("brier", "brier_of_base_rate", "skill", "log_loss")
    return {
        **{field: getattr(ten, field) for field in fields},
        "ece_10": ten.ece,
        "ece_5": five.ece,
        "bins_5": [[row.low, row.high, row.n, row.stated, row.came_true] for row in five.bins],
    }


def _risk_coverage(**given: Any) -> dict[str, Any]:
    found = risk_coverage(**given)
    return {
        "coverage": [point.coverage for point in found.curve],
        "risk": [point.risk for point in found.curve],
        "aurc": found.aurc,
        "largest_at_0.2": found.largest_coverage(0.2),
    }


def _quantiles(seconds: Sequence[float]) -> dict[str, float]:
    return {
        f"q{q:g}_{definition}": quantile(seconds, q, definition=definition)
        for q in (0.5, 0.9, 0.95, 0.99)
        for definition in ("linear", "inverted_cdf", "median_unbiased")
    }


OURS: dict[str, Callable[..., Any]] = {
    "adjusted": _adjusted,
    "calibration": _calibration,
    "clopper_pearson": partial(low_high, clopper_pearson),
    "cohen_kappa": _kappa,
    "confidence_sequence": partial(low_high, confidence_sequence),
    "exact_coverage": _coverage,
    "expected_pass_k": _expectation,
    "fleiss_kappa": partial(_value, statistics.fleiss_kappa),
    "gwet_ac1": _ac1,
    "jeffreys": _jeffreys,
    "krippendorff_alpha": partial(_value, statistics.krippendorff_alpha),
    "newcombe": _newcombe,
    "paired_by_family": _by_family,
    "paired_difference": _paired,
    "pass_k_interval": _pass_k_interval,
    "peeking_miss": _peeking,
    "posterior": _posterior,
    "quantile": _quantiles,
    "resampled_means": _every_resample,
    "resampled_trials": _resampled_trials,
    "risk_coverage": _risk_coverage,
    "runs_per_side_needed": _runs_per_side,
    "sprt": _sprt,
    "standard_errors": _standard_errors,
    "wilson": partial(low_high, wilson),
    "zero_failure_rule": _zero_failures,
}
"""How our names answer; those not listed are asked directly."""


def agree(found: Any, expected: Any, within: float) -> None:
    if isinstance(expected, dict):
        for name, value in expected.items():
            got = found[name] if isinstance(found, dict) else getattr(found, name)
            if value is None and name in ("e_value",):
                continue
            agree(got, value, within)
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for got, value in zip(found, expected, strict=True):
            agree(got, value, within)
    elif expected is None:
        assert found is None
    else:
        assert found == pytest.approx(expected, rel=within, abs=1e-12)
        assert type(found) is int or not isinstance(expected, int) or within == 0 or found == expected


@pytest.mark.parametrize(
    ("name", "case"),
    [
        pytest.param(name, case, id=f"{name} {number}")
        for name, cases in CASES.items()
        for number, case in enumerate(cases, 1)
    ],
)
def test_every_reference_value_comes_out(name: str, case: Mapping[str, Any]) -> None:
    answer = OURS.get(name) or getattr(statistics, name)
    if case.get("refused"):
        with pytest.raises(BadCounts) as refused:
            answer(**case["given"])
        assert isinstance(refused.value, ValueError)
        return
    agree(answer(**case["given"]), case["gives"], case.get("within", 1e-9))


def test_every_case_is_there() -> None:
    assert sum(map(len, CASES.values())) == 232


def test_resampling_comes_out_where_all_resamples_together_do() -> None:
    (case,) = CASES["resampled_means"]
    values, gives = case["given"]["values"], case["gives"]
    means = resampled_means([[value] for value in values], times=ENOUGH)
    assert fsum(means) / ENOUGH == pytest.approx(gives["mean"], abs=0.002)
    assert pstdev(means) == pytest.approx(gives["error"], abs=0.002)
    assert (means[0], means[-1]) == (gives["min"], gives["max"])
    assert sum(mean == 1.0 for mean in means) / ENOUGH == pytest.approx(gives["share_at_max"], abs=0.003)
    low, high = bca_interval([[value] for value in values])
    assert gives["min"] <= low < gives["mean"] < high <= gives["max"]
