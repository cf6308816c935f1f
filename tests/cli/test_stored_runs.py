"""Stored runs through the real command: reported again, judged again, exported, pruned, redacted."""

from __future__ import annotations

import csv
import io
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from command import Lab, environment
from company_lab.runs import AgentIdentity, Cell, Store
from company_lab.runs.holding import holding
from stored_samples import FAILED, episode, plan
from waiting import wait_for_episodes

STORE = Path(".company-lab") / "runs.db"


def played(lab: Lab, project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return lab("run", "scenarios", "--agent", "agents:pleasing", *arguments, folder=project)


def raw(project: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(project / STORE)
    connection.execute(statement, values)
    connection.commit()
    connection.close()


# Reported again


@pytest.mark.fault("A24")
def test_a_report_shows_what_is_missing_and_what_lies_in_the_store_beside_the_plan(
    lab: Lab, project: Path
) -> None:
    first = played(lab, project, "--trials", "3", "--max-episodes", "2")
    assert "not_ready_yet, trial 3: lost" in first.stdout
    raw(project, "update episodes set trial = 7 where trial = 2")
    done = lab("runs", "last", folder=project)
    assert done.returncode == 0, done.stderr
    assert "1 of 3 planned episodes scored" in done.stdout
    assert "not_ready_yet, trial 2: lost" in done.stdout
    assert "not in the plan and not counted: not_ready_yet, trial 7" in done.stdout
    exported = lab("export", folder=project)
    assert [json.loads(line)["outcome"] for line in exported.stdout.splitlines()] == [
        "failed",
        "lost",
        "lost",
    ]
    assert "1 episode not in the plan" in exported.stderr


def test_a_run_of_failed_cells_says_so_wherever_it_is_read(lab: Lab, project: Path) -> None:
    played(lab, project)
    lab("run", "--failed", "--max-episodes", "0", folder=project)
    assert lab("run", "--resume", folder=project).returncode == 1
    with Store(project / STORE) as store:
        first, second = (entry.run for entry in store.runs())
        assert store.plan(second).failed_of == first
    assert f"failed cells of {first}" in lab("runs", folder=project).stdout
    assert json.loads(lab("export", folder=project).stdout)["failed_of"] == first


# Held, and taken away


def test_a_run_that_is_being_played_is_not_resumed_or_pruned_by_somebody_else(
    lab: Lab, project: Path
) -> None:
    played(lab, project, "--trials", "2", "--max-episodes", "1")
    with Store(project / STORE) as store:
        run = store.resolve()
        with holding(store.path, run):
            refused = lab("run", "--resume", folder=project)
            assert (refused.returncode, "being played right now" in refused.stderr) == (2, True)
            pruned = lab("prune", "--keep", "0", "--yes", folder=project)
            assert "stays: it is being played right now" in pruned.stderr
        assert store.entry(run).stored == 1


def test_a_store_that_is_deleted_during_a_run_ends_it_with_3(
    project: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    running = start("run", "scenarios", "--agent", "agents:slow", "--trials", "60")
    wait_for_episodes(project, 2)
    (project / STORE).unlink()
    _, errors = running.communicate(timeout=100)
    assert running.returncode == 3
    assert "deleted or replaced while it was in use" in errors
    assert "Traceback" not in errors


# Judged again


@pytest.mark.fault("E24")
def test_judging_by_an_edited_suite_says_what_was_edited(lab: Lab, project: Path) -> None:
    lab("run", "scenarios", "--agent", "agents:honest", folder=project)
    file = project / "scenarios" / "not_ready_yet.yaml"
    whole = file.read_text("utf-8")
    file.write_text(whole.replace("times: 1", "times: 2"), "utf-8")
    shown = lab("judge", "--suite", "scenarios", folder=project)
    assert "the scenario not_ready_yet has changed since the run:" in shown.stdout
    assert "    expected.actions[0].times: 1 -> 2" in shown.stdout
    file.write_text(whole.replace("paid: true", "paid: false"), "utf-8")
    kept = lab("judge", "--suite", "scenarios", "--apply", folder=project)
    assert kept.returncode == 3
    assert "not judged again: it was played with another initial" in kept.stdout
    assert "0 new verdicts count" in kept.stdout


# Exported

HOSTILE = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1",
    "\u2003=1",
    "\u3000=1",
    "\uff1d1",
    'a,"b"\nc',
    "\x1b[2K",
    "plain",
]


@pytest.fixture
def hostile(project: Path) -> Path:
    """A project with one stored run of hostile names."""
    cells = tuple(Cell(text, number) for number, text in enumerate(HOSTILE, 1))
    agent = AgentIdentity(name="=cmd|' /C calc'!A0", kind="scripted")
    with Store(project / STORE) as store:
        store.begin(replace(plan(), cells=cells, agent=agent))
        for cell in cells:
            store.add("r1", episode(*cell, verdict=FAILED))
    return project


def test_no_cell_of_a_csv_file_is_a_formula_and_json_lines_keep_the_text(lab: Lab, hostile: Path) -> None:
    done = lab("export", "--form", "csv", folder=hostile)
    assert done.returncode == 0, done.stderr
    table = {int(row["trial"]): row for row in csv.DictReader(io.StringIO(done.stdout))}
    assert len(table) == len(HOSTILE)
    for number, text in enumerate(HOSTILE, 1):
        cell = table[number]["scenario"]
        assert cell.startswith("'") == (text not in ('a,"b"\nc', "\x1b[2K", "plain"))
        assert not any(character < " " for character in cell)
        assert table[number]["agent"].startswith("'=cmd")
        assert table[number]["error"] in ("true", "false")
        assert table[number]["trial"] == str(number)
    lines = [json.loads(line) for line in lab("export", folder=hostile).stdout.splitlines()]
    assert {line["trial"]: line["scenario"] for line in lines} == dict(enumerate(HOSTILE, 1))


def test_parquet_holds_the_same_rows_with_types(lab: Lab, hostile: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    lines = [json.loads(line) for line in lab("export", folder=hostile).stdout.splitlines()]
    done = lab("export", "--form", "parquet", "--output", "run.parquet", folder=hostile)
    assert done.returncode == 0, done.stderr
    table = parquet.read_table(hostile / "run.parquet")
    assert table.to_pylist() == lines
    types = {field.name: str(field.type) for field in table.schema}
    assert (types["trial"], types["error"], types["cost_usd"]) == ("int64", "bool", "string")
    assert types["codes"] == "list<element: string>"


WITHOUT = """
import sys
sys.modules["pyarrow"] = None
from company_lab.cli import main
main()
"""


def test_without_pyarrow_the_command_says_what_to_install_and_touches_nothing(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, "export", "--form", "parquet", "--output", "run.parquet"],
        cwd=project,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 2
    assert "pip install 'company-lab[parquet]'" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project / "run.parquet").exists()


def test_verdicts_are_exported_whole(lab: Lab, project: Path) -> None:
    played(lab, project)
    done = lab("export", "--form", "verdicts", folder=project)
    (line,) = map(json.loads, done.stdout.splitlines())
    assert line["verdict"]["failures"][0]["code"] == "false_claim"
    assert len(line["grading"]) == 64


# Pruned


@pytest.fixture
def three_runs(project: Path) -> list[str]:
    """Runs that began 40 days, 10 days and a moment ago."""
    with Store(project / STORE) as store:
        for days in (40, 10, 0):
            created = datetime.now(UTC) - timedelta(days=days)
            store.begin(replace(plan(f"began-{days}"), created=created.isoformat(timespec="seconds")))
        return [entry.run for entry in store.runs()]


@pytest.mark.fault("E25")
def test_old_runs_go_by_age_and_number_except_those_that_are_named(
    lab: Lab, project: Path, three_runs: list[str]
) -> None:
    def going(*options: str) -> list[str]:
        done = lab("prune", "--dry-run", *options, folder=project)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()[:-1]

    assert going("--older-than", "30d") == three_runs[:1]
    assert going("--older-than", "5d") == three_runs[:2]
    assert going("--older-than", "5d", "--keep", "2") == three_runs[:1]
    assert going("--keep", "0", "--except", three_runs[0]) == three_runs[1:]
    assert lab("prune", "--older-than", "5d", "--yes", folder=project).returncode == 0
    assert "1 run in" in lab("runs", folder=project).stdout


@pytest.mark.parametrize("options", [["--older-than", "soon"], ["--keep", "1", "--yes", "--dry-run"]])
def test_a_rule_that_is_unclear_deletes_nothing(
    lab: Lab, project: Path, three_runs: list[str], options: list[str]
) -> None:
    assert lab("prune", *options, folder=project).returncode == 2
    with Store(project / STORE) as store:
        assert [entry.run for entry in store.runs()] == three_runs


# Redacted


def test_a_run_is_redacted_by_a_file_and_goes_on_with_its_rules(lab: Lab, project: Path) -> None:
    (project / "rules.yaml").write_text("patterns: [{name: bicycle, regex: '(?i)bicycle'}]", "utf-8")
    played(lab, project, "--trials", "2", "--max-episodes", "1", "--redact", "rules.yaml")
    os.unlink(project / "rules.yaml")
    assert lab("run", "--resume", "--redact", "rules.yaml", folder=project).returncode == 2
    assert lab("run", "--resume", folder=project).returncode == 1
    traces = lab("export", "--form", "traces", folder=project).stdout
    assert traces.count('"redacted":') == 2
    assert "bicycle" not in traces.replace("[bicycle 1]", "")
    shown = lab("show", "not_ready_yet", "2", folder=project)
    assert "replaced by placeholders" in shown.stderr
