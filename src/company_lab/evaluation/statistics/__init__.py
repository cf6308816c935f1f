"""Statistics of repetition: every figure with its formula, its source and its limits.

Start with the question. How often does this scenario come right: `success_rate`, `reliability`. How often do
scenarios like these: `mean_over_scenarios`. How rare is a failure that was not seen: `failure_rate`, `runs_needed`.
Is one agent better than another: `paired_difference`, `non_inferiority`. See docs/statistics.md.

Names are loaded on first use; scipy and numpy only where a figure needs them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from company_lab.evaluation.statistics.across import (
        StandardErrors,
        all_passed,
        bca_interval,
        clustered_error,
        grouped,
        mean_over_scenarios,
        resampled_means,
        standard_errors,
        t_interval,
    )
    from company_lab.evaluation.statistics.agreement import (
        cohen_kappa,
        fleiss_kappa,
        gwet_ac1,
        krippendorff_alpha,
        observed_agreement,
        pabak,
    )
    from company_lab.evaluation.statistics.arguments import BadCounts
    from company_lab.evaluation.statistics.beliefs import Posterior, posterior, probability_better
    from company_lab.evaluation.statistics.bounds import (
        ByScenario,
        ZeroFailureBounds,
        failure_bound,
        failure_rate,
        runs_needed,
        zero_failure_bounds,
        zero_failures_by_scenario,
    )
    from company_lab.evaluation.statistics.comparing import (
        McNemar,
        NonInferiority,
        fisher_exact,
        mcnemar,
        mcnemar_of,
        mcnemar_power,
        newcombe,
        non_inferiority,
    )
    from company_lab.evaluation.statistics.deferring import RiskCoverage, risk_coverage
    from company_lab.evaluation.statistics.figure import Figure, percent
    from company_lab.evaluation.statistics.intervals import (
        clopper_pearson,
        exact_coverage,
        jeffreys,
        success_rate,
        wilson,
    )
    from company_lab.evaluation.statistics.latency import (
        latency_quantile,
        quantile,
        quantile_ranks,
        runs_needed_for_quantile,
    )
    from company_lab.evaluation.statistics.multiplicity import benjamini_hochberg, bonferroni, holm
    from company_lab.evaluation.statistics.paired import (
        BadComparison,
        Paired,
        SignFlip,
        both_passed,
        paired_difference,
        paired_ratio,
        sign_flip,
    )
    from company_lab.evaluation.statistics.planning import (
        SampleSize,
        chance_over_attempts,
        gate_pass_probability,
        operating_curve,
        runs_per_side_needed,
        scenarios_needed,
    )
    from company_lab.evaluation.statistics.probabilities import Calibration, calibration
    from company_lab.evaluation.statistics.repetition import (
        Expectation,
        all_passed_bound,
        expected_pass_k,
        mean_pass_at_k,
        mean_pass_k,
        pass_at_k,
        pass_at_k_exact,
        pass_k,
        pass_k_exact,
        pass_k_interval,
        reliability,
    )
    from company_lab.evaluation.statistics.sequential import (
        Sprt,
        ZeroFailureRule,
        confidence_sequence,
        mixture_e_value,
        peeking_miss,
        rate_at_any_look,
        runs_needed_at_any_look,
        sprt,
        zero_failure_rule,
    )
    from company_lab.evaluation.statistics.unknown import OutcomeBounds, outcome_bounds
    from company_lab.evaluation.statistics.variance import VarianceSplit, variance_split

_HOMES = {
    "BadComparison": "paired",
    "BadCounts": "arguments",
    "ByScenario": "bounds",
    "Calibration": "probabilities",
    "Expectation": "repetition",
    "Figure": "figure",
    "McNemar": "comparing",
    "NonInferiority": "comparing",
    "OutcomeBounds": "unknown",
    "Paired": "paired",
    "Posterior": "beliefs",
    "RiskCoverage": "deferring",
    "SampleSize": "planning",
    "SignFlip": "paired",
    "Sprt": "sequential",
    "StandardErrors": "across",
    "VarianceSplit": "variance",
    "ZeroFailureBounds": "bounds",
    "ZeroFailureRule": "sequential",
    "all_passed": "across",
    "all_passed_bound": "repetition",
    "bca_interval": "across",
    "benjamini_hochberg": "multiplicity",
    "bonferroni": "multiplicity",
    "both_passed": "paired",
    "calibration": "probabilities",
    "chance_over_attempts": "planning",
    "clopper_pearson": "intervals",
    "clustered_error": "across",
    "cohen_kappa": "agreement",
    "confidence_sequence": "sequential",
    "exact_coverage": "intervals",
    "expected_pass_k": "repetition",
    "failure_bound": "bounds",
    "failure_rate": "bounds",
    "fisher_exact": "comparing",
    "fleiss_kappa": "agreement",
    "gate_pass_probability": "planning",
    "grouped": "across",
    "gwet_ac1": "agreement",
    "holm": "multiplicity",
    "jeffreys": "intervals",
    "krippendorff_alpha": "agreement",
    "latency_quantile": "latency",
    "mcnemar": "comparing",
    "mcnemar_of": "comparing",
    "mcnemar_power": "comparing",
    "mean_over_scenarios": "across",
    "mean_pass_at_k": "repetition",
    "mean_pass_k": "repetition",
    "mixture_e_value": "sequential",
    "newcombe": "comparing",
    "non_inferiority": "comparing",
    "observed_agreement": "agreement",
    "operating_curve": "planning",
    "outcome_bounds": "unknown",
    "pabak": "agreement",
    "paired_difference": "paired",
    "paired_ratio": "paired",
    "pass_at_k": "repetition",
    "pass_at_k_exact": "repetition",
    "pass_k": "repetition",
    "pass_k_exact": "repetition",
    "pass_k_interval": "repetition",
    "peeking_miss": "sequential",
    "percent": "figure",
    "posterior": "beliefs",
    "probability_better": "beliefs",
    "quantile": "latency",
    "quantile_ranks": "latency",
    "rate_at_any_look": "sequential",
    "reliability": "repetition",
    "resampled_means": "across",
    "risk_coverage": "deferring",
    "runs_needed": "bounds",
    "runs_needed_at_any_look": "sequential",
    "runs_needed_for_quantile": "latency",
    "runs_per_side_needed": "planning",
    "scenarios_needed": "planning",
    "sign_flip": "paired",
    "sprt": "sequential",
    "standard_errors": "across",
    "success_rate": "intervals",
    "t_interval": "across",
    "variance_split": "variance",
    "wilson": "intervals",
    "zero_failure_bounds": "bounds",
    "zero_failure_rule": "sequential",
    "zero_failures_by_scenario": "bounds",
}

__all__ = [
    "BadComparison",
    "BadCounts",
    "ByScenario",
    "Calibration",
    "Expectation",
    "Figure",
    "McNemar",
    "NonInferiority",
    "OutcomeBounds",
    "Paired",
    "Posterior",
    "RiskCoverage",
    "SampleSize",
    "SignFlip",
    "Sprt",
    "StandardErrors",
    "VarianceSplit",
    "ZeroFailureBounds",
    "ZeroFailureRule",
    "all_passed",
    "all_passed_bound",
    "bca_interval",
    "benjamini_hochberg",
    "bonferroni",
    "both_passed",
    "calibration",
    "chance_over_attempts",
    "clopper_pearson",
    "clustered_error",
    "cohen_kappa",
    "confidence_sequence",
    "exact_coverage",
    "expected_pass_k",
    "failure_bound",
    "failure_rate",
    "fisher_exact",
    "fleiss_kappa",
    "gate_pass_probability",
    "grouped",
    "gwet_ac1",
    "holm",
    "jeffreys",
    "krippendorff_alpha",
    "latency_quantile",
    "mcnemar",
    "mcnemar_of",
    "mcnemar_power",
    "mean_over_scenarios",
    "mean_pass_at_k",
    "mean_pass_k",
    "mixture_e_value",
    "newcombe",
    "non_inferiority",
    "observed_agreement",
    "operating_curve",
    "outcome_bounds",
    "pabak",
    "paired_difference",
    "paired_ratio",
    "pass_at_k",
    "pass_at_k_exact",
    "pass_k",
    "pass_k_exact",
    "pass_k_interval",
    "peeking_miss",
    "percent",
    "posterior",
    "probability_better",
    "quantile",
    "quantile_ranks",
    "rate_at_any_look",
    "reliability",
    "resampled_means",
    "risk_coverage",
    "runs_needed",
    "runs_needed_at_any_look",
    "runs_needed_for_quantile",
    "runs_per_side_needed",
    "scenarios_needed",
    "sign_flip",
    "sprt",
    "standard_errors",
    "success_rate",
    "t_interval",
    "variance_split",
    "wilson",
    "zero_failure_bounds",
    "zero_failure_rule",
    "zero_failures_by_scenario",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
