"""company-lab explore, as a user runs it: findings, replays, a killed exploration that goes on, tiers."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from subprocess import Popen, run

import pytest

from command import Lab

PAYING = "company_lab.probing.seeded_bugs.paying"
SLOW = f"""
import time

from company_lab import declare
from {PAYING} import keys_only


@declare(kind="scripted")
def patient(task, session):
    time.sleep(0.03)
    return keys_only(task, session)
"""


@pytest.fixture
def bills(project: Path) -> str:
    """The scenario of the bank with four writes."""
    text = files("company_lab.probing.seeded_bugs").joinpath("pay_run.yaml").read_text("utf-8")
    (project / "bills.yaml").write_text(text, "utf-8")
    (project / "slow.py").write_text(SLOW, "utf-8")
    return "bills.yaml"


def test_a_bug_is_found_and_its_line_plays_it(lab: Lab, project: Path, bills: str) -> None:
    done = lab(
        "explore",
        bills,
        "--agent",
        f"{PAYING}:no_keys",
        "--order",
        "1",
        "--json",
        "found.json",
        folder=project,
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("Deterministic simulation; no model inference: pay_four_bills")
    assert "1 finding, each with a 1-minimal schedule" in done.stdout
    assert "kinds of fault, with the schedules that lead to it: lost_ack (4)" in done.stdout
    line = next(
        line.strip() for line in done.stdout.splitlines() if line.startswith("   company-lab explore")
    )
    again = lab(*shlex.split(line)[1:], folder=project)
    assert again.returncode == 1
    assert "FAULT lost_ack" in again.stdout
    assert "under lost_ack on bank.pay: failed" in again.stdout
    found = json.loads((project / "found.json").read_text("utf-8"))
    assert found["complete"]
    assert found["findings"][0]["command"] == line
    assert found["levels"][0]["failed"] == 20


def test_where_it_fails_without_faults_the_next_step_is_named(lab: Lab, project: Path, bills: str) -> None:
    (project / "idle.py").write_text(
        "from company_lab import declare\n\n\n@declare(kind='scripted')\ndef idle(task, session):\n    return ''\n",
        "utf-8",
    )
    done = lab("explore", bills, "--agent", "idle:idle", folder=project)
    assert "nothing was explored" in done.stdout
    assert "make this one pass first" in done.stdout
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("    company-lab explore"))
    again = lab(*shlex.split(line)[1:], folder=project)
    assert "under no fault: failed" in again.stdout, again.stderr


def test_a_sound_agent_breaks_nothing(lab: Lab, project: Path, bills: str) -> None:
    done = lab("explore", bills, "--agent", f"{PAYING}:correct", "--kinds", "crash,outage", folder=project)
    assert done.returncode == 0, done.stdout
    assert "No invariant broke" in done.stdout
    assert "episodes in" in done.stderr


def test_a_schedule_that_excuses_what_was_left_undone_says_so(lab: Lab, project: Path) -> None:
    schedule = '{"kind":"outage","on":"repairs.write_to_owner","by":"25h"}'
    done = lab(
        "explore",
        "scenarios/not_ready_yet.yaml",
        "--agent",
        "reference",
        "--schedule",
        schedule,
        folder=project,
    )
    assert "excused by the schedule: repairs.write_to_owner was never executed" in done.stdout


def test_a_killed_exploration_goes_on_where_it_was(
    lab: Lab, project: Path, bills: str, start: Callable[..., Popen[str]]
) -> None:
    words = ("explore", bills, "--agent", "slow:patient", "--kinds", "crash:after,outage")
    state = project / "state.jsonl"
    running = start(*words, "--state", "state.jsonl")
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline and not (state.exists() and state.read_bytes().count(b"\n") > 12):
        time.sleep(0.05)
    running.kill()
    running.communicate()
    assert running.returncode == -9
    had = state.read_bytes()
    before = had.count(b"\n")
    assert 12 < before < 50
    resumed = lab(*words, "--state", "state.jsonl", folder=project)
    whole = lab(*words, folder=project)
    assert resumed.returncode == whole.returncode == 1
    assert resumed.stdout == whole.stdout
    assert state.read_bytes().startswith(had[: had.rfind(b"\n") + 1])
    assert "of this exploration already" in resumed.stderr


def test_a_file_of_another_exploration_is_refused(lab: Lab, project: Path, bills: str) -> None:
    lab(
        "explore", bills, "--agent", f"{PAYING}:correct", "--order", "1", "--state", "s.jsonl", folder=project
    )
    done = lab(
        "explore", bills, "--agent", f"{PAYING}:no_keys", "--order", "1", "--state", "s.jsonl", folder=project
    )
    assert done.returncode == 2
    assert "s.jsonl was explored with another agent" in done.stderr


def test_a_bound_leaves_it_incomplete(lab: Lab, project: Path, bills: str) -> None:
    done = lab("explore", bills, "--agent", f"{PAYING}:correct", "--max-episodes", "10", folder=project)
    assert done.returncode == 3
    assert "67 not played" in done.stdout
    assert "Incomplete" in done.stdout


def test_processes_find_the_same(lab: Lab, project: Path, bills: str) -> None:
    words = ("explore", bills, "--agent", f"{PAYING}:one_retry", "--quiet")
    alone, shared = lab(*words, folder=project), lab(*words, "--workers", "2", folder=project)
    assert alone.stdout == shared.stdout
    assert alone.returncode == shared.returncode == 1


def test_an_agent_that_ends_its_process_is_told_of(lab: Lab, project: Path, bills: str) -> None:
    (project / "ending.py").write_text(
        "import os\nfrom company_lab import declare\nfrom "
        f"{PAYING} import correct\n\n\n@declare(kind='scripted')\ndef agent(task, session):\n"
        "    if task.restart is not None:\n        os._exit(7)\n    return correct(task, session)\n",
        "utf-8",
    )
    done = lab("explore", bills, "--agent", "ending:agent", "--workers", "2", "--quiet", folder=project)
    assert done.returncode == 2
    assert "ended with exit code 7" in done.stderr


def test_tiers_are_planned_without_playing(lab: Lab, project: Path, bills: str) -> None:
    done = lab("explore", bills, "--plan-only", folder=project)
    assert done.returncode == 0
    assert "the reference makes 4 writes" in done.stdout
    assert "nightly: 13 schedules, 2 trials, 26 episodes" in done.stdout
    assert "release: 37 schedules, 5 trials, 185 episodes" in done.stdout
    assert "rate: 299 episodes in all" in done.stdout


def test_a_tier_says_how_often_each_schedule_failed(lab: Lab, project: Path, bills: str) -> None:
    words = ("explore", bills, "--agent", f"{PAYING}:marks_done_first", "--tier", "nightly", "--quiet")
    done = lab(*words, "--replay-prefix", folder=project)
    assert done.returncode == 1
    assert "crash:before on bank.pay: failed in 2 of 2" in done.stdout
    assert "24 of them went on from a replayed prefix (84 calls): no independent trials" in done.stdout


def test_a_rate_of_a_script_is_no_rate(lab: Lab, project: Path, bills: str) -> None:
    words = ("explore", bills, "--agent", f"{PAYING}:correct", "--tier", "rate", "--quiet")
    done = lab(*words, folder=project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "299 episodes, 299 scored, 0 failed" in done.stdout
    assert "A scripted agent does the same again" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Give --agent or --agent-command"),
        (("--agent", "reference", "--agent-command", "python x.py"), "either --agent or --agent-command"),
        (("--agent", "reference", "--state", "/dev/null"), "no ordinary file"),
        (("--agent", "reference", "--trials", "3"), "belong to --tier"),
        (("--agent", "reference", "--tier", "rate", "--replay-prefix"), "independent episodes"),
        (("--agent", "reference", "--tier", "release", "--order", "1"), "leave out --order"),
        (("--agent", "reference", "--kinds", "crsh"), "did you mean crash?"),
        (("--agent", "reference", "--schedule", "[{]"), "is no JSON"),
        (("--agent", "reference", "--schedule", '[{"on":"bank.pya","kind":"lost_ack"}]'), "bank.pay"),
        (("--agent", "reference", "--schedule", "[]", "--tier", "commit"), "one schedule only"),
    ],
)
def test_what_can_not_be_is_wrong_use(
    lab: Lab, project: Path, bills: str, words: tuple[str, ...], said: str
) -> None:
    done = lab("explore", bills, *words, folder=project)
    assert done.returncode == 2
    assert said in done.stderr


def test_an_agent_that_may_do_something_else_is_played_again(lab: Lab, project: Path, bills: str) -> None:
    (project / "unsure.py").write_text(
        f"from {PAYING} import no_keys\n\n\nasync def agent(task, session):\n    return no_keys(task, session)\n",
        "utf-8",
    )
    words = ("explore", bills, "--agent", "unsure:agent", "--order", "1", "--kinds", "lost_ack")
    done = lab(*words, folder=project)
    assert done.returncode == 1
    assert done.stdout.startswith("Undeclared agent in a simulated company")
    assert "broke in 3 of 3 replays of this schedule" in done.stdout


def test_where_no_schedule_says_anything_nothing_is_claimed(lab: Lab, project: Path, bills: str) -> None:
    words = ("explore", bills, "--agent", f"{PAYING}:correct", "--kinds", "forged")
    done = lab(*words, folder=project)
    assert done.returncode == 3
    assert "No schedule says anything" in done.stdout


PROGRAM = """
import json
import os
import sys

