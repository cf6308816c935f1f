"""What a crowd costs: CPU per episode with no crowd and with one, after it was made once.

Plays the reference of every scenario of the shipped suite, alone and among so many contacts, invoices and payments,
and times the widest searches in the crowd. Run `python benchmarks/crowd.py --help`.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Sequence

from company_lab.agents.conducts import reference
from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Agent, Session, Task
from company_lab.company import SUITE, company
from company_lab.episodes import play
from company_lab.evaluation import judge
from company_lab.scenarios.crowding import crowded, with_crowd
from company_lab.scenarios.loader import load_document
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite
from company_lab.worlds.fixture import Fixture

SEARCHES: tuple[tuple[str, dict[str, object]], ...] = (
    ("crm.find", {"name": "Holm"}),
    ("crm.find", {"name": "a"}),
    ("crm.find", {"email": "ida@holm.example.test"}),
    ("invoices.find", {"status": "open"}),
    ("invoices.find", {"status": "paid", "page": 1000}),
    ("payments.list_received", {}),
)


DESK = load_document(
    {
        "id": "desk",
        "initial": {"contacts": {"C-1": {"name": "Ida Holm", "email": "ida@holm.example.test"}}},
        "stimulus": {"message": "Look around."},
        "expected": {"told": {"states": [{"literal": "done"}]}},
        "reference": [{"reply": "done"}],
    },
    worlds=lambda name: company.spec,
)


def cpu_ms(fixtures: Sequence[Fixture], *, rounds: int) -> float:
    """CPU milliseconds per episode, played and judged: the best of several rounds."""
    played = [(one, None if one.scenario.is_contract else reference(one.scenario)) for one in fixtures]
    best = float("inf")
    for _ in range(rounds):
        gc.collect()
        started = time.process_time()
        for fixture, agent in played:
            episode = play(fixture, agent)
            judge(fixture.scenario, company.spec, episode.trace, episode.timings)
        best = min(best, (time.process_time() - started) / len(played))
    return best * 1000


def searching(found: dict[str, float]) -> Agent:
    """An agent that makes every search twice and notes how long the second one took, in milliseconds."""

    def act(task: Task, session: Session) -> str:
        for tool, args in SEARCHES:
            session.call(tool, **args)
            started = time.process_time()
            session.call(tool, **args)
            found[f"{tool} {args}"] = (time.process_time() - started) * 1000
        return "done"

    return function_agent(act)


def prepared(scenarios: Sequence[Scenario]) -> tuple[list[Fixture], float]:
    """The fixtures, and the CPU seconds it took to make the first one."""
    started = time.process_time()
    first = company.prepare(scenarios[0])
    return [first, *map(company.prepare, scenarios[1:])], time.process_time() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=100_000, help="records of each kind in the crowd")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()

    scenarios = load_suite(SUITE, lambda name: company.spec).scenarios
    alone, _ = prepared(scenarios)
    among, first_s = prepared(crowded(scenarios, options.size))
    before, after = (cpu_ms(fixtures, rounds=options.rounds) for fixtures in (alone, among))
    print(f"{len(scenarios)} scenarios, a crowd of {options.size:,}; made once in {first_s:.2f} s of CPU")
    print(f"  alone          {before:8.3f} ms an episode")
    print(f"  in the crowd   {after:8.3f} ms an episode, {after / before:.2f} times as much")
    searches: dict[str, float] = {}
    play(company.prepare(with_crowd(DESK, options.size)), searching(searches))
    for search, took in searches.items():
        print(f"  {search:60} {took:8.3f} ms")


if __name__ == "__main__":
    main()
