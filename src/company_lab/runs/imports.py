"""Which files a module's source imports from beside it, found by reading it and not by running it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path

MOST_FILES = 2000
_INSTALLED = frozenset({"site-packages", "dist-packages"})
_NEVER = frozenset({"company_lab"})
"""The package has a digest of its own."""


def imported_files(name: str, file: Path) -> dict[str, Path]:
    """Modules that lie in the same folder of modules as `name`, and that it imports, directly or not.

    An installed module is followed within its own package only. Imports by a name that is made up while
    the program runs are not seen, and no more than `MOST_FILES` files are followed.
    """
    file = file.resolve()
    depth = name.count(".") + (file.name == "__init__.py")
    if depth >= len(file.parents):
        return {}
    root = file.parents[depth]
    top = name.partition(".")[0] if _INSTALLED & set(root.parts) else None
    found: dict[str, Path] = {}
    waiting = [(name, file)]
    while waiting and len(found) < MOST_FILES:
        for other in _imported(*waiting.pop()):
            first = other.partition(".")[0]
            if other in found or other == name or first in _NEVER or (top is not None and first != top):
                continue
            place = _file_of(root, other)
            if place is not None:
                found[other] = place
                waiting.append((other, place))
    return found


def _file_of(root: Path, name: str) -> Path | None:
    place = root.joinpath(*name.split("."))
    for file in (place / "__init__.py", place.with_name(f"{place.name}.py")):
        if file.is_file():
            return file
    return None


def _imported(name: str, file: Path) -> Iterator[str]:
    """Every name that may be a module, with the packages around it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # whoever imports the file hears of them
            tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _with_packages(alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = _base(package, node.level, node.module)
            if base is not None:
                yield from _with_packages(base)
                prefix = f"{base}." if base else ""
                yield from (f"{prefix}{alias.name}" for alias in node.names if alias.name != "*")


def _base(package: str, level: int, module: str | None) -> str | None:
    if level == 0:
        return module
    parts = package.split(".") if package else []
    if level - 1 > len(parts):
        return None
    kept = parts[: len(parts) - (level - 1)]
    return ".".join([*kept, *([module] if module else [])])


def _with_packages(name: str) -> Iterator[str]:
    parts = [part for part in name.split(".") if part]
    for end in range(1, len(parts) + 1):
        yield ".".join(parts[:end])
