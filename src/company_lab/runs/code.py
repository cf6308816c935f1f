"""Which code a run depends on: package version, digests of modules, commit.

Digests of code look past the kind of line ends, so that two checkouts of one commit agree.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from company_lab.formats.canonical import Json
from company_lab.runs.imports import imported_files

_GIT_SECONDS = 5.0


def code_identity(modules: Iterable[str], folder: Path | None = None) -> dict[str, Json]:
    """Digests of the package, of the named modules and what they import beside them, and the commit around `folder`.

    A module without a source file (built in, typed at a prompt) is listed as null: nothing can be said of
    it. Installed packages are told apart by the commit at most; files that are no Python by it alone.
    """
    named = set(modules)
    return {
        "company_lab": {"version": version("company-lab"), "digest": package_digest("company_lab")},
        "modules": dict(sorted(_digests(named).items())),
        "commit": _commit(folder or Path.cwd()),
    }


def _digests(modules: Iterable[str]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name in modules:
        file = getattr(sys.modules.get(name), "__file__", None)
        found[name] = None if file is None else file_digest(Path(file))
        if file is not None and name.partition(".")[0] != "company_lab":
            found |= {inner: file_digest(place) for inner, place in imported_files(name, Path(file)).items()}
    return found


def file_digest(file: Path) -> str | None:
    """SHA-256 of a source file, or None where it can not be read."""
    try:
        return hashlib.sha256(file.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
    except OSError:
        return None


@lru_cache(maxsize=8)
def package_digest(name: str) -> str:
    """SHA-256 over the paths and contents of every Python file of a package."""
    spec = find_spec(name)
    total = hashlib.sha256()
    for place in (spec.submodule_search_locations or ()) if spec else ():
        root = Path(place)
        for file in sorted(root.rglob("*.py")):
            total.update(f"{file.relative_to(root).as_posix()}\0".encode())
            total.update((file_digest(file) or "").encode())
    return total.hexdigest()


def _commit(folder: Path) -> Json:
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None:
        return None
    difference = _git(folder, "diff", "HEAD", "--no-ext-diff", "--no-textconv", "--no-color", "--binary")
    changed = "unknown" if difference is None else None
    if difference:
        changed = hashlib.sha256(difference).hexdigest()
    return {"id": commit.decode("ascii", "replace").strip(), "uncommitted": changed}


def _git(folder: Path, *arguments: str) -> bytes | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
