"""The floors of the house, checked by import-linter; and the contracts themselves, checked for teeth."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLEAN = {
    "__init__": "",
    "formats/__init__": "",
    "formats/money": "import decimal",
    "scenarios/__init__": "from company_lab.formats import money",
    "traces/__init__": "",
    "worlds/__init__": "from company_lab.scenarios import money",
    "evaluation/__init__": "import company_lab.traces",
    "company/__init__": "import company_lab.worlds",
    "runs/__init__": "import sqlalchemy, company_lab.company, company_lab.evaluation",
    "cli/__init__": "import click, company_lab.runs",
}


def lint_imports(folder: Path, *, package_in: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(package_in)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def small_house(folder: Path, changes: dict[str, str]) -> Path:
    for module, text in (CLEAN | changes).items():
        path = folder / "company_lab" / f"{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def test_every_floor_imports_only_floors_below_it() -> None:
    linted = lint_imports(ROOT, package_in=ROOT / "src")
    assert linted.returncode == 0, linted.stdout + linted.stderr


def test_the_contracts_accept_a_house_in_order(tmp_path: Path) -> None:
    linted = lint_imports(small_house(tmp_path, {}), package_in=tmp_path)
    assert linted.returncode == 0, linted.stdout + linted.stderr


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"formats/time": "import company_lab.scenarios"}, id="a floor above"),
        pytest.param({"formats/time": "def f():\n    import company_lab.runs"}, id="a floor above, late"),
        pytest.param({"worlds/guard": "import company_lab.evaluation"}, id="worlds import evaluation"),
        pytest.param({"evaluation/judge": "import company_lab.worlds"}, id="evaluation imports worlds"),
        pytest.param({"company/mail": "import company_lab.evaluation"}, id="the company imports evaluation"),
        pytest.param({"evaluation/judge": "import sqlalchemy"}, id="a database in the core"),
        pytest.param({"worlds/clock": "from rich import print"}, id="a terminal in the core"),
        pytest.param({"company/mail": "import smtplib"}, id="a socket in the company"),
        pytest.param({"utils/__init__": ""}, id="a floor without a place"),
    ],
)
def test_the_contracts_refuse(changes: dict[str, str], tmp_path: Path) -> None:
    linted = lint_imports(small_house(tmp_path, changes), package_in=tmp_path)
    assert linted.returncode == 1, linted.stdout + linted.stderr
    assert "BROKEN" in linted.stdout or "not declared" in linted.stdout
