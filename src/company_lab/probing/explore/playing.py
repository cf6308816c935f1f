"""Playing one schedule: an episode under it, judged by the invariants, with the places for further faults."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from company_lab.agents.protocol import Agent
from company_lab.episodes import Episode
from company_lab.episodes.acting import Act, on_a_thread
from company_lab.episodes.play import LiveEpisode, play
from company_lab.evaluation import Verdict, judge
from company_lab.formats.errors import WrongUse
from company_lab.probing.explore.durable import durable_state
from company_lab.probing.explore.explored import Explored, Place, Schedule
from company_lab.probing.explore.invariants import broken
from company_lab.scenarios.model import Scenario
from company_lab.traces.points import call_points
from company_lab.traces.record import Trace
from company_lab.worlds.fixture import Fixture
from company_lab.worlds.world import World

DETERMINISTIC = frozenset({"conduct", "scripted"})
"""Kinds of agents that do the same again from the same state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A scenario and the agent that is explored in it."""

    fixture: Fixture
    agent: Agent
    seed: int = 0
    safety_only: bool = False
    """Whether what was left undone never counts."""
    idle_facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def scenario(self) -> Scenario:
        return self.fixture.scenario

    @property
    def deterministic(self) -> bool:
        """Whether two episodes of the same schedule are the same."""
        return self.agent.kind in DETERMINISTIC


def subject(
    scenario: Scenario, world: World, agent: Agent, *, seed: int = 0, safety_only: bool = False
) -> Subject:
    """Prepare an exploration. Raises `WrongUse` for a contract scenario, which no agent plays."""
    if scenario.is_contract:
        raise WrongUse(
            f"{scenario.id} is a contract scenario: its request goes straight to the guard, and nobody can crash in it"
        )
    fixture = world.prepare(scenario)
    idle = play(fixture, Agent(name="idle", kind="conduct", act=lambda task, session: ""))
    return Subject(
        fixture=fixture,
        agent=agent,
        seed=seed,
        safety_only=safety_only,
        idle_facts=next(idle.trace.by_kind("settled")).get("facts") or {},
    )


def play_schedule(
    subject: Subject,
    schedule: Schedule,
    *,
    known: Container[str] = (),
    trial: int = 1,
    act: Act = on_a_thread,
    watch: Callable[[LiveEpisode], None] = lambda live: None,
) -> Explored:
    """Play the scenario's own faults and these. Where the agent comes back to a state in `known`, the rest is left out.

    Only for deterministic agents: what follows from a state is then what followed from it before. `act` plays a turn;
    `watch` is told the episode before it is played.
    """
    live = begin(subject, schedule, trial=trial)
    watch(live)
    state: str | None = None
    ended = live.run(act, until_crash=True)
    while not ended:
        state = durable_state(live) if subject.deterministic else None
        if state is not None and state in known:
            live.ended = ("cancelled", "what follows is known")
            live.finish()
            return Explored(schedule=schedule, outcome="invalid", stop="cancelled", state=state, cut=True)
        ended = live.go_on(act, until_crash=True)
    return weigh(subject, schedule, live.finish(), state=state)[0]


def begin(subject: Subject, schedule: Schedule, *, trial: int) -> LiveEpisode:
    """An episode of the subject under the scenario's own faults and these."""
    return LiveEpisode(
        subject.fixture,
        subject.agent,
        trial=trial,
        seed=subject.seed,
        schedule=(*subject.scenario.faults, *schedule),
    )


def weigh(
    subject: Subject,
    schedule: Schedule,
    episode: Episode,
    *,
    state: str | None = None,
    replayed_calls: int | None = None,
) -> tuple[Explored, Verdict]:
    """Judge an episode of a schedule, and find the places where further faults can come."""
    scenario, trace = subject.scenario, episode.trace
    verdict = judge(scenario, subject.fixture.world.spec, trace, episode.timings)
    failures = broken(
        scenario,
        schedule,
        trace,
        verdict,
        idle_facts=subject.idle_facts,
        safety_only=subject.safety_only,
    )
    # Failures that a schedule excuses leave an episode that says what it says about the rest.
    undecided = verdict.unscored
    outcome: Any = (
        "failed" if failures else "unscored" if undecided else "invalid" if verdict.invalid else "passed"
    )
    found = Explored(
        schedule=schedule,
        outcome=outcome,
        stop=trace.stop or "",
        broken=failures,
        why="" if failures else "; ".join(note.message for note in (*undecided, *verdict.invalid)),
        places=tuple(_places(subject, trace, len(scenario.faults), len(schedule))),
        state=state,
        replayed_calls=replayed_calls,
    )
    return found, verdict


def _places(subject: Subject, trace: Trace, own: int, more: int) -> Iterator[Place]:
    """Calls and events after every scheduled fault has happened; none where one did not."""
    happened: dict[int, int] = {}
    for record in trace.by_kind("fault"):
        happened.setdefault(int(record["fault"]), int(record["seq"]))
    if any(index not in happened for index in range(own, own + more)):
        return
    begins = max((happened[index] for index in range(own, own + more)), default=-1)
    for point in call_points(trace.records, subject.fixture.world.spec):
        # The call a fault happened to stands before it; another fault at the same call would be no second one.
        if point.seq >= begins:
            yield Place(
                on=point.tool, occurrence=point.occurrence, attempt=point.attempt, writes=point.writes
            )
    arrived: set[str] = set()
    ids = {event.id for event in subject.scenario.events}
    for record in trace.by_kind("event"):
        if record["id"] in ids and record["id"] not in arrived and record["seq"] >= begins:
            yield Place(on=record["id"], event=True)
        arrived.add(record["id"])
