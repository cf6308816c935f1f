"""The command in a fresh project, in a process of its own."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import company_lab.cli
from command import AGENTS, COMMAND, Lab, environment
from warm import warm_command

STARTER = Path(company_lab.cli.__file__).parent / "starter"


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """Runs the command in a folder (a fresh one) and returns what came of it."""

    def run(
        *arguments: str, folder: Path | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*(COMMAND if starts_otherwise(variables) else warm_command()), *arguments],
            cwd=folder or tmp_path,
            env=environment(**variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding=variables.get("PYTHONIOENCODING", "utf-8"),
            timeout=150,
            check=False,
        )

    return run


def starts_otherwise(variables: Mapping[str, str]) -> bool:
    """Whether the interpreter itself looks at one of these variables when it starts."""
    return any(name.startswith("PYTHON") and name != "PYTHONIOENCODING" for name in variables)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project that `company-lab init` makes, with more agents in `agents.py`."""
    folder = tmp_path / "project"
    shutil.copytree(STARTER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "agents.py").write_text(AGENTS, encoding="utf-8")
    return folder


@pytest.fixture
def start(project: Path) -> Callable[..., subprocess.Popen[str]]:
    """Starts the command in the project and returns at once."""

    def begin(*arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=project,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    return begin
