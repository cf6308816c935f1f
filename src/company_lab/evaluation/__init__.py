"""Was it right: judging, checks, replies and claims, diagnosis, statistics.

Knows scenarios, world specs and traces as data; never worlds, agents, stores or the network. Names are
loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from company_lab.formats.first_use import on_first_use

if TYPE_CHECKING:
    from company_lab.evaluation.compliance import RuleCompliance, rule_compliance
    from company_lab.evaluation.judging import explain, judge
    from company_lab.evaluation.plain import verdict
    from company_lab.evaluation.statistics import (
        Figure,
        all_passed,
        clopper_pearson,
        failure_rate,
        mean_over_scenarios,
        non_inferiority,
        paired_difference,
        pass_at_k,
        pass_at_k_exact,
        pass_k,
        pass_k_exact,
        reliability,
        runs_needed,
        success_rate,
        wilson,
    )
    from company_lab.evaluation.verdicts import Failure, Note, Verdict

_HOMES = {
    "Failure": "verdicts",
    "Figure": "statistics",
    "Note": "verdicts",
    "RuleCompliance": "compliance",
    "Verdict": "verdicts",
    "all_passed": "statistics",
    "clopper_pearson": "statistics",
    "explain": "judging",
    "failure_rate": "statistics",
    "judge": "judging",
    "mean_over_scenarios": "statistics",
    "non_inferiority": "statistics",
    "paired_difference": "statistics",
    "pass_at_k": "statistics",
    "pass_at_k_exact": "statistics",
    "pass_k": "statistics",
    "pass_k_exact": "statistics",
    "reliability": "statistics",
    "rule_compliance": "compliance",
    "runs_needed": "statistics",
    "success_rate": "statistics",
    "verdict": "plain",
    "wilson": "statistics",
}

__all__ = [
    "Failure",
    "Figure",
    "Note",
    "RuleCompliance",
    "Verdict",
    "all_passed",
    "clopper_pearson",
    "explain",
    "failure_rate",
    "judge",
    "mean_over_scenarios",
    "non_inferiority",
    "paired_difference",
    "pass_at_k",
    "pass_at_k_exact",
    "pass_k",
    "pass_k_exact",
    "reliability",
    "rule_compliance",
    "runs_needed",
    "success_rate",
    "verdict",
    "wilson",
]

__getattr__, __dir__ = on_first_use(__name__, _HOMES)
