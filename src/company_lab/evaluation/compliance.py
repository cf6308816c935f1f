"""Rule compliance: every company rule over one whole episode. A reading beside the verdict, never part of it."""

from __future__ import annotations

from company_lab.evaluation.judging import Recorded
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.spec import Reading, RuleCompliance, WorldSpec

__all__ = ["Reading", "RuleCompliance", "rule_compliance"]


def rule_compliance(
    scenario: Scenario | None, spec: WorldSpec, trace: Recorded
) -> tuple[RuleCompliance, ...]:
    """Kept, broken or not checkable, for each rule of the world, in its order.

    Also for episodes that passed: an agent may reach what was asked and break a rule that no expectation
    mentions. A pure function of what is stored. Without a scenario (an episode recorded elsewhere) nothing can
    be checked.
    """
    if scenario is None or spec.read_rules is None:
        why = (
            "there is no scenario to begin from" if scenario is None else "this world can not read its rules"
        )
        return tuple(RuleCompliance(rule=name, reading="not checkable", why=why) for name in spec.rules)
    return tuple(spec.read_rules(scenario, trace.records))
