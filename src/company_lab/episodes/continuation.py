"""Continuation: an episode that was interrupted by a crash and goes on in another process.

The world is written to a database file at the crash and opened from it again. What goes on is marked as a continuation:
it started from what another process left, so it is no fresh episode and is never counted among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from company_lab.agents.protocol import Agent
from company_lab.episodes.acting import Act, in_place, on_a_thread
from company_lab.episodes.kept_world import KeptWorld, NotKept, read, write
from company_lab.episodes.play import Episode, LiveEpisode
from company_lab.episodes.turns import Beginning
from company_lab.scenarios.model import Fault
from company_lab.scenarios.schedules import fault_document
from company_lab.traces.record import Trace
from company_lab.worlds.fixture import Fixture
from company_lab.worlds.snapshot import restore, snapshot


def play_until_crash(
    fixture: Fixture,
    agent: Agent,
    path: Path,
    *,
    trial: int = 1,
    seed: int = 0,
    schedule: Sequence[Fault] | None = None,
) -> Episode | None:
    """Play an episode up to the first crash the agent may come back from, and keep its world in the file `path`.

    None then, and `play_on` goes on from there, in this process or another. An episode that ends without such a crash
    is returned, and nothing is written.
    """
    live = LiveEpisode(fixture, agent, trial=trial, seed=seed, schedule=schedule)
    if live.run(_act_of(agent), until_crash=True):
        return live.finish()
    _keep(live, path, schedule, life=1)
    return None


def play_on(path: Path, fixture: Fixture, agent: Agent, *, until_crash: bool = False) -> Episode | None:
    """Open a kept world and let the agent come back in it.

    `until_crash`: at the next crash keep the world once more, in the same file, and return None.

    Raises `NotKept` where the file can not be read, or was kept by an episode of another scenario, world or agent.
    """
    kept = read(path)
    try:
        about, faults = kept.about, kept.about["schedule"]
        schedule = None if faults is None else [Fault.model_validate(fault) for fault in faults]
        live = LiveEpisode(fixture, agent, trial=about["trial"], seed=about["seed"], schedule=schedule)
        _check(kept, live.trace.header, path)
        _become(live, kept)
        life = int(about["life"]) + 1
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, AssertionError) as error:
        # What the lab itself had written fits; somebody has changed the file.
        raise NotKept(f"{path} does not hold what an interrupted episode needs: {error!r}") from error
    if live.go_on(_act_of(agent), until_crash=until_crash):
        return live.finish()
    _keep(live, path, schedule, life=life)
    return None


def _become(live: LiveEpisode, kept: KeptWorld) -> None:
    about = kept.about
    continues = Trace(kept.records).digest
    live.trace.records[:] = kept.records
    live.trace.records[0] |= {
        "episode": "continuation",
        "life": about["life"] + 1,
        "continues": continues,
    }
    restore(live.live, kept.world)
    live.session.restore(about["session"])
    live.beginning, live.turn_seq = Beginning(**about["beginning"]), about["turn_seq"]
    live.follow_ups.keep_only(about["follow_ups"])


def _act_of(agent: Agent) -> Act:
    return in_place if agent.kind == "conduct" else on_a_thread


def _keep(live: LiveEpisode, path: Path, schedule: Sequence[Fault] | None, *, life: int) -> None:
    header, beginning = live.trace.header, live.beginning
    assert beginning is not None
    about = {
        "scenario": header["scenario"],
        "trial": header["trial"],
        "seed": header["seed"],
        "life": life,
        "schedule": None if schedule is None else [fault_document(fault) for fault in schedule],
        "session": live.session.kept(),
        "beginning": asdict(beginning),
        "turn_seq": live.turn_seq,
        "follow_ups": live.follow_ups.left,
    }
    write(KeptWorld(about=about, world=snapshot(live.live), records=live.trace.records), path)
    live.session.let_leave()


def _check(kept: KeptWorld, now: Mapping[str, Any], path: Path) -> None:
    """Whoever goes on has to be the one that was interrupted, in the world it was in."""
    then = kept.records[0]
    if then["scenario"] != now["scenario"]:
        raise NotKept(f"{path} was kept by an episode of {then['scenario']}, not of {now['scenario']}")
    for what, words in _WORDS.items():
        if then["digests"][what] != now["digests"][what]:
            raise NotKept(
                f"{path} was kept with another {words} than there is now: play the episode from its beginning"
            )


_WORDS = {
    "scenario": "text of the scenario",
    "world": "world",
    "agent": "agent",
    "code": "code of the agent",
    "initial": "state at the start",
}
