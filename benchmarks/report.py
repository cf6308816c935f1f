"""What a report of 10,000 episodes costs, a fourth of them failed: seconds and memory of every form.

Run `python benchmarks/report.py`. The run is played once; every report comes from a fresh process. What is
measured is the whole command, imports and start of Python included. The bound is on the time of a processor, which is
the clock's on a machine with nothing else to do: a report is the work of one process with one thread.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EPISODES = 10_000
WITHIN_S = 5.0
WITHIN_MIB = 300.0
FORMS = ("html", "junit", "annotations", "markdown", "json", "csv", "parquet")


def fill(path: Path, episodes: int) -> None:
    """Play scenarios that ship by an agent that goes wrong on purpose, and store every episode."""
    from company_lab.cli.wavering import wavering
    from company_lab.company import SUITE
    from company_lab.runs import Store, begin, cast, execute, plan_run
    from company_lab.scenarios.suite import load_suite
    from company_lab.worlds.registry import resolve_world

    suite = load_suite(SUITE, worlds=lambda name: resolve_world(name).spec)
    chosen = [one for one in suite.scenarios if one.wrong and one.reference]
    trials = max(1, -(-episodes // len(chosen)))
    agent = wavering(7)
    castings = cast(chosen[: max(1, episodes // trials)], agent=agent)
    plan = plan_run(castings, suite=SUITE, suite_digest="", agent=agent, trials=trials, seed=7)
    with Store(path) as store:
        begin(plan, castings, store)
        execute(plan, castings, store)


def measure(store: Path, *form: str) -> tuple[float, float, float]:
    """Seconds of a processor, seconds by the clock and the peak of memory in MiB of one report, in a fresh process."""
    command = [sys.executable, "-m", "company_lab", "report", "--store", str(store), *form]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed with {process.returncode}")
    kib = used.ru_maxrss
    clock = time.perf_counter() - started
    return used.ru_utime + used.ru_stime, clock, kib / 1024 if sys.platform != "darwin" else kib / 1024**2


def main() -> None:
    """Fill a store, report on it, and say whether the bounds hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=EPISODES)
    parser.add_argument("--store", type=Path, help="Use this store, and fill it only where it is not there.")
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or Path(folder) / "runs.db"
        if not store.exists():
            fill(store, options.episodes)
        good = True
        files = {name: Path(folder) / f"report.{name}" for name in FORMS}
        for name, form in (
            ("terminal", ()),
            *((name, (f"--{name}", str(path))) for name, path in files.items()),
        ):
            seconds, clock, mib = measure(store, *form)
            good = good and seconds < WITHIN_S and mib < WITHIN_MIB
            print(f"{name:<12} {seconds:6.2f} s   {clock:6.2f} s by the clock   {mib:6.0f} MiB")
        print(f"the page has {files['html'].stat().st_size / 1024**2:.1f} MiB")
    print(f"within {WITHIN_S:.0f} s and {WITHIN_MIB:.0f} MiB: {'yes' if good else 'NO'}")
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
