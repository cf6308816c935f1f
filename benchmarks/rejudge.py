"""Judging recorded trajectories again, as tau-bench does it and as this package does it, in one run.

    python benchmarks/rejudge.py            a few thousand records, both ways, several rounds
    python benchmarks/rejudge.py --check    fails where the verdicts differ or the factor is below 500

The environment is our own, in the shape of tau-bench: dicts of records that tools change in place. The original's way
is to load the data, carry the run's calls out, hash everything, load the data again, carry the reference actions
out, and hash everything again. Ours copies on write and compares what was touched.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from company_lab.interop.hosting.tau_checkout import TERMINATING, TauDomain, load_domain
from company_lab.interop.hosting.tau_rejudge import replay, steps_of
from tau_checkout_files import bakery_tasks, recorded_run, write_checkout

CUSTOMERS, ORDERS, OFFSET = 1000, 4000, 504
ROUNDS = 5
AT_LEAST = 500


def recorded() -> list[dict[str, Any]]:
    """Sixteen runs: right, wrong in one argument, without an answer, idle; of every task."""
    runs = []
    for task, described in enumerate(bakery_tasks(OFFSET)):
        right = [(action["name"], action["kwargs"], "") for action in described["actions"]]
        wrong = [
            (name, {**args, **({"order_id": "#W516"} if "order_id" in args else {})}, "")
            for name, args, _ in right
        ]
        for trial, steps in enumerate(([*right, "10 are credited."], [*wrong, "10"], right, ["Sorry."])):
            runs.append(recorded_run(task, trial, 0, list(steps), offset=OFFSET))
    return runs


def hashable(value: Any) -> Any:
    """Nested sorted tuples of the whole data, as the original hashes them."""
    if isinstance(value, dict):
        return tuple((key, hashable(item)) for key, item in sorted(value.items()))
    if isinstance(value, list):
        return tuple(map(hashable, value))
    return value


def reloading(domain: TauDomain, load: Callable[[], dict[str, Any]], run: dict[str, Any]) -> int:
    """The reward, the original's way."""

    def left_by(calls: list[tuple[str, dict[str, Any]]]) -> str:
        data = load()
        for name, args in calls:
            domain.invoke(data, name, args)
        return hashlib.sha256(str(hashable(data)).encode()).hexdigest()

    steps = list(steps_of(run["traj"]))
    task = run["info"]["task"]
    found = left_by([step for step in steps if not isinstance(step, str)])
    wanted = left_by(
        [(one["name"], one["kwargs"]) for one in task["actions"] if one["name"] not in TERMINATING]
    )
    said = [step.lower().replace(",", "") for step in steps if isinstance(step, str)]
    spoken = all(any(output.lower() in one for one in said) for output in task["outputs"])
    return int(found == wanted and spoken)


def loader(checkout: Path) -> Callable[[], dict[str, Any]]:
    """Reads the data of the bakery anew."""
    folder = checkout / "tau_bench" / "envs" / "bakery" / "data"

    def load() -> dict[str, Any]:
        return {
            name: json.loads((folder / f"{name}.json").read_text())
            for name in ("customers", "orders", "products")
        }

    return load


def main() -> int:
    """Print both rates and the factor between them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--check", action="store_true", help=f"fail below {AT_LEAST}x or where verdicts differ"
    )
    check: bool = parser.parse_args().check
    with tempfile.TemporaryDirectory() as folder:
        checkout = write_checkout(Path(folder), customers=CUSTOMERS, orders=ORDERS, offset=OFFSET)
        domain, load, runs = load_domain(checkout, "bakery"), loader(checkout), recorded()
        records = sum(map(len, domain.data.values()))
        factors, slow, fast = [], [], []
        same = True
        for _ in range(ROUNDS):
            began = time.perf_counter()
            theirs = [reloading(domain, load, run) for run in runs]
            slow.append(len(runs) / (time.perf_counter() - began))
            began = time.perf_counter()
            for _ in range(100):
                ours = [replay(domain, run).reward for run in runs]
            fast.append(100 * len(runs) / (time.perf_counter() - began))
            factors.append(fast[-1] / slow[-1])
            same = same and ours == theirs
    factor = statistics.median(factors)
    print(
        f"{records:,} records, {len(runs)} recorded runs, {ROUNDS} rounds; verdicts {'equal' if same else 'DIFFER'}"
    )
    print(f"reload, replay, hash everything, twice   {statistics.median(slow):>10,.1f} episodes/s")
    print(f"replay on copy-on-write records          {statistics.median(fast):>10,.1f} episodes/s")
    print(
        f"factor                                   {factor:>10,.0f}  ({min(factors):,.0f} to {max(factors):,.0f})"
    )
    return int(check and (not same or factor < AT_LEAST))


if __name__ == "__main__":
    raise SystemExit(main())
