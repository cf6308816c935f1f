"""How fast an exploration is: every single fault and every pair of a scenario with four writes.

Run `python benchmarks/explore.py --help`.
"""

from __future__ import annotations

import argparse
import time

from company_lab.probing.explore import Bounds, Kept, explore, findings, group, subject
from company_lab.probing.explore.bank import FIVE
from company_lab.probing.explore.kinds import ALL, ESSENTIAL
from company_lab.probing.explore.workers import Workers
from company_lab.probing.seeded_bugs import BANK, world


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--agent", choices=list(BANK), default="correct", help="an agent of the bank")
    asked.add_argument("--workers", type=int, default=1)
    asked.add_argument("--rounds", type=int, default=3, help="the best of so many counts")
    given = asked.parse_args()
    bug = BANK[given.agent]
    prepared = subject(bug.scenario(), world, bug.agent())
    bounds = {
        "five faults a write": Bounds(kinds=FIVE, pair_kinds=FIVE),
        "all alone, essential pairs": Bounds(kinds=ALL, pair_kinds=ESSENTIAL),
    }
    for name, one in bounds.items():
        best, episodes, shown = float("inf"), 0, 0
        for _ in range(given.rounds):
            kept = Kept(None, {})
            begun = time.perf_counter()
            if given.workers > 1:
                with Workers(prepared, given.workers) as workers:
                    found = explore(prepared, one, kept=kept, play_many=workers.play_many)
            else:
                found = explore(prepared, one, kept=kept)
            shown = len(findings(group(found.failing, prepared, kept)))
            best = min(best, time.perf_counter() - begun)
            episodes = found.episodes
        print(
            f"{given.agent}, {name}: {episodes:,} episodes in {best:.2f} s, {episodes / best:,.0f} a second, "
            f"{shown} findings"
        )


if __name__ == "__main__":
    main()
