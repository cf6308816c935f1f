"""Rules and crowds, through the real command."""

from __future__ import annotations

from pathlib import Path

import pytest

from command import Lab
from company_lab.runs import Store

DESK = """
id: the_right_ida
initial:
  contacts: {C-1: {name: Ida Holm, email: ida@holm.example.test, phone: "+00 555 0100"}}
stimulus: {message: "ida@holm.example.test has a new number: +00 555 0199."}
expected:
  state: {contacts: {C-1: {phone: "+00 555 0199"}}}
  actions: [{tool: crm.update, args: {id: C-1, phone: "+00 555 0199"}}]
reference:
  - do:
      - {tool: crm.find, args: {name: Holm}}
      - {tool: crm.update, args: {id: C-1, phone: "+00 555 0199"}}
wrong: [{id: idle, codes: [missing_action], do: []}]
---
id: withdrawn_unless_money_came
initial: {invoice_total_minor: 50000, invoice_received_minor: 100}
stimulus: {agent_request: withdraw_invoice}
expected: {decision: deny, invoice_status: partially_paid}
"""


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "desk.yaml").write_text(DESK, "utf-8")
    return tmp_path


def test_show_tells_the_rules_only_when_asked(lab: Lab, project: Path) -> None:
    lab("run", "scenarios", "--agent", "agents:honest", "--quiet", folder=project)
    plain = lab("show", "not_ready_yet", "1", folder=project)
    asked = lab("show", "not_ready_yet", "1", "--rules", folder=project)
    assert asked.returncode == 0
    assert asked.stdout.startswith(plain.stdout)
    added = asked.stdout[len(plain.stdout) :]
    assert "✓ role_permission: kept, asked 2 times" in added
    assert "2 of 4 rules had no occasion" in added


def test_a_report_tells_the_rules_only_when_asked(lab: Lab, project: Path) -> None:
    plain = lab("run", "scenarios", "--agent", "agents:honest", "--quiet", folder=project)
    asked = lab("run", "scenarios", "--agent", "agents:honest", "--quiet", "--rules", folder=project)
    assert "Rules" not in plain.stdout
    assert "no episode passed while breaking a rule" in asked.stdout
    assert "rules that no check of the scenarios played covers" in asked.stdout


def test_rules_that_nothing_would_miss_are_named_and_exit_with_1(lab: Lab, desk: Path) -> None:
    done = lab("rules", "suite", "--output", "rules.md", folder=desk)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "Deterministic simulation: rules broken on purpose, no agent"
    own = "received_money_keeps_its_invoice: without it withdrawn_unless_money_came fails, always denying NOTHING fails"
    assert own in lines
    page = (desk / "rules.md").read_text("utf-8")
    assert "| `received_money_keeps_its_invoice` | An invoice on which something was received" in page
    assert "made by `company-lab rules suite`" in page


def test_a_suite_of_several_worlds_needs_one_named(lab: Lab, project: Path) -> None:
    (project / "scenarios" / "desk.yaml").write_text(DESK, "utf-8")
    done = lab("rules", "scenarios", folder=project)
    assert done.returncode == 2
    assert "the suite plays in company, workshop:workshop: name one with --world" in done.stderr
    named = lab("rules", "scenarios", "--world", "workshop:workshop", folder=project)
    assert "0 of 4 rules of workshop:workshop are noticed" in named.stdout


def test_a_run_in_a_crowd_says_so_and_is_told_from_one_without(lab: Lab, desk: Path) -> None:
    first = lab("run", "suite", "--quiet", folder=desk)
    second = lab("run", "suite", "--crowd", "2000", "--quiet", folder=desk)
    assert (first.returncode, second.returncode) == (0, 0)
    assert "a crowd of 2,000" in " ".join(second.stdout.split())
    assert "a crowd of" not in first.stdout
    with Store(desk / ".company-lab" / "runs.db", create=False) as store:
        plans = [store.plan(entry.run) for entry in store.runs()]
    assert [plan.crowd for plan in plans] == [None, 2000]
    assert not set(plans[0].scenarios.values()) & set(plans[1].scenarios.values())
    shown = lab("show", "the_right_ida", "1", "--rules", folder=desk)
    assert "role_permission: kept" in shown.stdout
    assert lab("judge", folder=desk).returncode == 0


def test_a_resumed_run_keeps_its_crowd(lab: Lab, desk: Path) -> None:
    lab("run", "suite", "--crowd", "500", "--trials", "2", "--max-episodes", "1", "--quiet", folder=desk)
    done = lab("run", "--resume", "--quiet", folder=desk)
    assert done.returncode == 0
    assert "a crowd of 500" in " ".join(done.stdout.split())
    refused = lab("run", "--resume", "--crowd", "600", folder=desk)
    assert refused.returncode == 2
    assert "--resume takes --crowd from the plan" in refused.stderr


def test_a_world_without_a_crowd_refuses_one(lab: Lab, project: Path) -> None:
    done = lab("run", "scenarios", "--agent", "agents:honest", "--crowd", "10", folder=project)
    assert done.returncode == 2
    assert "has no crowd" in done.stderr
