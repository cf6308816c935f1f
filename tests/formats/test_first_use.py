"""Packages that load their names on first use: every name is there, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module

import pytest

PACKAGES = [
    "company_lab",
    "company_lab.evaluation",
    "company_lab.evaluation.statistics",
    "company_lab.reports.html",
    "company_lab.runs",
]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_there_and_listed(package: str) -> None:
    module = import_module(package)
    assert set(module.__all__) <= set(dir(module))
    for name in module.__all__:
        assert getattr(module, name) is not None


@pytest.mark.parametrize("package", PACKAGES)
def test_an_unknown_name_is_an_attribute_error_like_any_other(package: str) -> None:
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'wilsom'"):
        import_module(package).wilsom  # noqa: B018


def test_a_module_is_loaded_when_its_name_is_asked_for() -> None:
    code = """
import json, sys
from company_lab.evaluation import statistics
def loaded(): return [one for one in ("intervals", "sequential") if f"{statistics.__name__}.{one}" in sys.modules]
before = loaded()
statistics.wilson
print(json.dumps([before, loaded()]))
"""
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert json.loads(finished.stdout) == [[], ["intervals"]]
