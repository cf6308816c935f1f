"""Suite: a folder of scenario files, or one file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from company_lab.formats.canonical import digest
from company_lab.formats.errors import Problem, nearest
from company_lab.formats.yaml import collection_paused, scan_yaml
from company_lab.scenarios.hosts import host_of
from company_lab.scenarios.loader import Reading, Worlds, finish, note_repeated_ids, read_scenarios
from company_lab.scenarios.model import Suite

SUFFIXES = (".yaml", ".yml")
OTHERS = frozenset({"node_modules", "site-packages"})
"""Folders of installed packages, whose files are nobody's scenarios."""


def load_suite(path: str | os.PathLike[str], worlds: Worlds) -> Suite:
    """The scenarios of a folder, with all folders in it, or of one file; ordered by file and position.

    `HOST:NAME` names a suite that a host has, such as `agentdojo:banking`; see `scenarios.hosts`.

    Hidden files and folders, environments and installed packages are passed over. Raises `Problems` with
    everything that is wrong with any file, for ids that stand twice, for links that lead nowhere, and for a suite
    without scenarios.
    """
    hosted = host_of(os.fspath(path))
    if hosted is not None:
        return hosted.host.suite(hosted.name)
    root = Path(path)
    readings: list[Reading] = []
    problems: list[Problem] = []
    files = list(_files(root, problems))
    for file in files:
        text = _read(file, problems)
        if text is not None:
            with collection_paused(len(text)):
                found, wrong = read_scenarios(text, file=str(file), worlds=worlds)
            readings += found
            problems += wrong
    if not files and not problems:
        problems.append(
            Problem(
                message="there are no scenarios here",
                file=str(root),
                expected="at least one file that ends in .yaml or .yml",
            )
        )
    note_repeated_ids(readings)
    _note_links(readings, root)
    scenarios = finish(readings, problems, [str(file) for file in files])
    content = digest({scenario.id: scenario.digest for scenario in scenarios})
    return Suite(scenarios=scenarios, path=root, digest=content)


def _files(root: Path, problems: list[Problem]) -> Iterator[Path]:
    if not root.is_dir():
        yield root
        return

    def note(error: OSError) -> None:
        problems.append(_unreadable(Path(error.filename), error))

    found: list[Path] = []
    for folder, folders, names in os.walk(root, onerror=note):
        folders[:] = [name for name in folders if _may_hold_scenarios(Path(folder, name))]
        found += [
            Path(folder, name)
            for name in names
            if name.lower().endswith(SUFFIXES) and not name.startswith(".")
        ]
    for file in sorted(found, key=lambda file: file.relative_to(root).parts):
        # Whoever opens a pipe waits for a writer. As `root` itself one is meant, and read.
        if os.path.exists(file) and not os.path.isfile(file):
            problems.append(Problem(message="can not be read: it is a pipe or a device", file=str(file)))
        else:
            yield file


def _may_hold_scenarios(folder: Path) -> bool:
    if folder.name.startswith(".") or folder.name in OTHERS:
        return False
    # Not `Path.exists`: a folder that may not be looked into is told as such when it is walked.
    return not os.path.exists(folder / "pyvenv.cfg")


def _read(file: Path, problems: list[Problem]) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError as error:
        problems.append(_unreadable(file, error))
        return None


def _unreadable(file: Path, error: OSError) -> Problem:
    if isinstance(error, FileNotFoundError):
        if file.is_symlink():
            message = f"it is a link to {file.readlink()}, and there is no such file or folder"
            return Problem(message=message, file=str(file))
        try:
            names = [other.name for other in file.parent.iterdir()]
        except OSError:
            names = []
        close = nearest(file.name, names)
        return Problem(
            message="there is no such file or folder",
            file=str(file),
            nearest=str(file.parent / close) if close else None,
        )
    return Problem(message=f"can not be read: {error.strerror or error}", file=str(file))


def _note_links(readings: list[Reading], root: Path) -> None:
    """`twin_of` and `variant` name scenarios of the suite; of a single file, also of its folder."""
    ids = {reading.id for reading in readings if reading.id is not None}
    beside: set[str] | None = None
    for reading in readings:
        for key in ("twin_of", "variant"):
            name = reading.text(key)
            if name is None:
                continue
            if name == reading.id:
                reading.findings.add((key,), "a scenario can not be its own counterpart", found=name)
            elif name not in ids:
                if beside is None:
                    beside = set() if root.is_dir() else set(_ids_beside(root))
                if name not in beside:
                    close = nearest(name, ids | beside)
                    reading.findings.add((key,), f"there is no scenario {name} in the suite", nearest=close)


def _ids_beside(file: Path) -> Iterator[str]:
    for other in _files(file.parent, []):
        text = _read(other, [])
        for document in scan_yaml(text)[0] if text is not None else ():
            if isinstance(document.value, dict) and isinstance(document.value.get("id"), str):
                yield str(document.value["id"])
