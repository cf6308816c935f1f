"""What holds for the files that are shipped, whatever they say."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CACHES = {".hypothesis", ".import_linter_cache", ".mypy_cache", ".pytest_cache", ".ruff_cache", "__pycache__"}
BUILT = CACHES | {".git", ".venv", "_build", "build", "dist"}
LONGEST_MODULE = 400

# Homes and work trees of a particular machine; an address such as https://host/home/page is none.
MACHINE_PATH = re.compile(
    r"(?<![\w.:/~-])/(?:root|work|home/[\w.-]+|Users/[\w.-]+|var/folders|private/tmp)/[\w.-]|[A-Z]:\\+Users\\+\w"
)


def shipped_files() -> list[Path]:
    """The files under version control or about to be; without git, every file that was not built."""
    git = shutil.which("git")
    if git and (ROOT / ".git").exists():
        listing = subprocess.run(
            [git, "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    else:
        paths = [path for path in ROOT.rglob("*") if not BUILT & set(path.relative_to(ROOT).parts)]
    return sorted(path for path in paths if path.is_file())


def text_of(path: Path) -> str | None:
    content = path.read_bytes()
    if b"\0" in content:
        return None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def machine_paths(text: str) -> Iterator[int]:
    """The numbers of the lines that name a machine's path."""
    return (number for number, line in enumerate(text.splitlines(), 1) if MACHINE_PATH.search(line))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("open('" + "/home" + "/ada/notes.txt')", True),
        ("cache: " + "/root" + "/cache", True),
        ("C:" + r"\Users\ada", True),
        ("https://host.example.test/home/ada/notes", False),
        ("src/work/module.py", False),
        ("~/work/module.py", False),
        ("and/or, received/root/cause", False),
    ],
)
def test_a_machine_path_is_told_from_other_text(line: str, found: bool) -> None:
    assert bool(list(machine_paths(line))) == found


def test_no_shipped_file_names_a_path_of_a_machine() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in shipped_files()
        for number in machine_paths(text_of(path) or "")
    ]
    assert not found


def test_modules_stay_short() -> None:
    modules = [path for path in shipped_files() if path.suffix == ".py" and path.is_relative_to(ROOT / "src")]
    assert modules
    lengths = {str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines()) for path in modules}
    assert not {module: length for module, length in lengths.items() if length >= LONGEST_MODULE}
