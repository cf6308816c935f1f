"""What is loaded when: measured in fresh processes, so that late and indirect imports count too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "company_lab"
# From the ground up; floors in one group never load each other.
FLOORS = [
    ["formats"],
    ["scenarios"],
    ["traces"],
    ["worlds", "evaluation"],
    ["company"],
    ["agents"],
    ["episodes"],
    ["runs"],
    ["probing"],
    ["release"],
    ["reports"],
    ["review"],
    ["interop"],
    ["library"],
    ["cli", "pytest_plugin"],
]
HEAVY = {"click", "numpy", "pydantic", "rich", "scipy", "sqlalchemy", "yaml", "zstandard"}

# Every module of the floor; one that needs an optional dependency which is not installed is passed over.
LOAD_FLOOR = """
import importlib, json, pkgutil, sys
names = [sys.argv[1]]
for name in names:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if (missing.name or "company_lab").partition(".")[0] == "company_lab":
            raise
        continue
    names += [m.name for m in pkgutil.iter_modules(getattr(module, "__path__", []), name + ".")]
print(json.dumps(sorted(sys.modules)))
"""


def exists(floor: str) -> bool:
    return (PACKAGE / floor / "__init__.py").is_file() or (PACKAGE / f"{floor}.py").is_file()


def foreign_to(floor: str) -> set[str]:
    """The floors that a floor must not load: those above it and those beside it."""
    place = next(place for place, group in enumerate(FLOORS) if floor in group)
    strangers = {name for group in FLOORS[place:] for name in group} - {floor}
    return strangers | {"evaluation"} if floor == "company" else strangers


def loaded_by(code: str, *arguments: str) -> set[str]:
    finished = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, encoding="utf-8", check=False
    )
    assert finished.returncode == 0, finished.stderr
    return set(json.loads(finished.stdout))


def cpu_seconds(code: str) -> float:
    """User and system time of one fresh interpreter that runs `code`."""
    process = subprocess.Popen([sys.executable, "-c", code])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_utime + usage.ru_stime


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = loaded_by("import json, sys, company_lab; print(json.dumps(sorted(sys.modules)))")
    assert "company_lab" in loaded
    assert not HEAVY & loaded


def test_importing_the_package_takes_at_most_a_quarter_second_of_cpu() -> None:
    assert min(cpu_seconds("import company_lab") for _ in range(3)) <= 0.25


def test_statistics_load_their_libraries_only_where_a_figure_needs_them() -> None:
    everything = loaded_by(LOAD_FLOOR, "company_lab.evaluation")
    assert "company_lab.evaluation.statistics.across" in everything
    assert not {"numpy", "scipy"} & everything
    code = "import json, sys; from company_lab.evaluation.statistics import failure_rate as f; f(failures={}, runs=9)"
    said = "; print(json.dumps(sorted(sys.modules)))"
    assert "scipy" not in loaded_by(code.format(0) + said)
    assert "scipy" in loaded_by(code.format(1) + said)
    needed = "import json, sys; from company_lab.evaluation.statistics import runs_needed as f; f(rate=0.01)"
    assert "scipy" not in loaded_by(needed + said)


def test_every_part_of_the_package_is_a_known_floor() -> None:
    parts = {
        path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert parts - {"__init__", "__main__"} <= {floor for group in FLOORS for floor in group}


@pytest.mark.parametrize("floor", [floor for group in FLOORS for floor in group if exists(floor)])
def test_a_floor_loads_no_floor_above_or_beside_it(floor: str) -> None:
    loaded = loaded_by(LOAD_FLOOR, f"company_lab.{floor}")
    assert f"company_lab.{floor}" in loaded
    assert not {f"company_lab.{stranger}" for stranger in foreign_to(floor)} & loaded
