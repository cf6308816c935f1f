"""Replayed prefix: what an agent did until it crashed, done again from a recorded episode without asking the agent.

That saves the calls of a model up to the crash, and makes what follows comparable with the recorded episode. Such an
episode shares its beginning with another one: it is marked as a continuation with a replayed prefix, is no trial of its
own, and no figure or comparison counts it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from company_lab.agents.protocol import Agent, Task, ToolError
from company_lab.episodes import Episode
from company_lab.episodes.acting import Outcome, in_place, on_a_thread
from company_lab.episodes.session import EpisodeSession
from company_lab.formats.errors import WrongUse
from company_lab.probing.explore.explored import Explored, Schedule
from company_lab.probing.explore.playing import Subject, begin, weigh
from company_lab.traces.record import Trace

Record = Mapping[str, Any]


def play_from_prefix(
    subject: Subject, recorded: Trace, schedule: Schedule, *, trial: int = 1
) -> tuple[Explored, Episode]:
    """Play a schedule that begins with a crash; until then the agent does what it did in `recorded`.

    `recorded` is an episode of the same subject and trial without these faults. An episode that did not come to the
    crash, or whose world answered otherwise than the recorded one, is invalid. Raises `WrongUse` for other schedules.
    """
    if not schedule or schedule[0].kind != "crash":
        raise WrongUse("only what comes before a crash can be replayed: the schedule has to begin with one")
    if recorded.header.get("digests", {}).get("initial") != subject.fixture.digest:
        raise WrongUse("the recorded episode began from another state than this scenario")
    live = begin(subject, schedule, trial=trial)
    replay = _Replay(recorded)
    live.run(replay.act)
    episode = live.finish()
    calls = _calls_until_crash(episode.trace)
    diverged = _diverged(recorded.records, episode.trace.records, calls)
    episode.trace.records[0] |= {
        "episode": "continuation",
        "life": 2,
        "replayed_prefix": {"trace": recorded.digest, "calls": calls, "diverged": diverged},
    }
    explored, _ = weigh(subject, schedule, episode, replayed_calls=calls)
    if diverged:
        explored = Explored(
            schedule=schedule,
            outcome="invalid",
            stop=explored.stop,
            why="what was replayed came out otherwise than it was recorded",
            replayed_calls=calls,
        )
    return explored, episode


class _Replay:
    """Does what was recorded until the agent crashes, and then leaves the rest to it."""

    def __init__(self, recorded: Trace) -> None:
        self._turns: dict[int, list[Record]] = {}
        turn = 0
        for record in recorded.records:
            if record["kind"] == "turn":
                turn = int(record["turn"])
            self._turns.setdefault(turn, []).append(record)
        self._again = Agent(name="replayed prefix", kind="conduct", act=self._repeat)

    def act(self, agent: Agent, task: Task, session: EpisodeSession) -> Outcome:
        """One turn, of the recording or of the agent."""
        crashed = session.crashes is not None and session.crashes.happened > 0
        return on_a_thread(agent, task, session) if crashed else in_place(self._again, task, session)

    def _repeat(self, task: Task, session: Any) -> str:
        for record in self._turns.get(task.turn, ()):
            kind = record["kind"]
            if kind == "action":
                asked = record.get("supplied", record["args"])
                with suppress(ToolError):
                    session.attempt(record["tool"], asked, by=record["by"], hint=record["hint"])
            elif kind == "memory":
                session.memory = record["value"]
            elif kind == "choice":
                session.choice(record["request"], record["answer"])
            elif kind == "observation" and "message" not in record:
                session.observe()
            elif kind == "reply":
                return str(record["text"])
        return ""


def _calls_until_crash(trace: Trace) -> int:
    """Calls up to the first crash, the one around which it came included; all of them where there was none."""
    calls = 0
    for record in trace.records:
        if record["kind"] == "crash":
            break
        calls += record["kind"] == "action"
    return calls


def _diverged(recorded: Sequence[Record], replayed: Sequence[Record], calls: int) -> bool:
    """Whether some call before the crash was asked or answered otherwise."""
    return _answers(recorded)[: calls - 1] != _answers(replayed)[: calls - 1]


def _answers(records: Sequence[Record]) -> list[list[Any]]:
    results = {record["call"]: record for record in records if record["kind"] == "result"}
    return [
        [action["tool"], action["args"], *(results[action["call"]][name] for name in ("outcome", "value"))]
        for action in records
        if action["kind"] == "action" and action["call"] in results
    ]
