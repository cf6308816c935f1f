"""What the command does where the store can not, or no longer, take what it is given."""

from __future__ import annotations

import re
import resource
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from command import COMMAND, Lab, environment
from company_lab.runs import Store


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on file sizes")
@pytest.mark.fault("E14")
def test_a_disk_that_ends_exits_with_3_and_keeps_what_was_stored(project: Path, lab: Lab) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    done = subprocess.run(
        [*COMMAND, "run", "scenarios", "--trials", "300"],
        cwd=project,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=150,
        check=False,
        preexec_fn=limit,
    )
    assert done.returncode == 3, done.stderr
    assert "runs.db" in done.stderr
    assert "space" in done.stderr
    assert "Traceback" not in done.stderr
    with Store(project / ".company-lab" / "runs.db") as store:
        run = store.resolve()
        stored = store.entry(run).stored
        assert 0 < stored < 300
        assert all(episode.trace.stop == "finished" for episode in store.stored(run))
    resumed = lab("run", "--resume", "--quiet", folder=project)
    assert resumed.returncode == 0, resumed.stderr
    assert "300 of 300 planned episodes scored" in resumed.stdout


@pytest.mark.parametrize("place", ["file.txt/runs.db", "scenarios/not_ready_yet.yaml"])
def test_a_place_that_can_not_be_a_store_exits_with_2(lab: Lab, project: Path, place: str) -> None:
    (project / "file.txt").write_text("mine", "utf-8")
    done = lab("run", "scenarios", "--store", place, folder=project)
    assert done.returncode == 2
    assert place in done.stderr
    assert "Traceback" not in done.stderr
    assert (project / "file.txt").read_text("utf-8") == "mine"


def test_a_store_of_a_later_version_exits_with_2(lab: Lab, project: Path) -> None:
    import sqlite3

    assert lab("run", "scenarios", folder=project).returncode == 0
    raw = sqlite3.connect(project / ".company-lab" / "runs.db")
    raw.execute("update company_lab_store set format = 2")
    raw.commit()
    raw.close()
    for arguments in (["run", "scenarios"], ["runs"], ["show", "not_ready_yet", "1"]):
        done = lab(*arguments, folder=project)
        assert done.returncode == 2
        assert "format 2" in done.stderr


@pytest.mark.fault("E16")
def test_commands_that_start_at_once_in_an_empty_folder_lose_nothing(
    project: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    running = [start("run", "scenarios", "--trials", "20", "--quiet") for _ in range(3)]
    for process in running:
        _, errors = process.communicate(timeout=150)
        assert process.returncode == 0, errors
    with Store(project / ".company-lab" / "runs.db", create=False) as store:
        assert [entry.outcomes for entry in store.runs()] == [{"passed": 20}] * 3


def test_the_lines_a_report_prints_find_a_store_that_lies_elsewhere(lab: Lab, project: Path) -> None:
    told = lab(
        "run", "scenarios", "--agent", "agents:pleasing", "--store", "mine.db", "--quiet", folder=project
    )
    again = lab("runs", "last", "--store", "mine.db", folder=project)
    for page in (told.stdout, again.stdout):
        (line,) = {found.strip() for found in re.findall("company-lab show .*", page)}
        shown = lab(*shlex.split(line)[1:], folder=project)
        assert shown.returncode == 0, shown.stderr
        assert "not_ready_yet" in shown.stdout
    unknown = lab("show", "nobody", "not_ready_yet", "1", "--store", "mine.db", folder=project)
    assert "`company-lab runs --store mine.db` lists them" in unknown.stderr


def test_a_page_that_travels_names_no_folder_of_whoever_wrote_it(
    lab: Lab, project: Path, tmp_path: Path
) -> None:
    store = str(tmp_path / "private" / "mine.db")
    lab("run", "scenarios", "--agent", "agents:pleasing", "--store", store, "--quiet", folder=project)
    forms = ("junit", "annotations", "markdown", "html")
    made = lab(
        "report",
        "--store",
        store,
        *(word for form in forms for word in (f"--{form}", f"r.{form}")),
        folder=project,
    )
    assert made.returncode == 0, made.stderr
    assert all("private" not in (project / f"r.{form}").read_text("utf-8") for form in forms)
