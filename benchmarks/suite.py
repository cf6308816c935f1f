"""How long the shipped suite takes: all its conducts and all hostile agents on every played scenario.

The work is shared among processes, as many as there are cores, two at most, unless `--processes` says otherwise. Every
scenario is loaded, prepared, played by its reference, its wrong conducts and the hostile agents, and judged.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

AIM_S = 20.0
"""What it may take on two cores."""


def play_share(part: int, parts: int) -> dict[str, int]:
    """Play every scenario whose turn it is in this part; how much was played, and how much surprised."""
    from company_lab.company import SUITE, company
    from company_lab.probing.matrix import REFERENCE, play_matrix
    from company_lab.probing.rehearse import rehearse
    from company_lab.scenarios.suite import load_suite

    scenarios = load_suite(SUITE, lambda name: company.spec).scenarios
    mine = [scenario for place, scenario in enumerate(scenarios) if place % parts == part]
    counted = {"scenarios": len(mine), "conducts": 0, "surprising": 0, "hostile": 0}
    for scenario in mine:
        for rehearsal in rehearse(scenario, company):
            counted["conducts"] += 1
            counted["surprising"] += not rehearsal.as_declared
    matrix = play_matrix(mine, lambda name: company)
    counted["hostile"] = sum(agent != REFERENCE for agent, _ in matrix.outcomes)
    return counted


def measure(processes: int) -> tuple[float, float, dict[str, int]]:
    """Seconds from nothing loaded to everything judged, of the wall and of all processors, and what was played."""
    started, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    total: dict[str, int] = {}
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for counted in pool.map(play_share, range(processes), [processes] * processes):
            for name, number in counted.items():
                total[name] = total.get(name, 0) + number
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    return time.perf_counter() - started, cpu, total


def main() -> None:
    """Measure once and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of sentences")
    options = parser.parse_args()
    seconds, cpu, played = measure(options.processes)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}"
    if options.json:
        print(
            json.dumps(
                {
                    "machine": machine,
                    "processes": options.processes,
                    "seconds": seconds,
                    "cpu_s": cpu,
                    **played,
                }
            )
        )
        return
    episodes = played["conducts"] + played["hostile"]
    print(f"{seconds:.1f} s in {options.processes} processes, {cpu:.1f} s of processor time ({machine})")
    print(f"  the aim is {AIM_S:.0f} s on two cores that do nothing else")
    print(f"  {played['scenarios']} scenarios, {episodes} episodes: {played['conducts']} conducts, of which")
    print(f"  {played['surprising']} did not come out as declared, and {played['hostile']} of hostile agents")


if __name__ == "__main__":
    main()
