"""Runs that are killed at any moment, resumed, and compared with an undisturbed one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import company_lab

POINTS = 20


@pytest.mark.skipif(sys.platform != "linux", reason="forks, and makes pipes small")
@pytest.mark.fault("E13", "A18", "A24")
def test_a_run_killed_at_any_moment_and_resumed_equals_an_undisturbed_one(tmp_path: Path) -> None:
    # From a copy of the package: a plan holds its digest, and whoever edits it meanwhile changes that.
    package = Path(company_lab.__file__).parent
    shutil.copytree(package, tmp_path / "lib" / "company_lab")
    done = subprocess.run(
        [
            sys.executable,
            str(Path(__file__).parents[1] / "support" / "killing.py"),
            str(tmp_path / "project"),
            str(POINTS),
        ],
        env=os.environ | {"PYTHONPATH": str(tmp_path / "lib"), "NO_COLOR": "1", "COLUMNS": "120"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=150,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= POINTS // 2  # otherwise the kills came too early or too late to mean anything
