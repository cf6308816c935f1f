"""export, prune and diff-scenario."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from command import Lab
from company_lab.runs import Store
from company_lab.traces.files import read_traces


def test_an_exported_run_has_a_row_for_every_planned_cell(lab: Lab, project: Path) -> None:
    lab(
        "run",
        "scenarios",
        "--agent",
        "agents:pleasing",
        "--trials",
        "3",
        "--max-episodes",
        "2",
        folder=project,
    )
    done = lab("export", folder=project)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["trial"], row["outcome"]) for row in rows] == [(1, "failed"), (2, "failed"), (3, "lost")]
    assert rows[0]["codes"] == ["false_claim"]
    assert rows[0]["evidence"] == "deterministic simulation"


def test_csv_has_the_same_columns_and_no_formulas(lab: Lab, project: Path) -> None:
    (project / "agents.py").write_text(
        (project / "agents.py").read_text("utf-8")
        + "\nfrom company_lab import Agent\nnamed = Agent(name='=cmd()', kind='scripted', act=honest)\n",
        "utf-8",
    )
    lab("run", "scenarios", "--agent", "agents:named", folder=project)
    lab("export", "last", "--form", "csv", "--output", "run.csv", folder=project)
    rows = list(csv.DictReader(io.StringIO((project / "run.csv").read_text("utf-8"))))
    assert [(row["scenario"], row["outcome"]) for row in rows] == [("not_ready_yet", "passed")]
    assert rows[0]["agent"] == "'=cmd()"


def test_exported_traces_can_be_scored_by_the_suite(lab: Lab, project: Path) -> None:
    lab("run", "scenarios", "--agent", "agents:honest", "--trials", "2", folder=project)
    lab("export", "--form", "traces", "--output", "traces.jsonl", folder=project)
    with Store(project / ".company-lab" / "runs.db") as store:
        stored = [episode.trace.bytes() for episode in store.stored(store.resolve())]
    assert [trace.bytes() for trace in read_traces(project / "traces.jsonl")] == stored
    scored = lab("score", "traces.jsonl", "--goals", "scenarios", folder=project)
    assert scored.returncode == 0, scored.stderr
    assert "successful episodes: 2/2" in scored.stdout
    assert "critical failures" not in scored.stdout


def test_scoring_by_a_suite_names_every_critical_failure(lab: Lab, project: Path) -> None:
    file = project / "scenarios" / "not_ready_yet.yaml"
    file.write_text(file.read_text("utf-8").replace("severity: major", "severity: critical"), "utf-8")
    lab("run", "scenarios", "--agent", "agents:pleasing", folder=project)
    lab("export", "--form", "traces", "--output", "traces.jsonl", folder=project)
    scored = lab("score", "traces.jsonl", "--goals", "scenarios", folder=project)
    assert scored.returncode == 1
    assert "critical failures: in 1 of 1 episodes\n  not_ready_yet trial 1: false_claim: " in scored.stdout
    (part,) = json.loads(
        lab("score", "traces.jsonl", "--goals", "scenarios", "--json", folder=project).stdout
    )["parts"]
    assert (part["critical_episodes"], len(part["episodes"][0]["critical"])) == (1, 1)


def test_an_export_that_can_not_be_written_leaves_nothing_half(lab: Lab, project: Path) -> None:
    lab("run", "scenarios", folder=project)
    done = lab("export", "--output", "no/such/folder/run.jsonl", folder=project)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert not list(project.glob(".run*"))


def test_prune_shows_first_and_deletes_when_told(lab: Lab, project: Path) -> None:
    for _ in range(3):
        lab("run", "scenarios", "--quiet", folder=project)
    with Store(project / ".company-lab" / "runs.db") as store:
        names = [entry.run for entry in store.runs()]
    shown = lab("prune", "--keep", "1", folder=project)
    assert shown.stdout.splitlines()[:2] == names[:2]
    assert "3 runs" in lab("runs", folder=project).stdout
    assert lab("prune", "--keep", "1", "--yes", folder=project).returncode == 0
    listed = lab("runs", folder=project).stdout
    assert names[2] in listed
    assert names[0] not in listed
    assert lab("show", "not_ready_yet", "1", folder=project).returncode == 0


@pytest.mark.parametrize("arguments", [[], ["last", "--keep", "1"], ["nobody"]])
def test_prune_that_is_unclear_deletes_nothing(lab: Lab, project: Path, arguments: list[str]) -> None:
    lab("run", "scenarios", "--quiet", folder=project)
    assert lab("prune", *arguments, "--yes", folder=project).returncode == 2
    assert "1 run in" in lab("runs", folder=project).stdout


def test_scenarios_are_compared_by_what_they_say(lab: Lab, project: Path) -> None:
    one = project / "scenarios" / "not_ready_yet.yaml"
    text = one.read_text("utf-8")
    (project / "same.yaml").write_text("# another comment\n" + text, "utf-8")
    (project / "other.yaml").write_text(
        text.replace("times: 1", "times: 2").replace("paid: true", "paid: false"), "utf-8"
    )
    assert lab("diff-scenario", str(one), "same.yaml", folder=project).returncode == 0
    done = lab("diff-scenario", f"{one}#not_ready_yet", "other.yaml", folder=project)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "initial.repairs.R-7.paid: true -> false",
        "expected.actions[0].times: 1 -> 2",
    ]
    assert (
        "did you mean not_ready_yet"
        in lab("diff-scenario", f"{one}#not_redy_yet", "same.yaml", folder=project).stderr
    )


def test_the_rules_of_a_stored_run_are_read_where_somebody_asks(lab: Lab, project: Path) -> None:
    lab("run", "scenarios", "--quiet", folder=project)
    told = lab("runs", "last", "--rules", folder=project)
    assert told.returncode == 0, told.stderr
    assert "Rules, read from the stored traces" in told.stdout
    assert "no episode passed while breaking a rule" in told.stdout
    unclear = lab("runs", "--rules", folder=project)
    assert unclear.returncode == 2
    assert "company-lab runs RUN --rules" in unclear.stderr
