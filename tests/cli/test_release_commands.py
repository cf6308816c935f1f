"""plan, compare and gate, through the real command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import Lab
from company_lab.runs import Store
from gate_runs import audited

POLICY = """
use: unattended
evidence: deterministic simulation
trials: 5
pass_k: {k: 1, across: 0.3}
baseline: {margin: 0.9}
"""

DOWN = """
from agents import honest
from company_lab import declare
from company_lab.agents.protocol import Infrastructure


@declare(kind="scripted")
def half(task, session):
    if task.message.startswith("Do tell"):
        raise Infrastructure("connection refused")
    return honest(task, session)
"""


@pytest.fixture
def release(lab: Lab, project: Path) -> Path:
    """A project with two runs, one good and one that lies, a policy and an audit of the suite."""
    for agent in ("agents:pleasing", "agents:honest"):
        lab("run", "scenarios", "--agent", agent, "--trials", "5", "--quiet", folder=project)
    (project / "release.yaml").write_text(POLICY, "utf-8")
    with Store(project / ".company-lab" / "runs.db") as store:
        plan = store.plan(store.resolve("last"))
        audited(store, plan.suite_digest, worlds=dict(plan.worlds))
    return project


def runs(project: Path) -> list[str]:
    with Store(project / ".company-lab" / "runs.db", create=False) as store:
        return [entry.run for entry in store.runs()]


def test_gate_exits_by_its_outcome(lab: Lab, release: Path) -> None:
    lying, honest = runs(release)
    passes = lab("gate", honest, "--policy", "release.yaml", "--baseline", lying, folder=release)
    assert (passes.returncode, passes.stderr) == (0, "")
    assert "✓ PASS" in passes.stdout
    blocks = lab("gate", lying, "--policy", "release.yaml", folder=release)
    assert blocks.returncode == 1
    assert "✗ BLOCK" in blocks.stdout
    holds = lab("gate", "--json", "decision.json", folder=release)
    assert holds.returncode == 3
    assert "- baseline: --baseline RUN, a run of what is deployed now" in holds.stdout
    decision = json.loads((release / "decision.json").read_text("utf-8"))
    assert (decision["outcome"], decision["run"]) == ("hold", honest)


def test_the_decision_and_the_comparison_stand_in_the_html_report(lab: Lab, release: Path) -> None:
    lying, honest = runs(release)
    blocks = lab(
        *("gate", lying, "--policy", "release.yaml", "--baseline", honest, "--html", "gate.html"),
        folder=release,
    )
    assert (blocks.returncode, blocks.stderr) == (1, "written to gate.html\n")
    page = (release / "gate.html").read_text("utf-8").replace("<wbr>", "")
    for part in (
        'id="gate"',
        "✗ BLOCK",
        "pass_k.across",
        "Not established by this decision",
        'id="comparison"',
    ):
        assert part in page
    alone = lab("gate", honest, "--policy", "release.yaml", "--html", "alone.html", folder=release)
    assert alone.returncode == 3
    page = (release / "alone.html").read_text("utf-8")
    assert "? HOLD: evidence is missing" in page
    assert '<a href="#gate">The release decision</a>' in page
    assert "No failure seen" not in page, "nothing green stands above a decision that holds"
    assert 'id="comparison"' not in page


def test_gate_refuses_a_policy_that_is_wrong_before_it_looks_at_anything(lab: Lab, release: Path) -> None:
    (release / "release.yaml").write_text(POLICY.replace("margin", "margn"), "utf-8")
    done = lab("gate", "--policy", "release.yaml", folder=release)
    assert (done.returncode, done.stdout) == (2, "")
    assert "release.yaml:6:12: baseline.margn: unknown key margn" in done.stderr
    (release / "release.yaml").unlink()
    nothing = lab("gate", folder=release)
    assert (nothing.returncode, nothing.stdout) == (2, "")
    assert "release.yaml" in nothing.stderr


def test_compare_exits_by_its_outcome_and_fills_the_html_report(lab: Lab, release: Path) -> None:
    lying, honest = runs(release)
    worse = lab("compare", lying, honest, "--html", "report.html", "--json", "c.json", folder=release)
    assert worse.returncode == 1
    assert "WORSE: the mean of pass^1 is lower" in worse.stdout
    assert 'id="comparison"' in (release / "report.html").read_text("utf-8")
    assert json.loads((release / "c.json").read_text("utf-8"))["candidate"] == lying
    undecided = lab("compare", honest, lying, "--policy", "release.yaml", folder=release)
    assert undecided.returncode in (0, 3)
    assert "margin of 0.9" in " ".join(undecided.stdout.split())
    itself = lab("compare", honest, honest, folder=release)
    assert (itself.returncode, itself.stdout) == (2, "")


@pytest.mark.fault("A19")
def test_compare_is_incomplete_where_outages_took_a_scenario(lab: Lab, project: Path) -> None:
    first = (project / "scenarios" / "not_ready_yet.yaml").read_text("utf-8")
    second = first.replace("id: not_ready_yet", "id: again").replace("Please tell", "Do tell")
    (project / "scenarios" / "again.yaml").write_text(second, "utf-8")
    (project / "down.py").write_text(DOWN, "utf-8")
    for agent in ("agents:honest", "down:half"):
        lab("run", "scenarios", "--agent", agent, "--quiet", folder=project)
    before, after = runs(project)
    done = lab("compare", after, before, folder=project)
    assert done.returncode == 3
    assert "1 scenario left out for want of scores" in " ".join(done.stdout.split())


def test_plan_reckons_with_a_suite_a_policy_and_an_earlier_run(lab: Lab, release: Path) -> None:
    done = lab("plan", "--suite", "scenarios", "--below", "0.01", "--json", "plan.json", folder=release)
    assert done.returncode == 0
    assert json.loads((release / "plan.json").read_text("utf-8"))["episodes"] >= 299
    again = lab("plan", "--policy", "release.yaml", "--from", "last", folder=release)
    assert again.returncode == 0
    assert "cost by the" in again.stdout
    assert lab("plan", "--below", "0.01", folder=release).returncode == 2


def test_plan_says_at_once_all_that_is_missing(lab: Lab, release: Path) -> None:
    for given, missing in (
        (("--scenarios", "3"), ("what is claimed",)),
        (("--suite", "nowhere"), ("what is claimed", "nothing lies at nowhere")),
        ((), ("how many scenarios", "what is claimed")),
        (("--suite", "scenarios", "--scenarios", "3"), ("give one of them",)),
    ):
        done = lab("plan", *given, folder=release)
        assert done.returncode == 2
        said = " ".join(done.stderr.split())
        assert all(each in said for each in missing), said


def test_the_schema_of_policies(lab: Lab, tmp_path: Path) -> None:
    done = lab("schema", "--policy", "--output", "policy.schema.json")
    assert done.returncode == 0
    assert "pass_at_k" in json.loads((tmp_path / "policy.schema.json").read_text("utf-8"))["properties"]
    assert lab("schema", "--policy", "--world", "company").returncode == 2
