"""Was it right: judging, checks, replies and claims, diagnosis, statistics.

Knows scenarios, world specs and traces as data; never worlds, agents, stores or the network. Names are
loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from company_lab.evaluation.compliance import RuleCompliance, rule_compliance
    from company_lab.evaluation.judging import explain, judge
    from company_lab.evaluation.plain import verdict
    from company_lab.evaluation.statistics import pass_at_k, pass_at_k_exact, pass_k, pass_k_exact, wilson
    from company_lab.evaluation.verdicts import Failure, Note, Verdict

_HOMES = {
    "Failure": "verdicts",
    "Note": "verdicts",
    "RuleCompliance": "compliance",
    "Verdict": "verdicts",
    "explain": "judging",
    "judge": "judging",
    "pass_at_k": "statistics",
    "pass_at_k_exact": "statistics",
    "pass_k": "statistics",
    "pass_k_exact": "statistics",
    "rule_compliance": "compliance",
    "verdict": "plain",
    "wilson": "statistics",
}

__all__ = [
    "Failure",
    "Note",
    "RuleCompliance",
    "Verdict",
    "explain",
    "judge",
    "pass_at_k",
    "pass_at_k_exact",
    "pass_k",
    "pass_k_exact",
    "rule_compliance",
    "verdict",
    "wilson",
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
