"""company-lab audit, as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

from command import Lab

BAD = Path(__file__).parents[1] / "probing" / "bad_suite"
GOOD = Path(__file__).parents[1] / "probing" / "good_suite"


def test_a_suite_that_would_notice_ends_with_0_and_is_remembered(lab: Lab, tmp_path: Path) -> None:
    done = lab("audit", str(GOOD), "--store", "runs.db")
    assert done.returncode == 0, done.stderr
    assert "0 blocking, 0 warnings" in done.stdout
    assert "stored in" in done.stdout
    assert (tmp_path / "runs.db").exists()


def test_a_finding_that_blocks_ends_with_1_and_says_where(lab: Lab) -> None:
    done = lab("audit", str(BAD / "a6.yaml"), "--only", "A6", "--processes", "1")
    assert done.returncode == 1
    assert "block A6 " in done.stdout
    assert "a6.yaml:" in done.stdout
    assert "say `times: 1`" in done.stdout
    assert "not stored" in done.stdout


def test_a_warning_alone_is_no_failure(lab: Lab) -> None:
    done = lab("audit", str(BAD / "b4.yaml"), "--quiet", "--store", "runs.db")
    assert done.returncode == 0
    assert "1 warning," in done.stdout
    assert "warn B4" not in done.stdout
    assert done.stderr == ""


def test_json_is_one_object(lab: Lab) -> None:
    done = lab("audit", str(BAD / "c1.yaml"), "--json", "--store", "runs.db")
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert (document["format"], document["blocking"], document["warnings"]) == (1, 1, 0)
    assert document["findings"][0]["location"]["path"] == "expected.told.states[0]"


def test_an_unknown_audit_is_wrong_use(lab: Lab) -> None:
    done = lab("audit", str(GOOD), "--only", "Z9")
    assert done.returncode == 2
    assert "there is no audit Z9" in done.stderr


def test_a_page_is_written_and_checked(lab: Lab, tmp_path: Path) -> None:
    suite = str(BAD / "b4.yaml")
    assert lab("audit", suite, "--markdown", "audit.md", "--quiet").returncode == 0
    assert "| B4 | too strict | 0 | 1 | 0 |" in (tmp_path / "audit.md").read_text("utf-8")
    assert lab("audit", suite, "--markdown", "audit.md", "--check", "--quiet").returncode == 0
    (tmp_path / "audit.md").write_text("# Mine\n", "utf-8")
    stale = lab("audit", suite, "--markdown", "audit.md", "--check", "--quiet")
    assert stale.returncode == 1
    assert "audit.md is not current" in stale.stdout


def test_a_page_is_not_written_over_a_scenario(lab: Lab, tmp_path: Path) -> None:
    scenario = tmp_path / "b4.yaml"
    scenario.write_bytes((BAD / "b4.yaml").read_bytes())
    done = lab("audit", str(scenario), "--markdown", str(scenario), "--only", "A1")
    assert done.returncode == 2
    assert "is no page of an audit" in done.stderr
    assert scenario.read_bytes() == (BAD / "b4.yaml").read_bytes()
