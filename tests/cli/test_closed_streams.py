"""The command where nobody takes what it prints: a stream closed by the caller, a reader that left, a full disk."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from command import COMMAND, environment
from company_lab.runs import Store


def closed(project: Path, streams: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", f"exec {shlex.join([*COMMAND, *arguments])} {streams}"],
        cwd=project,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=150,
        check=False,
    )


@pytest.mark.parametrize("streams", [">&-", "<&- >&-", "<&- >&- 2>&-"])
def test_a_run_whose_output_nobody_wants_is_stored_and_says_by_its_code_how_it_went(
    project: Path, streams: str
) -> None:
    good = closed(project, streams, "run", "scenarios", "--agent", "agents:honest", "--store", "s.db")
    assert (good.returncode, "Traceback" in good.stderr, good.stdout) == (0, False, "")
    bad = closed(project, streams, "run", "scenarios", "--agent", "agents:pleasing", "--store", "s.db")
    assert (bad.returncode, "Traceback" in bad.stderr) == (1, False)
    # What is printed must not end up in the file that got the number of the closed stream.
    with Store(project / "s.db", create=False) as store:
        assert [dict(entry.outcomes) for entry in store.runs()] == [{"passed": 1}, {"failed": 1}]


def test_errors_that_nobody_hears_still_have_their_code(project: Path) -> None:
    assert closed(project, ">&- 2>&-", "run", "nowhere", "--agent", "reference").returncode == 2


def unread(project: Path, *arguments: str, errors_too: bool = False) -> int:
    """The exit code where whoever read the output has gone before anything was printed."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=project,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=writer if errors_too else subprocess.PIPE,
            timeout=100,
            check=False,
        )
    finally:
        os.close(writer)
    assert errors_too or b"Traceback" not in done.stderr
    return done.returncode


@pytest.mark.parametrize("errors_too", [False, True])
def test_a_reader_that_leaves_stops_no_run_and_turns_no_failure_into_a_pass(
    project: Path, errors_too: bool
) -> None:
    failing = ("run", "scenarios", "--agent", "agents:pleasing", "--store", "s.db")
    assert unread(project, *failing, "--json-lines", errors_too=errors_too) == 1
    policy = "{format: 1, use: unattended, evidence: real model, trials: 5, pass_k: {k: 3, across: 0.8}}"
    (project / "policy.yaml").write_text(policy, "utf-8")
    assert (
        unread(project, "gate", "--policy", "policy.yaml", "--store", "s.db", errors_too=errors_too) == 3
    )  # one trial
    assert unread(project, "judge", "--store", "s.db", errors_too=errors_too) == 1
    assert unread(project, "run", "nowhere", errors_too=errors_too) == 2
    with Store(project / "s.db", create=False) as store:
        assert [(entry.status, dict(entry.outcomes)) for entry in store.runs()] == [
            ("finished", {"failed": 1})
        ]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
def test_output_that_does_not_fit_on_the_disk_is_told_and_is_no_success(project: Path) -> None:
    good = closed(project, ">/dev/full", "run", "scenarios", "--agent", "agents:honest", "--store", "s.db")
    assert good.returncode == 3
    assert good.stderr.splitlines()[-1] == (
        "company-lab: standard output could not be written: No space left on device"
    )
    assert closed(project, ">/dev/full", "run", "scenarios", "--agent", "agents:pleasing").returncode == 1


def test_a_folder_that_is_gone_is_told_in_one_line(project: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"mkdir gone && cd gone && rmdir ../gone && exec {shlex.join([*COMMAND, 'runs'])}"],
        cwd=project,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is gone" in done.stderr
