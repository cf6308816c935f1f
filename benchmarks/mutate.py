"""How fast scenarios are made from others: each operator over the shipped suite, rehearsal included.

Prints how many each operator made, and how many a second of CPU. Run `python benchmarks/mutate.py [OPERATOR ...]`.
"""

from __future__ import annotations

import argparse
import time

from company_lab.company import SUITE, company
from company_lab.probing.mutate import Mutant, mutate, operators_of
from company_lab.scenarios.suite import load_suite


def main() -> None:
    """Measure and print."""
    operators = operators_of(company)
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("operators", nargs="*", metavar="OPERATOR", help="all of them, where none is named")
    names = asked.parse_args().operators or list(operators)
    scenarios = load_suite(SUITE, lambda name: company.spec).scenarios
    made = 0
    begun = time.process_time()
    for name in names:
        started = time.process_time()
        results = [one for scenario in scenarios for one in mutate(scenario, company, [operators[name]])]
        spent = time.process_time() - started
        mine = sum(isinstance(one, Mutant) for one in results)
        made += mine
        print(f"{name:26} {mine:4} made in {spent:6.2f} s CPU, {mine / spent:6.1f} a second")
    spent = time.process_time() - begun
    print(f"{'together':26} {made:4} made in {spent:6.2f} s CPU, {made / spent:6.1f} a second")


if __name__ == "__main__":
    main()
