from __future__ import annotations

import os
from pathlib import Path

import company_lab
from company_lab import Session, Task
from company_lab.company import SUITE


def test_an_agent_can_not_end_the_run_and_leave_it_green(tmp_path: Path) -> None:
    def leaves(task: Task, session: Session) -> str:
        os._exit(0)

    leave = os._exit
    run = company_lab.run(
        SUITE / "duplicate_charge.yaml",
        agent=leaves,
        only=["duplicate_charge_is_refunded_once"],
        store=tmp_path / "runs.db",
    )
    ((_, verdict),) = run.verdicts()
    assert verdict.outcome == "failed"
    assert "not_finished" in verdict.codes
    assert any("os._exit(0) was called" in failure.message for failure in verdict.failures)
    assert os._exit is leave
    run.close()
