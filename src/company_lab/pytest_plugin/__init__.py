"""A pytest plugin: scenario files become tests, one for each trial. Quiet until an agent is named.

This module is imported by every pytest run of an environment that has the package, so it imports nothing of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from company_lab.pytest_plugin.collecting import ScenarioFile

FILES = ("*.scenario.yaml", "*.scenario.yml")
AGENT = "company_lab_agent"
"""The ini option and the fixture that say who is evaluated."""
MARKER = "company_lab"
PLUGIN = "company_lab_gathering"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options; each has an ini option of the same name, with underscores, but where that makes no sense."""
    group = parser.getgroup("company-lab", "company-lab: scenarios as tests")

    def option(name: str, metavar: str, help: str, *, type: str = "string", ini: bool = True) -> None:
        group.addoption(f"--company-lab-{name}", metavar=metavar, default=None, help=help)
        if ini:
            parser.addini(f"company_lab_{name.replace('-', '_')}", help, type=type, default=None)  # type: ignore[arg-type]

    option(
        "agent",
        "AGENT",
        "Who is evaluated: module:function, reference, hostile:NAME or an adapter. Scenario files are collected only "
        "with this, or with a fixture company_lab_agent.",
    )
    option(
        "trials", "N", "How often every scenario is played; each time is a test of its own. 1 unless given."
    )
    option("seed", "N", "What generated ids and random streams come from. 0 unless given.")
    option(
        "min-rate",
        "RATE",
        "Judge trials together: of every scenario at least this share must pass, such as 0.9.",
    )
    option(
        "min-pass-k",
        "K=MINIMUM",
        "Judge trials together: pass^K of every scenario must be at least this, such as 3=0.8.",
    )
    option(
        "store", "FILE", "Store every episode here, so that company-lab reports on them and gates them later."
    )
    parser.addini(
        "company_lab_files",
        f"Which files hold scenarios, as patterns; {' '.join(FILES)} unless given.",
        type="args",
        default=list(FILES),
    )
    group.addoption(
        "--company-lab-held-out",
        action="store_true",
        default=False,
        help="Also collect scenarios that are held out.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker, and gather results where they come together: in the process that reports."""
    config.addinivalue_line("markers", f"{MARKER}: a trial of a scenario, made by company-lab from a file")
    from company_lab.pytest_plugin.gathering import Gathering

    config.pluginmanager.register(Gathering(config), PLUGIN)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScenarioFile | None:
    """Look at a scenario file; it holds tests only where an agent is named for it."""
    if not any(file_path.match(pattern) for pattern in parent.config.getini("company_lab_files")):
        return None
    from company_lab.pytest_plugin.collecting import ScenarioFile

    found: ScenarioFile = ScenarioFile.from_parent(parent, path=file_path)
    return found


@pytest.fixture(scope="session")
def company_lab_agent(pytestconfig: pytest.Config) -> object:
    """Who is evaluated. Define a fixture of this name to give a function of (task, session) or an Agent."""
    from company_lab.pytest_plugin.settings import configured_agent

    return configured_agent(pytestconfig)
