"""The other commands, through the real one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from command import COMMAND, Lab, environment
from company_lab.cli.group import MODULES

TESTS = Path(__file__).parents[1]
EXAMPLES = TESTS.parent / "examples"
RECORDED = TESTS / "interop" / "data" / "harbour_air.json"
LOADED = """
import sys
from company_lab.cli import main
sys.argv = ["company-lab", *sys.argv[1:]]
try:
    main()
finally:
    sys.stderr.write(" ".join(sys.modules))
"""


# What the command costs before it does anything


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["run", "--help"], ["rum"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, encoding="utf-8", check=False
    )
    assert not {"pydantic", "rich", "sqlalchemy", "yaml", "zstandard"} & set(done.stderr.split())


def test_help_takes_at_most_four_tenths_of_a_second_of_cpu() -> None:
    def seconds() -> float:
        process = subprocess.Popen([*COMMAND, "--help"], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return usage.ru_utime + usage.ru_stime

    assert min(seconds() for _ in range(3)) <= 0.4


def test_help_lists_every_command_with_a_whole_sentence(lab: Lab) -> None:
    done = lab("--help")
    assert done.returncode == 0
    listed = done.stdout.partition("Commands:")[2].splitlines()
    described = {line.split()[0]: line for line in listed if line.strip()}
    assert set(described) == set(MODULES)
    assert all(line.endswith(".") and not line.endswith("...") for line in described.values())


@pytest.mark.parametrize("name", MODULES)
def test_every_command_has_help(lab: Lab, name: str) -> None:
    done = lab(name, "--help")
    assert done.returncode == 0
    assert "--debug" in done.stdout


def test_the_version_is_shown(lab: Lab) -> None:
    done = lab("--version")
    assert (done.returncode, done.stdout.split()[0]) == (0, "company-lab")


def test_a_reader_that_goes_away_is_no_error(project: Path) -> None:
    writing = subprocess.Popen(
        [*COMMAND, "schema"],
        cwd=project,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert writing.stdout is not None
    assert writing.stderr is not None
    writing.stdout.close()
    errors = writing.stderr.read()
    writing.stderr.close()
    assert writing.wait(timeout=100) == 0
    assert errors == b""


# init


def test_a_fresh_project_runs_green(lab: Lab, tmp_path: Path) -> None:
    folder = tmp_path / "fresh"
    made = lab("init", str(folder))
    assert made.returncode == 0, made.stderr
    assert "company-lab run scenarios --agent agent:agent" in made.stdout
    assert lab("validate", "scenarios", folder=folder).returncode == 0
    assert lab("rehearse", "scenarios", folder=folder).returncode == 0
    ran = lab("run", "scenarios", "--agent", "agent:agent", "--trials", "2", folder=folder)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "2 of 2 planned episodes scored" in ran.stdout


def test_the_world_of_a_fresh_project_is_short(project: Path) -> None:
    lines = (project / "workshop.py").read_text("utf-8").splitlines()
    assert len([line for line in lines if line.strip()]) < 60


def test_init_overwrites_nothing(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("mine", "utf-8")
    done = lab("init")
    assert done.returncode == 2
    assert "agent.py" in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["agent.py"]
    assert (tmp_path / "agent.py").read_text("utf-8") == "mine"


# validate, schema, rehearse


def test_validate_counts_what_is_there(lab: Lab, project: Path) -> None:
    done = lab("validate", "scenarios", folder=project)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == [
        "1 scenario, no problems",
        "0 contract scenarios, 1 with a reference, 2 wrong conducts",
    ]


def test_validate_hints_at_a_scenario_that_no_wrong_conduct_tries(lab: Lab, project: Path) -> None:
    assert "hint" not in lab("validate", "scenarios", folder=project).stdout
    file = project / "scenarios" / "not_ready_yet.yaml"
    file.write_text(file.read_text("utf-8").partition("\nwrong:")[0] + "\n", "utf-8")
    done = lab("validate", "scenarios", folder=project)
    assert done.returncode == 0, done.stderr
    assert "1 with a reference, 0 wrong conducts" in done.stdout
    (hint,) = (line for line in done.stdout.splitlines() if line.startswith("hint:"))
    assert "not_ready_yet has no wrong conduct" in hint


def test_validate_names_every_problem(lab: Lab, project: Path) -> None:
    file = project / "scenarios" / "not_ready_yet.yaml"
    text = file.read_text("utf-8").replace("status: waiting", "status: wating").replace("times: 1", "tmes: 1")
    file.write_text(text.replace("never_claims: [ready]", "never_claims: [raedy]"), "utf-8")
    done = lab("validate", "scenarios", folder=project)
    assert done.returncode == 2
    for wrong in ("wating", "tmes", "raedy"):
        assert wrong in done.stderr
    assert "did you mean times" in done.stderr


def test_validate_of_an_empty_folder_is_wrong_use(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = lab("validate", "empty")
    assert done.returncode == 2
    assert "empty" in done.stderr


def test_the_schema_knows_the_names_of_a_world(lab: Lab, project: Path) -> None:
    done = lab("schema", "--world", "workshop:workshop", "--output", "schema.json", folder=project)
    assert done.returncode == 0, done.stderr
    text = (project / "schema.json").read_text("utf-8")
    assert json.loads(text)["$schema"].startswith("https://json-schema.org/")
    assert "repairs.write_to_owner" in text
    assert "repairs.write_to_owner" not in lab("schema", folder=project).stdout


def test_a_schema_that_can_not_be_written_exits_with_2(lab: Lab, project: Path) -> None:
    done = lab("schema", "--output", "no/such/folder/schema.json", folder=project)
    assert done.returncode == 2
    assert "no/such/folder/schema.json" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.fault("A30")
def test_rehearse_exits_with_1_where_a_conduct_surprises(lab: Lab, project: Path) -> None:
    file = project / "scenarios" / "not_ready_yet.yaml"
    text = file.read_text("utf-8")
    file.write_text(text.replace("codes: [missing_evidence]", "codes: [missing_action]"), "utf-8")
    done = lab("rehearse", "scenarios", folder=project)
    assert done.returncode == 1
    assert "wrong:writes_without_looking: must fail with missing_action" in done.stdout
    assert "2 of 3 conducts behave as declared" in done.stdout


def test_rehearse_tells_of_every_conduct_when_asked(lab: Lab, project: Path) -> None:
    done = lab("rehearse", "scenarios", "-v", folder=project)
    assert done.returncode == 0
    assert "not_ready_yet: reference: passed, as declared" in done.stdout
    assert "failed (false_claim), as declared" in done.stdout


# show, runs, judge


def test_show_explains_why_an_episode_passed_and_what_broke_one_that_failed(lab: Lab, project: Path) -> None:
    lab("run", "scenarios", folder=project)
    passed = lab("show", "not_ready_yet", "1", folder=project)
    assert passed.returncode == 0, passed.stderr
    assert "expected.evidence[0]" in passed.stdout
    lab("run", "scenarios", "--agent", "agents:pleasing", folder=project)
    failed = lab("show", "last", "not_ready_yet", "1", folder=project)
    assert "false_claim" in failed.stdout
    assert "FAILED" in failed.stdout


def test_show_works_after_the_suite_has_gone(lab: Lab, project: Path) -> None:
    lab("run", "scenarios", folder=project)
    (project / "scenarios" / "not_ready_yet.yaml").unlink()
    shown = lab("show", "not_ready_yet", "1", folder=project)
    assert "The owner asks, and the bicycle is still waiting" in shown.stdout


def test_show_names_what_is_there_instead(lab: Lab, project: Path) -> None:
    lab("run", "scenarios", folder=project)
    done = lab("show", "not_redy_yet", "1", folder=project)
    assert done.returncode == 2
    assert "did you mean not_ready_yet" in done.stderr


def test_runs_are_listed_with_what_came_of_them(lab: Lab, project: Path) -> None:
    lab("run", "scenarios", folder=project)
    lab("run", "scenarios", "--agent", "agents:pleasing", "--trials", "2", folder=project)
    lines = lab("runs", folder=project).stdout.splitlines()
    assert "1 of 1: 1 passed; deterministic simulation; agent reference" in lines[0]
    assert "2 of 2: 2 failed; deterministic simulation; agent agents:pleasing" in lines[1]
    assert lines[2].startswith("2 runs in ")


def test_judging_again_changes_nothing_where_nothing_changed(lab: Lab, project: Path) -> None:
    lab("run", "scenarios", "--agent", "agents:pleasing", folder=project)
    done = lab("judge", folder=project)
    assert done.returncode == 1, done.stderr
    assert "0 of 1 verdicts change" in done.stdout


def test_judging_by_an_edited_suite_shows_first_and_stores_when_asked(lab: Lab, project: Path) -> None:
    lab("run", "scenarios", "--agent", "agents:honest", folder=project)
    file = project / "scenarios" / "not_ready_yet.yaml"
    file.write_text(file.read_text("utf-8").replace("times: 1", "times: 2"), "utf-8")
    shown = lab("judge", "--suite", "scenarios", folder=project)
    assert "not_ready_yet trial 1: passed -> failed" in shown.stdout
    assert "at expected.actions[0]" in shown.stdout
    assert shown.returncode == 3
    assert "1 passed" in lab("runs", folder=project).stdout
    assert lab("judge", "--suite", "scenarios", "--apply", folder=project).returncode == 1
    assert "1 failed" in lab("runs", folder=project).stdout
    assert "passed" in lab("judge", "--apply", folder=project).stdout
    assert "1 passed" in lab("runs", folder=project).stdout


def test_a_failure_that_counts_comes_before_a_verdict_that_would_change(lab: Lab, project: Path) -> None:
    lab("run", "scenarios", "--agent", "agents:pleasing", folder=project)
    file = project / "scenarios" / "not_ready_yet.yaml"
    file.write_text(file.read_text("utf-8").replace("times: 1", "times: 2"), "utf-8")
    shown = lab("judge", "--suite", "scenarios", folder=project)
    assert "1 of 1 verdicts change" in shown.stdout
    assert shown.returncode == 1


def test_an_unknown_subcommand_of_import_names_the_nearest(lab: Lab) -> None:
    done = lab("import", "tau-bensh", "x.json")
    assert (done.returncode, "did you mean tau-bench?" in done.stderr) == (2, True)


# score, import


def test_authored_episodes_are_scored(lab: Lab) -> None:
    done = lab("score", str(EXAMPLES / "authored_traces"))
    assert done.returncode == 1, done.stderr  # three episodes failed
    assert done.stdout.splitlines() == [
        "Authored fixtures only; no model inference",
        "successful episodes: 3/6",
        "pass^1: 0.5000",
        "pass^2: 0.1667",
        "error episodes recovered: 1/2",
        "turn-limit episodes: 1/6",
    ]


def test_scoring_what_is_not_there_is_wrong_use(lab: Lab) -> None:
    done = lab("score", "nothing.jsonl")
    assert done.returncode == 2
    assert "nothing.jsonl" in done.stderr


def test_recorded_runs_are_imported_listed_and_shown(lab: Lab, tmp_path: Path) -> None:
    done = lab("import", "tau-bench", str(RECORDED), COLUMNS="200")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Recorded elsewhere")
    assert done.stdout.splitlines()[-1] == f"Stored in {tmp_path / '.company-lab' / 'runs.db'}"
    assert "recorded elsewhere" in lab("runs").stdout
    shown = lab("show", "task_0", "0")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith("Recorded elsewhere")
    assert json.loads(lab("import", "tau-bench", str(RECORDED), "--json").stdout)["episodes_added"] == 0
    assert lab("run", "--resume").returncode == 2


def test_a_recording_that_is_cut_off_adds_nothing(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "cut.json").write_bytes(RECORDED.read_bytes()[:-200])
    done = lab("import", "tau-bench", "cut.json")
    assert done.returncode == 2
    assert "cut.json" in done.stderr
    assert "0 runs" in lab("runs").stdout
