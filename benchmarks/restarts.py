"""What a restart costs: agents that are dropped, agents whose process is killed, and worlds reopened from a file.

Plays one episode of the bank of seeded bugs with three crashes, again and again. Run
`python benchmarks/restarts.py --help`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from company_lab.episodes import play
from company_lab.episodes.confined import Confinement, work
from company_lab.episodes.continuation import play_on, play_until_crash
from company_lab.episodes.forkserver import ForkServer
from company_lab.episodes.isolated import play_isolated
from company_lab.episodes.play import tool_offers
from company_lab.probing.seeded_bugs import BANK, world
from company_lab.scenarios.model import Fault

CRASHES = tuple(Fault(on="bank.pay", kind="crash", at="after", occurrence=bill) for bill in (1, 2, 3))
"""One crash for each of three bills: as many as a scenario allows."""


def per_second(play_once: Callable[[], None], *, episodes: int) -> float:
    """Episodes a second by the clock on the wall."""
    play_once()
    begun = time.perf_counter()
    for _ in range(episodes):
        play_once()
    return episodes / (time.perf_counter() - begun)


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--episodes", type=int, default=100)
    episodes = asked.parse_args().episodes
    bug = BANK["correct"]
    scenario = bug.scenario().model_copy(update={"faults": CRASHES})
    fixture, agent, confinement = world.prepare(scenario), bug.agent(), Confinement()
    offers = tool_offers(world)
    server = ForkServer(lambda job, descriptors: work(agent, offers, descriptors, confinement))

    def dropped() -> None:
        play(fixture, agent)

    def killed() -> None:
        played = play_isolated(fixture, agent, server, "", trial=1, seed=0, confinement=confinement)
        assert len(played.timings["killed"]) == len(CRASHES)

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kept.db"

        def reopened() -> None:
            played = play_until_crash(fixture, agent, file)
            while played is None:
                played = play_on(file, fixture, agent, until_crash=True)

        try:
            for name, once in (("dropped", dropped), ("killed", killed), ("reopened from a file", reopened)):
                rate = per_second(once, episodes=episodes)
                print(
                    f"{name}: {rate:,.0f} episodes/s with {len(CRASHES)} restarts each, "
                    f"{rate * len(CRASHES):,.0f} restarts/s"
                )
        finally:
            server.close()


if __name__ == "__main__":
    main()
