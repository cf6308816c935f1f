"""The floors that decide what an episode means depend on scenario and seed alone.

They read no wall clock, no global randomness, no environment and no network.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "company_lab"
CORE = ["formats", "scenarios", "traces", "worlds", "evaluation", "company"]
FORBIDDEN = {
    "datetime.date.today",
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
    "os.environ",
    "os.getenv",
    "os.urandom",
    "secrets",
    "time.monotonic",
    "time.perf_counter",
    "time.sleep",
    "time.time",
    "time.time_ns",
    "urllib.request",
    "uuid.uuid1",
    "uuid.uuid4",
}
# A stream seeded by the scenario is fine; the functions of the module draw from one that nobody seeded.
SEEDED = {"random.Random"}


def names_used(source: str) -> Iterator[tuple[int, str]]:
    """Each dotted name of a module, with its line, spelled from the import it comes from."""
    tree = ast.parse(source)
    origins: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                origins[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                origins[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                yield node.lineno, f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            parts = [node.attr]
            inner = node.value
            while isinstance(inner, ast.Attribute):
                parts.append(inner.attr)
                inner = inner.value
            if isinstance(inner, ast.Name) and inner.id in origins:
                yield node.lineno, ".".join([origins[inner.id], *reversed(parts)])


def impure(source: str) -> list[tuple[int, str]]:
    """The uses that would make the same seed give different bytes, or reach outside."""
    return sorted(
        (line, name)
        for line, name in set(names_used(source))
        if any(name == banned or name.startswith(f"{banned}.") for banned in FORBIDDEN)
        or (name.startswith("random.") and not any(name == s or name.startswith(f"{s}.") for s in SEEDED))
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import time\ntime.time()", ["time.time"]),
        ("from datetime import datetime as moment\nmoment.now(zone)", ["datetime.datetime.now"]),
        ("import datetime\ndatetime.datetime.now(datetime.UTC)", ["datetime.datetime.now"]),
        ("import random\nrandom.choice([1])", ["random.choice"]),
        ("from random import shuffle", ["random.shuffle"]),
        ("import os\nos.environ['X']", ["os.environ"]),
        ("import urllib.request", ["urllib.request"]),
        ("import random\nrandom.Random(7).random()", []),
        ("from datetime import datetime\ndatetime.fromisoformat('2026-03-05')", []),
        ("from urllib.parse import unquote\nunquote('a')", []),
        ("world.time.time()", []),
    ],
)
def test_what_counts_as_impure(source: str, expected: list[str]) -> None:
    assert [name for _, name in impure(source)] == expected


@pytest.mark.parametrize("floor", CORE)
def test_the_core_depends_on_scenario_and_seed_alone(floor: str) -> None:
    found = {
        f"{module.relative_to(PACKAGE)}:{line}": name
        for module in (PACKAGE / floor).rglob("*.py")
        for line, name in impure(module.read_text("utf-8"))
    }
    assert not found
