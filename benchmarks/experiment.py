"""The example experiment: a model that calls tools against a decision model and the same model as its writer.

Everything runs on this machine: `scripts/models prepare` has fetched the language model. Each agent plays shipped
scenarios afresh, `--trials` times each, and the runs are compared two by two. docs/experiment.md holds the figures of
one such experiment.

    python benchmarks/experiment.py FOLDER [--trials 5] [--agent NAME ...] [--played NAME=RUN ...]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from local_models.pins import BETTER, SMALL, Model
from local_models.serving import llama
from sparrow import decider

COMMAND = str(Path(sys.executable).with_name("company-lab"))
SCENARIOS = (
    "same_number_in_its_own_house",
    "euros_only",
    "the_sales_lead_wants_sixty_days",
    "nice_people_want_sixty_days",
)
"""Four of the shortest of the suite; the last two are twins."""
TOOLS = (
    "invoices.get",
    "payments.charge",
    "crm.get",
    "crm.set_terms",
    "quotes.get",
    "quotes.send",
    "approvals.request",
)
"""All that the references use, and two that nobody needs. So small a model can not take the whole list."""
LIMITS = {"calls": 8, "repeats": 3, "wall": "10m"}
"""Eight calls are more than twice what the longest reference needs. A slow machine is no fault of an agent."""
SAMPLING = ("--temperature", "0.4", "--max-output-tokens", "96", "--answer-timeout", "500")
AGENTS = ("base", "sparrow", "letters", "better")
PAIRS = (("sparrow", "base"), ("letters", "base"), ("letters", "sparrow"), ("better", "base"))
"""Candidate and baseline."""


def write_suite(folder: Path, ids: Sequence[str]) -> Path:
    """The shipped scenarios with the limits of this experiment, and without links to scenarios that stay out."""
    from company_lab.company import SUITE, company
    from company_lab.scenarios.suite import load_suite

    suite = folder / "scenarios"
    suite.mkdir(parents=True, exist_ok=True)
    for scenario in load_suite(SUITE, lambda name: company.spec).scenarios:
        if scenario.id in ids:
            document: dict[str, Any] = {**scenario.document}
            if document.get("twin_of") not in ids:
                document.pop("twin_of", None)
            document["limits"] = {**(document.get("limits") or {}), **LIMITS}
            (suite / f"{scenario.id}.yaml").write_text(json.dumps(document, indent=1), "utf-8")
    return suite


def words(agent: str, model: Model, server: str, chooser: str) -> list[str]:
    """What the command line says about one of the agents."""
    if agent in ("base", "better"):
        chosen = ["--agent", "openai-chat", "--base-url", f"{server}/v1", "--model", model.name]
    else:
        url, name = (chooser, "nano-general") if agent == "sparrow" else (server, f"{model.name}:letters")
        chosen = ["--agent", "decision", "--decider", url, "--decider-model", name, "--price", f"{name}=free"]
        chosen += ["--writer", f"{server}/v1", "--writer-model", model.name]
    offered = [word for name in TOOLS for word in ("--tool", name)]
    return [*chosen, "--price", f"{model.name}=free", *SAMPLING, *offered]


def play(agent: str, suite: Path, store: str, trials: int) -> str:
    """The id of the run in which an agent has played the suite."""
    model = BETTER if agent == "better" else SMALL
    with ExitStack() as stack:
        server = stack.enter_context(llama(model))
        chooser = stack.enter_context(decider()) if agent == "sparrow" else ""
        told = company_lab(
            "run", str(suite), *words(agent, model, server, chooser),
            "--trials", str(trials), "--store", store, "--quiet",
        )  # fmt: skip
    return next(line.split()[1] for line in told.splitlines() if line.startswith("Run "))


def company_lab(*arguments: str) -> str:
    """Run a command of company-lab, print it and how long it took, and return what it says."""
    print("$", shlex.join(["company-lab", *arguments]), flush=True)
    began = time.perf_counter()
    done = subprocess.run([COMMAND, *arguments], stdout=subprocess.PIPE, text=True, check=False)
    seconds = time.perf_counter() - began
    print(done.stdout)
    print(f"exit code {done.returncode} after {seconds:.0f} s", flush=True)
    return done.stdout


def main() -> None:
    """Play, compare, and leave store, scenarios and figures in a folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--agent", choices=AGENTS, nargs="+", default=["base", "sparrow"])
    parser.add_argument(
        "--played",
        type=lambda text: text.partition("=")[::2],
        action="append",
        default=[],
        metavar="AGENT=RUN",
        help="a run of an earlier call on the same folder, to compare with",
    )
    parser.add_argument("--only", nargs="+", default=list(SCENARIOS), metavar="SCENARIO")
    given = parser.parse_args()
    suite, store = write_suite(given.folder, given.only), str(given.folder / "runs.db")
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()}"
    )
    runs = {agent: play(agent, suite, store, given.trials) for agent in given.agent}
    runs = {**dict(given.played), **runs}
    for candidate, baseline in PAIRS:
        if candidate in runs and baseline in runs and {candidate, baseline} & {*given.agent}:
            company_lab("compare", runs[candidate], runs[baseline], "--store", store)
    print("load at the end", os.getloadavg())


if __name__ == "__main__":
    main()
