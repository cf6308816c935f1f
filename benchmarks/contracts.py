"""What all contract scenarios of the company cost together: played and judged, twins included.

The bound is two seconds of CPU; with the mutations (every rule switched off, and made to deny) it is printed beside.
Run `python benchmarks/contracts.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from company_lab.company import SUITE, company
from company_lab.episodes import play
from company_lab.evaluation import judge
from company_lab.probing.rule_table import rule_table
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite

BOUND_S = 2.0


def contracts() -> tuple[Scenario, ...]:
    """The contract scenarios that ship, twins included."""
    scenarios = load_suite(SUITE, lambda name: company.spec).scenarios
    return tuple(scenario for scenario in scenarios if scenario.is_contract)


def play_and_judge(scenarios: tuple[Scenario, ...]) -> int:
    """Play each scenario from its preparation to its verdict; how many passed."""
    passed = 0
    for scenario in scenarios:
        episode = play(company.prepare(scenario), None)
        passed += judge(scenario, company.spec, episode.trace, episode.timings).passed
    return passed


def cpu_s(work: Callable[[], object]) -> float:
    """CPU seconds of one go."""
    started = time.process_time()
    work()
    return time.process_time() - started


def main() -> None:
    """Measure and print; exits with 1 beyond the bound."""
    load_s = cpu_s(contracts)
    scenarios = contracts()
    first_s, again_s = (cpu_s(lambda: play_and_judge(scenarios)) for _ in range(2))
    table_s = cpu_s(lambda: rule_table(scenarios, company))
    print(f"{len(scenarios)} contract scenarios, {len(company.guard.rules)} rules; CPU seconds")
    print(f"  load and check the files     {load_s:6.3f}")
    print(f"  play and judge, first time   {first_s:6.3f} (bound {BOUND_S})")
    print(f"  play and judge, again        {again_s:6.3f}")
    print(f"  with every rule broken twice {table_s:6.3f}")
    raise SystemExit(first_s > BOUND_S)


if __name__ == "__main__":
    main()
