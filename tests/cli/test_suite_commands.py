"""matrix, coverage and clone, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import Lab


def test_the_matrix_of_a_small_suite_is_played_written_and_checked(lab: Lab, project: Path) -> None:
    done = lab("matrix", "scenarios", "--markdown", "matrix.md", "-v", folder=project)
    assert "reference: passed " in done.stdout
    assert "hostile:idle: passed 0 of " in done.stdout
    assert "written to matrix.md" in done.stdout
    assert "| `hostile:staller` |" in (project / "matrix.md").read_text("utf-8")
    assert lab("matrix", "scenarios", "--markdown", "matrix.md", "--check", folder=project).returncode == 0
    (project / "matrix.md").write_text("# Mine\n")
    stale = lab("matrix", "scenarios", "--markdown", "matrix.md", "--check", folder=project)
    assert stale.returncode == 1
    assert "matrix.md is not current" in stale.stdout
    assert (project / "matrix.md").read_text("utf-8") == "# Mine\n"


def test_coverage_names_what_is_missing(lab: Lab, project: Path) -> None:
    for file in (project / "scenarios").glob("*.yaml"):
        file.write_text(file.read_text("utf-8") + "failure_class: unready\n", "utf-8")
    done = lab("coverage", "scenarios", folder=project)
    assert done.returncode == 1
    assert "hole: twin" in done.stdout
    assert "0 of 1 classes are covered" in done.stdout


def test_a_held_out_set_is_made_checked_and_played_on_purpose(lab: Lab, project: Path) -> None:
    made = lab("clone", "scenarios", "--output", "private", "--seed", "77", folder=project)
    assert made.returncode == 0, made.stdout + made.stderr
    assert json.loads((project / "private.commitment.json").read_text("utf-8"))["scenarios"] >= 1
    assert lab("clone", "scenarios", "--output", "private", "--check", folder=project).returncode == 0
    by_chance = lab("rehearse", "private", folder=project)
    assert by_chance.returncode == 2
    assert "--only held_out plays it on purpose" in by_chance.stderr
    assert lab("rehearse", "private", "--only", "held_out", folder=project).returncode == 0
    file = next((project / "private").glob("*.yaml"))
    file.write_text(file.read_text("utf-8").replace("severity: major", "") + "severity: minor\n", "utf-8")
    changed = lab("clone", "scenarios", "--output", "private", "--check", folder=project)
    assert changed.returncode == 1
    assert "digest was " in changed.stdout


def test_a_set_needs_a_seed(lab: Lab, project: Path) -> None:
    done = lab("clone", "scenarios", "--output", "private", folder=project)
    assert done.returncode == 2
    assert "--seed is missing" in done.stderr
    assert not (project / "private").exists()


@pytest.mark.parametrize(
    "words", [("matrix", "scenarios"), ("coverage", "scenarios"), ("audit", "scenarios"), ("world",)]
)
def test_a_check_that_would_compare_nothing_is_refused(
    lab: Lab, project: Path, words: tuple[str, ...]
) -> None:
    done = lab(*words, "--check", folder=project)
    assert done.returncode == 2
    assert "give --markdown FILE too" in done.stderr


def test_a_page_names_the_command_so_that_it_can_be_typed_again(lab: Lab, project: Path) -> None:
    (project / "scenarios").rename(project / "my scenarios")
    assert lab("matrix", "my scenarios", "--markdown", "a page.md", folder=project).returncode == 0
    command = "company-lab matrix 'my scenarios' --markdown 'a page.md'"
    assert command in (project / "a page.md").read_text("utf-8")
    assert "cd 'my project' && " in lab("init", "my project", folder=project).stdout
