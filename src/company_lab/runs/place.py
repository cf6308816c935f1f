"""Where a store lies when nobody says so, and what a command says when it lies elsewhere."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

VARIABLE = "COMPANY_LAB_STORE"
DEFAULT = Path(".company-lab") / "runs.db"


def store_path(given: str | os.PathLike[str] | None = None) -> Path:
    """The file named by the caller, else by COMPANY_LAB_STORE, else `.company-lab/runs.db` under this folder.

    A folder stands for the file `runs.db` in it.
    """
    path = Path(given) if given is not None else Path(os.environ.get(VARIABLE) or DEFAULT)
    return (path / DEFAULT.name if path.is_dir() else path).absolute()


def store_words(path: Path) -> str:
    """` --store FILE`, for the end of a command line; nothing where a command finds the store by itself."""
    if path == store_path():
        return ""
    here = Path.cwd()
    return f" --store {shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))}"
