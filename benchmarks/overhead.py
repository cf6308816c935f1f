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
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

MEMORY, STORED = "company-lab, in memory", "company-lab, stored in SQLite"
EVALS, INSPECT = "pydantic-evals, custom evaluator", "Inspect, mock model"

Contender = Callable[[int], None]
"""Plays the given number of episodes."""


def best_cpu_ms(contenders: Mapping[str, tuple[Contender, int]], *, rounds: int) -> dict[str, float]:
    """CPU milliseconds per episode of contenders with their numbers of episodes: the best of several rounds.

    Load only ever adds, so the best round counts; every round has each contender in turn, so that whatever else the
    machine does meets all of them.
    """
    best = dict.fromkeys(contenders, float("inf"))
    for contender, episodes in contenders.values():
        contender(max(1, episodes // 10))
    gc.collect()
    gc.freeze()  # what was imported is nobody's garbage, and must not be looked through in everybody's rounds
    for _ in range(rounds):
        for name, (contender, episodes) in contenders.items():
            gc.collect()
            started = time.process_time()
            contender(episodes)
            best[name] = min(best[name], (time.process_time() - started) / episodes)
    return {name: seconds * 1000 for name, seconds in best.items()}


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

    with tempfile.TemporaryDirectory() as folder:
        figures = best_cpu_ms(
            {
                name: (make(), max(5, int(options.episodes * share)))
                for name, make, share in contenders.all_contenders(Path(folder))
            },
            rounds=options.rounds,
        )
        once = {
            "plan a run, open its store": (contenders.stored(Path(folder) / "once"), 1),
            "load one scenario": (contenders.loading(), 200),
        }
        Path(folder, "once").mkdir()
        singly = best_cpu_ms(once, rounds=options.rounds) | {
            "import company_lab": import_cpu_ms("company_lab")
        }
    left_out = [name for name in ("pydantic_evals", "inspect_ai") if importlib.util.find_spec(name) is None]
    if options.json:
        print(json.dumps({"machine": machine(), "cpu_ms": figures | singly, "not_installed": left_out}))
        return
    print(f"CPU milliseconds, best of {options.rounds} rounds ({machine()})")
    ours = figures[MEMORY]
    for name, figure in figures.items():
        print(f"  {name:34} {figure:9.4f} {figure / ours:9.2f} x in memory")
    for name, figure in singly.items():
        print(f"  {name:34} {figure:9.4f}")
    for name in left_out:
        print(f"  {name}: not installed, left out")
    reached = [*targets(figures)]
    for target, found, met in reached:
        print(f"  {'met   ' if met else 'MISSED'} {target}: {found}")
    raise SystemExit(not all(met for _, _, met in reached))


def targets(figures: Mapping[str, float]) -> Iterator[tuple[str, str, bool]]:
    """What is to be reached, what was found, and whether that is enough; ratios only with what is installed."""
    memory, stored = figures[MEMORY], figures[STORED]
    yield "in memory at most 0.15 ms", f"{memory:.4f}", memory <= 0.15
    yield "stored at most 0.30 ms", f"{stored:.4f}", stored <= 0.30
    if EVALS in figures:
        ratio = memory / figures[EVALS]
        yield "in memory less than pydantic-evals", f"{ratio:.2f} of it", ratio < 1
    if INSPECT in figures:
        ratio = figures[INSPECT] / stored
        yield "stored at least 80 times less than Inspect", f"{ratio:.0f} times", ratio >= 80


if __name__ == "__main__":
    main()
