"""What stored runs cost: storing, summarising, reporting and exporting many episodes, and memory that must not grow.

Run `python benchmarks/stored_runs.py`. Every figure comes from a fresh process. Peak memory is that of the
process that plays, stores and summarises; its growth from the small run to the large one is what a run's
length costs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from company_lab.runs import Casting, RunPlan

HERE = Path(__file__).parent
SMALL, LARGE = 1_000, 20_000
SUMMARISED_IN_S = 2.0
GROWTH_MIB = 10.0


def fill(path: Path, episodes: int) -> dict[str, float]:
    """Play and store so many episodes, and summarise them; seconds, and the peak of memory in MiB."""
    from company_lab.library import figures_of
    from company_lab.runs import Store, begin, execute

    plan, castings = _planned(episodes)
    with Store(path) as store:
        begin(plan, castings, store)
        started = time.process_time()
        execute(plan, castings, store)
        played = time.process_time() - started
        assert figures_of(store, plan).passed == episodes
    return {"play and store, CPU s": played, "peak, MiB": peak_mib()}


def summarise(path: Path, episodes: int) -> dict[str, float]:
    """Figures of a stored run, as a report needs them."""
    from company_lab.library import figures_of
    from company_lab.runs import Store

    with Store(path, create=False) as store:
        plan = store.plan(store.resolve())
        started = time.process_time()
        figures = figures_of(store, plan)
        took = time.process_time() - started
        assert figures.passed == episodes
    return {"summarise, CPU s": took, "peak, MiB": peak_mib()}


def export(path: Path, episodes: int) -> dict[str, float]:
    """Rows as JSON lines, and whole traces."""
    from company_lab.reports.tables import json_lines
    from company_lab.runs import Store

    with Store(path, create=False) as store:
        run = store.resolve()
        started = time.process_time()
        assert sum(1 for _ in json_lines(store, run)) == episodes
        rows = time.process_time() - started
        started = time.process_time()
        assert sum(1 for _ in store.stored(run)) == episodes
        traces = time.process_time() - started
    return {"rows, CPU s": rows, "traces, CPU s": traces, "peak, MiB": peak_mib()}


MEASURED: dict[str, Callable[[Path, int], dict[str, float]]] = {
    "fill": fill,
    "summarise": summarise,
    "export": export,
}


def peak_mib() -> float:
    """The most memory this process has had at once."""
    kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kib / 1024 if sys.platform != "darwin" else kib / 1024**2


def _planned(episodes: int) -> tuple[RunPlan, tuple[Casting, ...]]:
    """The work of `overhead.py`: five calls in a small shop."""
    sys.path.insert(0, str(HERE))
    import contenders

    from company_lab.agents.functions import function_agent
    from company_lab.runs import cast, plan_run
    from company_lab.scenarios.loader import load_scenarios

    scenarios = load_scenarios(
        contenders.SCENARIO, file="benchmark.yaml", worlds=lambda _: contenders.shop.spec
    )
    agent = function_agent(contenders.five_calls)
    castings = cast(scenarios, agent=agent, worlds=lambda _: contenders.shop)
    return plan_run(castings, suite=HERE, suite_digest="", agent=agent, trials=episodes), castings


def in_fresh_process(what: str, path: Path, episodes: int) -> dict[str, float]:
    """Measure in a process that has done nothing before."""
    done = subprocess.run(
        [sys.executable, __file__, "--measure", what, str(path), str(episodes)],
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def measure(folder: Path, small: int, large: int) -> dict[str, dict[str, float]]:
    """Everything, for both sizes."""
    found: dict[str, dict[str, float]] = {}
    for episodes in (small, large):
        path = folder / f"{episodes}.db"
        for what in MEASURED:
            found[f"{what} {episodes:,}"] = in_fresh_process(what, path, episodes)
        found[f"size {episodes:,}"] = {"KiB an episode": path.stat().st_size / 1024 / episodes}
    return found


def main() -> None:
    """Print every figure and say whether the targets are met; exit code 1 where one is not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", type=int, default=SMALL)
    parser.add_argument("--large", type=int, default=LARGE)
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        what, path, episodes = options.measure
        print(json.dumps(MEASURED[what](Path(path), int(episodes))))
        return
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), options.small, options.large)
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}"
    )
    for name, figures in found.items():
        print(f"  {name:20} " + "  ".join(f"{what} {figure:.2f}" for what, figure in figures.items()))
    summarised = found[f"summarise {options.large:,}"]["summarise, CPU s"]
    growth = {
        what: found[f"{what} {options.large:,}"]["peak, MiB"]
        - found[f"{what} {options.small:,}"]["peak, MiB"]
        for what in MEASURED
    }
    good = summarised < SUMMARISED_IN_S and all(grown < GROWTH_MIB for grown in growth.values())
    print(
        f"{options.large:,} episodes summarised in {summarised:.2f} s CPU (at most {SUMMARISED_IN_S:.0f} s)"
    )
    for what, grown in growth.items():
        print(
            f"peak memory to {what}: {grown:+.1f} MiB from {options.small:,} to {options.large:,} episodes "
            f"(less than {GROWTH_MIB:.0f})"
        )
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
