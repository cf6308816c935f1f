"""The command where its caller has closed a stream: the shell's `>&-`."""

from __future__ import annotations

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
        timeout=50,
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
