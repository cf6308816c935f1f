"""How long an audit of the shipped suite takes, from nothing loaded to the last finding.

The work is shared among processes, two unless `--processes` says otherwise. Ends with 1 where the aim is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import sys
import time

AIM_S = 60.0
"""What it may take on two cores."""


def main() -> int:
    """Measure once and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of sentences")
    options = parser.parse_args()
    started = time.perf_counter()

    from company_lab.company import SUITE, company
    from company_lab.probing.audit import audit_suite
    from company_lab.scenarios.suite import load_suite

    suite = load_suite(SUITE, lambda name: company.spec)
    report = audit_suite(suite, lambda name: company, processes=options.processes)
    seconds = time.perf_counter() - started
    cpu = sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )
    found = report.to_json()
    measured = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{platform.system()}",
        "processes": options.processes,
        "seconds": round(seconds, 2),
        "cpu_s": round(cpu, 2),
        **{name: found[name] for name in ("scenarios", "mutants", "killed", "blocking", "warnings")},
    }
    if options.json:
        print(json.dumps(measured))
    else:
        print(
            f"{seconds:.1f} s in {options.processes} processes, {cpu:.1f} s of processor time; aim: {AIM_S:.0f} s"
        )
        print(
            f"  {report.scenarios} scenarios, {report.killed} mutants noticed, {found['blocking']} blocking findings"
        )
        print(f"  {report.killed.total / seconds:.0f} mutants a second ({measured['machine']})")
    return 1 if seconds > AIM_S else 0


if __name__ == "__main__":
    sys.exit(main())