number = 0
for line in sys.stdin:
    if json.loads(line)["kind"] != "task":
        continue
    for bill in ("B-1", "B-2", "B-3", "B-4"):
        for attempt in range(3):
            number += 1
            args = {"bill": bill, "key": f"pay-{bill}SUFFIX"}
            print(json.dumps({"kind": "call", "id": number, "tool": "bank.pay", "args": args}), flush=True)
            if json.loads(sys.stdin.readline())["kind"] == "result":
                break
    print(json.dumps({"kind": "reply", "text": "B-1, B-2, B-3 and B-4 were dealt with."}), flush=True)
"""


def test_a_program_is_explored_and_its_line_names_it(lab: Lab, project: Path, bills: str) -> None:
    (project / "pays.py").write_text(PROGRAM.replace("SUFFIX", "-{os.getpid()}"), "utf-8")
    words = ("--agent-command", "python pays.py", "--agent-protocol", "lines", "--agent-kind", "scripted")
    done = lab("explore", bills, *words, "--order", "1", "--kinds", "crash:after", "--quiet", folder=project)
    assert done.returncode == 1, done.stdout + done.stderr
    line = next(
        line.strip() for line in done.stdout.splitlines() if line.startswith("   company-lab explore")
    )
    assert "--agent-command 'python pays.py' --agent-protocol lines --agent-kind scripted" in line
    again = lab(*shlex.split(line)[1:], folder=project)
    assert again.returncode == 1
    assert "under crash:after on bank.pay: failed" in again.stdout


def test_a_full_disk_loses_nothing_that_was_kept(lab: Lab, project: Path, bills: str) -> None:
    words = ["explore", bills, "--agent", f"{PAYING}:correct", "--order", "1", "--quiet"]
    whole = lab(*words, "--state", "s.jsonl", folder=project)
    kept = (project / "s.jsonl").read_bytes()
    (project / "s.jsonl").write_bytes(b"")
    code = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({len(kept) // 2}, {len(kept) // 2}))\n"
        "from company_lab.cli import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    full = run(
        [sys.executable, "-c", code, *words, "--state", "s.jsonl"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert full.returncode == 2, full.stderr
    assert "s.jsonl can not be written" in full.stderr
    resumed = lab(*words, "--state", "s.jsonl", folder=project)
    assert resumed.stdout == whole.stdout
    assert (project / "s.jsonl").read_bytes() == kept


def test_a_file_with_other_words_in_it_is_refused(lab: Lab, project: Path, bills: str) -> None:
    words = ("explore", bills, "--agent", f"{PAYING}:correct", "--order", "1", "--state", "s.jsonl")
    lab(*words, folder=project)
    state = project / "s.jsonl"
    state.write_text(state.read_text("utf-8").replace('"passed"', '"perhaps"', 1), "utf-8")
    done = lab(*words, folder=project)
    assert done.returncode == 2
    assert "does not hold what an exploration wrote" in done.stderr
