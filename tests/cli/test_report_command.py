"""company-lab report, and the report of a run from Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import company_lab
from command import Lab, environment
from company_lab.company import SUITE

BARE = """
import sys
for name in ("markupsafe", "jinja2", "matplotlib"):
    sys.modules[name] = None
from company_lab.cli import main
main()
"""
"""The command as it is installed without any extra."""


def test_a_page_is_written_for_the_newest_run(lab: Lab, project: Path) -> None:
    assert lab("run", "scenarios", "--agent", "agent:agent", "--trials", "2", folder=project).returncode == 0
    done = lab("report", "--html", "page.html", folder=project)
    assert done.returncode == 0, done.stderr
    assert "written to page.html" in done.stderr
    assert done.stdout == ""
    page = (project / "page.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "Deterministic simulation; no model inference: 2 of 2 planned episodes scored" in page
    assert str(project) not in page


def test_without_a_file_the_report_goes_to_the_terminal(lab: Lab, project: Path) -> None:
    lab("run", "scenarios", "--agent", "agent:agent", folder=project)
    told = lab("report", folder=project).stdout
    assert told.startswith("Deterministic simulation; no model inference: 1 of 1")
    assert lab("runs", "last", folder=project).stdout.startswith(told)


@pytest.mark.parametrize(
    "command", [["report"], ["gate", "--policy", "release.yaml"], ["compare", "last", "last"]], ids=" ".join
)
def test_without_the_extra_a_page_is_refused_before_anything_is_done(
    lab: Lab, project: Path, command: list[str]
) -> None:
    lab("run", "scenarios", "--agent", "agent:agent", folder=project)
    done = subprocess.run(
        [sys.executable, "-c", BARE, *command, "--html", "page.html"],
        cwd=project,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "pip install 'company-lab[report]'" in done.stderr
    assert done.stdout == ""
    assert not (project / "page.html").exists()


def test_an_unknown_run_leaves_no_file_behind(lab: Lab, project: Path) -> None:
    lab("run", "scenarios", "--agent", "agent:agent", folder=project)
    done = lab("report", "nothing", "--html", "page.html", folder=project)
    assert done.returncode == 2
    assert "no run 'nothing'" in done.stderr
    assert not (project / "page.html").exists()


def test_a_file_that_can_not_be_written_is_named(lab: Lab, project: Path) -> None:
    lab("run", "scenarios", "--agent", "agent:agent", folder=project)
    done = lab("report", "--html", "missing/page.html", folder=project)
    assert done.returncode == 2
    assert "missing/page.html" in done.stderr


def test_from_python(tmp_path: Path) -> None:
    with company_lab.run(SUITE, trials=2, only="settlement") as run:
        run.report(html=tmp_path / "page.html")
    assert "planned episodes scored" in (tmp_path / "page.html").read_text("utf-8")


def test_several_forms_at_once_and_one_on_the_standard_output(lab: Lab, project: Path) -> None:
    lab("run", "scenarios", "--agent", "agent:agent", folder=project)
    done = lab("report", "--annotations", "-", "--csv", "run.csv", "--json", "run.json", folder=project)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("::notice title=company-lab::1 of 1 planned episodes passed.")
    assert (project / "run.csv").exists()
    assert (project / "run.json").exists()
    refused = lab("report", "--annotations", "-", "--markdown", "-", folder=project)
    assert refused.returncode == 2
    assert "takes one report" in refused.stderr


def test_a_junit_file_that_can_not_be_written_takes_no_report_with_it(lab: Lab, project: Path) -> None:
    (project / "junit.xml").mkdir()
    (project / "link.xml").symlink_to(project / "junit.xml" / "gone" / "junit.xml")
    done = lab("run", "scenarios", "--agent", "agent:agent", "--junit", "link.xml", folder=project)
    assert done.returncode == 2
    assert "link.xml: No such file or directory" in done.stderr
    assert "not_ready_yet  1/1" in done.stdout


def test_a_run_writes_junit_whatever_came_of_it(lab: Lab, project: Path) -> None:
    given = ("run", "scenarios", "--agent", "agents:pleasing", "--trials", "2", "--quiet", "--junit")
    done = lab(*given, "junit.xml", folder=project)
    assert done.returncode == 1
    assert (project / "junit.xml").read_text("utf-8").count("<failure ") == 2


@pytest.mark.fault("E17")
def test_a_report_that_can_not_be_written_is_told_before_anything_is_played(lab: Lab, project: Path) -> None:
    done = lab("run", "scenarios", "--agent", "agent:agent", "--junit", "missing/junit.xml", folder=project)
    assert done.returncode == 2
    assert "there is no folder missing" in done.stderr
    assert not (project / ".company-lab").exists()


def test_from_python_in_another_form(tmp_path: Path) -> None:
    with company_lab.run(SUITE, only="settlement") as run:
        run.report(junit=tmp_path / "junit.xml", markdown=tmp_path / "summary.md")
        with pytest.raises(company_lab.CompanyLabError, match="no report as markdwn; did you mean markdown"):
            run.report(markdwn=tmp_path / "summary.md")
    assert (tmp_path / "junit.xml").exists()
    assert (tmp_path / "summary.md").exists()
