"""Where a store lies when nobody says so."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "COMPANY_LAB_STORE"
DEFAULT = Path(".company-lab") / "runs.db"


def store_path(given: str | os.PathLike[str] | None = None) -> Path:
    """The file named by the caller, else by COMPANY_LAB_STORE, else `.company-lab/runs.db` under this folder.

    A folder stands for the file `runs.db` in it.
    """
    path = Path(given) if given is not None else Path(os.environ.get(VARIABLE) or DEFAULT)
    return (path / DEFAULT.name if path.is_dir() else path).absolute()
