from __future__ import annotations

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Session, Task, ToolError, declare
from company_lab.company import SUITE, company
from company_lab.episodes import play
from company_lab.evaluation import judge
from company_lab.scenarios.suite import load_suite


@pytest.mark.parametrize("args", ["[1, 2]", '"text"', "7", "null", "true", "{", ""])
def test_arguments_that_are_no_object_are_the_agents_failure_and_break_nothing(args: str) -> None:
    @declare(kind="scripted")
    def agent(task: Task, session: Session) -> str:
        with pytest.raises(ToolError):
            session.attempt("payments.refund", args)
        return "Done."

    (scenario,) = (
        one
        for one in load_suite(SUITE, lambda _: company.spec).scenarios
        if one.id == "duplicate_charge_is_refunded_once"
    )
    episode = play(company.prepare(scenario), function_agent(agent))
    verdict = judge(scenario, company.spec, episode.trace, episode.timings)
    assert verdict.outcome == "failed"
    assert "missing_action" in {failure.code for failure in verdict.failures}
