"""The example experiment: a model that calls tools against a decision model and the same model as its writer.

Everything runs on this machine: `scripts/models prepare better` has fetched the language model. Each agent plays the
held-out scenarios of examples/front_desk afresh, `--trials` times each, and the runs are compared two by two.
docs/experiment.md holds the figures of one such experiment. `--split development` is for pilots.

    python benchmarks/experiment.py FOLDER [--trials 5] [--agent NAME ...] [--played NAME=RUN ...]
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from local_models.pins import MODELS, Model
from local_models.serving import llama
from sparrow import decider

COMMAND = str(Path(sys.executable).with_name("company-lab"))
FRONT_DESK = Path(__file__).parents[1] / "examples" / "front_desk"
ALIASES = {
    "read_invoice": "invoices.get",
    "read_order": "orders.get",
    "cancel_order": "orders.cancel",
    "refund_charge": "payments.refund",
    "hand_over": "tasks.create",
}
"""The five tools on offer, under the names that every agent knows them by: all that the references use."""
SAMPLING = ("--temperature", "0.4", "--max-output-tokens", "96", "--answer-timeout", "500")
AGENTS = ("base", "decision", "letters")
PAIRS = (("decision", "base"), ("letters", "base"), ("letters", "decision"))
"""Candidate and baseline."""


def words(agent: str, model: Model, server: str, chooser: str) -> list[str]:
    """What the command line says about one of the agents."""
    if agent == "base":
        chosen = ["--agent", "openai-chat", "--base-url", f"{server}/v1", "--model", model.name]
    else:
        url, name = (chooser, "nano-general") if agent == "decision" else (server, f"{model.name}:letters")
        chosen = ["--agent", "decision", "--decider", url, "--decider-model", name, "--price", f"{name}=free"]
        chosen += ["--writer", f"{server}/v1", "--writer-model", model.name]
        chosen += ["--instructions", str(FRONT_DESK / "instructions.txt")]
        chosen += ["--criteria", str(FRONT_DESK / "criteria.yaml")]
    for alias, tool in ALIASES.items():
        chosen += ["--tool", tool, "--alias", f"{alias}={tool}"]
    return [*chosen, "--price", f"{model.name}=free", *SAMPLING]


def play(agent: str, model: Model, store: str, *, split: str, trials: int) -> str:
    """The id of the run in which an agent has played the scenarios of a split."""
    with ExitStack() as stack:
        server = stack.enter_context(llama(model))
        chooser = stack.enter_context(decider()) if agent == "decision" else ""
        told = company_lab(
            "run", str(FRONT_DESK / "scenarios"), "--only", split, *words(agent, model, server, chooser),
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
    """Play, compare, and leave the store in a folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--agent", choices=AGENTS, nargs="+", default=["base", "decision"])
    parser.add_argument(
        "--played",
        type=lambda text: text.partition("=")[::2],
        action="append",
        default=[],
        metavar="AGENT=RUN",
        help="a run of an earlier call on the same folder, to compare with",
    )
    parser.add_argument("--model", choices=MODELS, default="better")
    parser.add_argument("--split", choices=["held_out", "development"], default="held_out")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    store = str(given.folder / "runs.db")
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()}"
    )
    runs = {
        agent: play(agent, MODELS[given.model], store, split=given.split, trials=given.trials)
        for agent in given.agent
    }
    runs = {**dict(given.played), **runs}
    for candidate, baseline in PAIRS:
        if candidate in runs and baseline in runs and {candidate, baseline} & {*given.agent}:
            company_lab("compare", runs[candidate], runs[baseline], "--store", store)
    print("load at the end", os.getloadavg())


if __name__ == "__main__":
    main()
