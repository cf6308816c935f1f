"""Whether an adapter changes a verdict: every conduct of the shipped suite, played through each of them.

A scripted agent behind each adapter works through the reference and through each wrong conduct of every scenario, and
carries out the request of every contract scenario. Outcome and failure codes are compared with those of the conduct
itself; where they are equal, so are the attempts, their results and the changes to the world. Models sit at a real host
on loopback that speaks the wire formats, programs are real processes, frameworks have their own scripted models. Where
a conduct replies nothing at all, some frameworks do not accept the empty answer and end in an error: `not_finished`
comes on top, and that is counted apart. The ordinary tests do the same with a conduct of each failure class.

Run `python benchmarks/adapter_verdicts.py`, perhaps with names of adapters; each takes a minute or two. `--every 10` is
a quick look.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from company_lab.company import company

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from replaying_adapters import ADAPTERS
from suite_conducts import Conduct, Seen, seen, suite_conducts


def compared(name: str, played: Mapping[Conduct, Seen]) -> int:
    """Play conducts through one adapter, print what differs from what was seen, and return how many verdicts do."""
    started = time.perf_counter()
    different = otherwise = unaccepted = 0
    with ADAPTERS[name]() as through:
        for one, expected in played.items():
            found = seen(one, through(one.turns), company.prepare(one.scenario))
            where = f"{name}: {one.scenario.id}, {one.id}"
            if found == expected:
                continue
            if found.verdict == expected.unfinished().verdict != expected.verdict:
                unaccepted += 1
            elif found.verdict != expected.verdict:
                different += 1
                print(f"{where}: {found.verdict}, as a conduct {expected.verdict}")
            else:
                otherwise += 1
                print(f"{where}: the same verdict, but {found.attempts}, as a conduct {expected.attempts}")
    took = time.perf_counter() - started
    print(f"| {name} | {len(played)} | {different} | {otherwise} | {unaccepted} | {took:.0f} |", flush=True)
    return different


def main() -> int:
    """Compare, print, and return 1 where a verdict differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "adapters", nargs="*", metavar="ADAPTER", help=f"of {', '.join(ADAPTERS)}; all without"
    )
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth conduct only")
    given = parser.parse_args()
    unknown = sorted(set(given.adapters) - set(ADAPTERS))
    if unknown:
        parser.error(f"there is no adapter {', '.join(unknown)} (known: {', '.join(ADAPTERS)})")
    conducts = suite_conducts()[:: given.every]
    played = {one: seen(one, one.plain, company.prepare(one.scenario)) for one in conducts}
    print("| through | conducts | verdicts differ | only attempts differ | empty reply not accepted | s |")
    print("|---|--:|--:|--:|--:|--:|")
    differing = sum(compared(name, played) for name in given.adapters or ADAPTERS)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
