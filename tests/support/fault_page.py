"""Which known failures are caught by which tests: read from the markers, without running anything."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).parents[1]
LIST = TESTS / "known_failures.toml"
PAGE = TESTS.parent / "docs" / "faults_covered.md"

_HEAD = """\
# Known failures

Ways in which systems like this one have gone wrong before, in our own words, and the tests that show they do not
happen here. A test names the failure it catches with `@pytest.mark.fault("...")`; `scripts/faults` writes this page,
and a test sees that it is up to date and that every failure has a test or a reason.
"""


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """One way to go wrong. `open` says what no test can show yet."""

    name: str
    failure: str
    open: str | None


def known_failures() -> list[KnownFailure]:
    """The list, in its order."""
    entries = tomllib.loads(LIST.read_text("utf-8"))
    return [KnownFailure(name, entry["failure"], entry.get("open")) for name, entry in entries.items()]


def marked_tests(folder: Path = TESTS) -> dict[str, list[str]]:
    """The tests that name each failure, as `folder/file.py::test`."""
    found: dict[str, list[str]] = {}
    for file in sorted(folder.rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for name in _faults(node.decorator_list):
                    found.setdefault(name, []).append(f"{file.relative_to(folder).as_posix()}::{node.name}")
    return found


def _faults(decorators: Sequence[ast.expr]) -> Iterator[str]:
    for decorator in decorators:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.fault":
            yield from (
                str(argument.value) for argument in decorator.args if isinstance(argument, ast.Constant)
            )


def page(failures: Sequence[KnownFailure], tests: Mapping[str, Sequence[str]]) -> str:
    """The page, as Markdown."""
    lines = [_HEAD, "| | what went wrong | caught by |", "|---|---|---|"]
    for known in failures:
        caught = [
            f"`{test.partition('::')[2]}` ({test.partition('::')[0]})" for test in tests.get(known.name, ())
        ]
        rest = [f"*not yet:* {known.open}"] if known.open else []
        lines.append(f"| {known.name} | {known.failure} | {'<br>'.join([*caught, *rest])} |")
    covered = sum(known.name in tests for known in failures)
    lines.append(f"\n{covered} of {len(failures)} are caught by at least one test.")
    return "\n".join(lines) + "\n"
