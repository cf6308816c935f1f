"""What one episode costs: the same work done bare, by Company Lab, and by two well-known packages.

Every contender starts from a fresh small state, makes the same five tool calls, and compares the state left
behind. Run `make bench`, or `python benchmarks/overhead.py --help`. Contenders whose package is not installed are
left out and named (`pip install company-lab[bench]` installs them).
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

Contender = Callable[[int], None]
"""Plays the given number of episodes."""


def best_cpu_ms(contender: Contender, *, episodes: int, rounds: int) -> float:
    """CPU milliseconds per episode: the best of several rounds, since load only ever adds."""
    contender(max(1, episodes // 10))
    best = float("inf")
    for _ in range(rounds):
        gc.collect()
        started = time.process_time()
        contender(episodes)
        best = min(best, (time.process_time() - started) / episodes)
    return best * 1000


def import_cpu_ms(module: str, *, runs: int = 5) -> float:
    """CPU of a fresh interpreter that imports `module`, less that of one that imports nothing; medians."""

    def median(code: str) -> float:
        costs = []
        for _ in range(runs):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", code], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            costs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return statistics.median(costs)

    return (median(f"import {module}") - median("pass")) * 1000


def machine() -> str:
    """The machine in a line, for the page that quotes these figures."""
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}"


def main() -> None:
    """Measure every contender in one process and print figures and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--episodes", type=int, default=2000, help="episodes per round of the quick contenders"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    options = parser.parse_args()

    import contenders

    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, make, share in contenders.all_contenders(Path(folder)):
            episodes = max(5, int(options.episodes * share))
            figures[name] = best_cpu_ms(make(), episodes=episodes, rounds=options.rounds)
    figures["import company_lab"] = import_cpu_ms("company_lab")
    figures["load one scenario"] = best_cpu_ms(contenders.loading(), episodes=200, rounds=options.rounds)
    left_out = [name for name in ("pydantic_evals", "inspect_ai") if importlib.util.find_spec(name) is None]
    if options.json:
        print(json.dumps({"machine": machine(), "cpu_ms": figures, "not_installed": left_out}))
        return
    print(f"CPU milliseconds, best of {options.rounds} rounds ({machine()})")
    ours = figures["company-lab, in memory"]
    for name, figure in figures.items():
        ratio = f"{figure / ours:9.2f} x in memory" if "import" not in name and "load" not in name else ""
        print(f"  {name:34} {figure:9.4f} {ratio}")
    for name in left_out:
        print(f"  {name}: not installed, left out")


if __name__ == "__main__":
    main()
