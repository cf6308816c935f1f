"""Play: one agent works through one scenario once."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

from company_lab.agents.protocol import EVIDENCE, LAYER, Agent, EpisodeStopped, Task, ToolError, ToolOffer
from company_lab.episodes.acting import Act, Outcome, in_place, on_a_thread
from company_lab.episodes.session import EpisodeSession
from company_lab.episodes.settle import settle
from company_lab.episodes.turns import Beginning, FollowUps, first
from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse
from company_lab.formats.secrets import hiding
from company_lab.scenarios.model import Fault
from company_lab.scenarios.schedules import fault_document
from company_lab.traces.record import FORMAT, Trace
from company_lab.worlds.broken import WorldBroken
from company_lab.worlds.fixture import Fixture
from company_lab.worlds.live import LiveWorld
from company_lab.worlds.world import World


@dataclass(frozen=True, slots=True)
class Episode:
    """The record of one time through, and how long it took.

    `timings` (wall_ms, cpu_ms) lie outside the trace and outside every hash.
    """

    trace: Trace
    timings: dict[str, Any]


def _request(task: Task, session: object) -> str:
    return ""


REQUEST = Agent(name="request", kind="request", act=_request)
"""Plays contract scenarios: the request goes straight to the guard."""


def play(
    fixture: Fixture,
    agent: Agent | None,
    *,
    trial: int = 1,
    seed: int = 0,
    rules_off: frozenset[str] = frozenset(),
    rules_denying: frozenset[str] = frozenset(),
    schedule: Sequence[Fault] | None = None,
) -> Episode:
    """Play one episode to its end and settle it.

    Without an agent the scenario must be a contract scenario, whose request goes straight to the guard.
    `rules_off` and `rules_denying` break rules on purpose, to see whether a scenario would notice. `schedule`
    takes the place of the scenario's own faults and stands in the trace; None leaves those as they are. Never
    raises what an agent raises. Many episodes in a row are faster through `player.play_each`.
    """
    live = LiveEpisode(
        fixture,
        agent,
        trial=trial,
        seed=seed,
        rules_off=rules_off,
        rules_denying=rules_denying,
        schedule=schedule,
    )
    live.run(in_place if live.agent.kind in ("conduct", "request") else on_a_thread)
    return live.finish()


class LiveEpisode:
    """An episode while it is played: begun here, run once, finished once."""

    def __init__(
        self,
        fixture: Fixture,
        agent: Agent | None,
        *,
        trial: int,
        seed: int,
        rules_off: frozenset[str] = frozenset(),
        rules_denying: frozenset[str] = frozenset(),
        schedule: Sequence[Fault] | None = None,
    ) -> None:
        scenario = fixture.scenario
        if agent is None and scenario.stimulus.request is None:
            raise WrongUse(f"{scenario.id} is no contract scenario: it needs an agent")
        self._started, self._cpu = time.perf_counter(), time.thread_time()
        self._unbound = REQUEST if agent is None else agent
        self.agent = self._unbound.for_scenario(scenario)
        self.trace = Trace()
        self.live = LiveWorld(
            fixture, self.trace, rules_off=rules_off, rules_denying=rules_denying, schedule=schedule
        )
        self.trace.records.append(
            _started(fixture, self.agent, trial=trial, seed=seed, at=self.live.clock.at)
        )
        if schedule is not None:
            self.trace.records[0]["schedule"] = [fault_document(fault) for fault in schedule]
        self.session = EpisodeSession(
            self.live, scenario.limits, costs_nothing=self.agent.costs_nothing, started=time.monotonic()
        )
        self.ended = ("finished", "")
        self.beginning: Beginning | None = None
        """What began the turn that is being taken."""
        self.turn_seq = 0
        """Where its records begin."""
        self.follow_ups = FollowUps(scenario, fixture.world.spec)

    def run(self, act: Act, *, until_crash: bool = False) -> bool:
        """Let the agent work until the episode ends for some reason; `act` plays one turn.

        With `until_crash` it also stops where the agent has crashed and may come back, and says so: False means that
        the episode has not ended. Another `LiveEpisode` goes on from there (see `continuation`).
        """
        return self._ends(lambda: self._begin(act, until_crash))

    def go_on(self, act: Act, *, until_crash: bool = False) -> bool:
        """As `run`, from the crash at which the episode was left."""
        return self._ends(lambda: self._take_turns(act, until_crash, fallen=True))

    def _ends(self, work: Callable[[], tuple[str, str] | None]) -> bool:
        try:
            ended = work()
            if ended is None:
                return False
            self.ended = ended
        except EpisodeStopped as stopped:
            self.ended = (stopped.reason, stopped.detail)
        except WorldBroken as broken:
            self.ended = ("infrastructure_error", str(broken))
        return True

    def _begin(self, act: Act, until_crash: bool) -> tuple[str, str] | None:
        for position, (name, value) in enumerate(self.live.fixture.scenario.stimulus.happenings, start=1):
            self.live.arrivals.happen(name, value, position)
        if self.agent is REQUEST:
            _carry_request(self.live, self.session)
            return self.ended
        self.beginning = first(self.live.fixture.scenario, self.live.world.spec)
        return self._take_turns(act, until_crash, fallen=False)

    def _take_turns(self, act: Act, until_crash: bool, *, fallen: bool) -> tuple[str, str] | None:
        live, scenario = self.live, self.live.fixture.scenario
        offers = tool_offers(live.world)
        while (beginning := self.beginning) is not None:
            if fallen:
                task, outcome = _task(beginning, live, self.session, offers, ()), Outcome()
            else:
                if self.session.turn >= scenario.limits.turns:
                    return "turn_limit", f"{scenario.limits.turns} turns were taken"
                with self.session.lock:
                    self.turn_seq = len(live.trace.records)
                    task = _begin_turn(beginning, live, self.session, offers)
                outcome = act(self.agent, task, self.session)
            while self.session.crash is not None and self.session.stopped is None:
                if self._crashed_too_often():
                    return "crash_limit", f"more than {scenario.limits.crashes} crashes"
                if until_crash and not fallen:
                    return None
                fallen = False
                outcome = act(self.agent, self._come_back(task), self.session)
            session = self.session
            if outcome.retry_after is not None:
                session.outage_s = outcome.retry_after
            with session.lock:
                if session.stopped is not None:
                    return session.stopped.reason, session.stopped.detail
                if outcome.reason is not None:
                    return outcome.reason, outcome.detail
                reply = outcome.reply
                if reply is not None and not isinstance(reply, str):
                    return "agent_error", f"the reply is a {type(reply).__name__}, not text"
                text = str.__str__(reply) if reply is not None else ""
                if _reply(live, session, text, beginning.sender):
                    return "output_limit", f"the reply is longer than {scenario.limits.output_bytes} bytes"
                self.beginning = self.follow_ups.after(
                    live, text, self.turn_seq, session.executed_tools
                ) or _woken(live)
                if live.clock.elapsed_ms > scenario.limits.simulated_ms:
                    return "simulated_limit", "the next event that wakes the agent comes later than that"
        return "finished", ""

    def _crashed_too_often(self) -> bool:
        crashes = self.session.crashes
        return crashes is not None and crashes.happened > self.live.fixture.scenario.limits.crashes

    def _come_back(self, task: Task) -> Task:
        """Let the agent begin the same turn again after its crash."""
        fallen = self.session
        with fallen.lock:
            crash, crashes = fallen.crash, fallen.crashes
            assert crash is not None
            assert crashes is not None
            restart = crashes.restart(crash, turn=task.turn)
            # Whatever the one that crashed has kept in this process goes with it.
            self.agent = self._unbound.for_scenario(self.live.fixture.scenario)
            self.session = fallen.next_life(memory=fallen.memory if restart.mode == "checkpoint" else None)
            events = self.session.observation(task.message)
            return replace(task, at=self.live.clock.at, events=events, restart=restart)

    def finish(self) -> Episode:
        """Close the session, settle the world, and hand over the record."""
        reason, detail = self.ended
        self.session.close(reason, detail)
        self.session.let_leave()
        reason, detail = self.session.explained(reason, detail)
        stopped = self.trace.add("stopped", self.live.clock.at, reason=reason, detail=detail)
        broken = settle(self.live, calls=self.session.calls, turns=self.session.turn, cost=self.session.cost)
        if broken is not None:
            stopped |= {"reason": "infrastructure_error", "detail": str(broken)}
        paced_s = self.session.wall.paced_s
        timings: dict[str, Any] = {
            "wall_ms": (time.perf_counter() - self._started - paced_s) * 1000,
            "cpu_ms": max(0.0, time.thread_time() - self._cpu) * 1000,
        }
        if paced_s:
            timings["paced_ms"] = paced_s * 1000
        if self.session.outage_s is not None:
            timings["retry_after_s"] = self.session.outage_s
        self.live.dissolve()
        hide = hiding(self.agent.secrets)
        timings.update({name: hide(told) for name, told in self.session.reported.items()})
        if self.agent.secrets:
            # Before anybody judges it: a verdict rests on what is stored.
            for record in self.trace.records[1:]:
                record.update({name: hide(item) for name, item in record.items()})
        return Episode(self.trace, timings)


def _started(fixture: Fixture, agent: Agent, *, trial: int, seed: int, at: str) -> dict[str, Any]:
    key = agent.digest + agent.code_digest
    known = fixture.headers.get(key)
    if known is None:
        known = fixture.headers[key] = _header(fixture, agent, at)
    return {**known, "trial": trial, "seed": seed}


def _header(fixture: Fixture, agent: Agent, at: str) -> dict[str, Any]:
    return {
        "seq": 0,
        "at": at,
        "kind": "started",
        "format": FORMAT,
        "scenario": fixture.scenario.id,
        "episode": "fresh",
        "layer": LAYER[agent.kind],
        "evidence": EVIDENCE[agent.kind],
        "agent": agent.described,
        "tenant": fixture.scenario.role.tenant,
        "digests": {
            "scenario": fixture.scenario.digest,
            "world": fixture.world.digest,
            "agent": agent.digest,
            "code": agent.code_digest,
            "initial": fixture.digest,
        },
    }


def _carry_request(live: LiveWorld, session: EpisodeSession) -> None:
    stimulus = live.fixture.scenario.stimulus
    request = live.world.requests[stimulus.request or ""]
    session.turn = 1
    live.ask(stimulus.sender)
    live.arrivals.deliver_due()
    live.trace.add(
        "turn", live.clock.at, turn=1, because="request", sender=stimulus.sender, message=request.task
    )
    # The guard's answer is what the scenario asks for; it is in the trace.
    with suppress(ToolError):
        session.attempt(request.tool, dict(request.args), by="request")


def _begin_turn(
    beginning: Beginning, live: LiveWorld, session: EpisodeSession, offers: tuple[ToolOffer, ...]
) -> Task:
    session.turn += 1
    live.ask(beginning.sender)
    live.arrivals.deliver_due()
    live.trace.add(
        "turn",
        live.clock.at,
        turn=session.turn,
        because=beginning.because,
        sender=beginning.sender,
        message=beginning.message,
    )
    return _task(beginning, live, session, offers, session.observation(beginning.message))


def _task(
    beginning: Beginning,
    live: LiveWorld,
    session: EpisodeSession,
    offers: tuple[ToolOffer, ...],
    events: Sequence[Mapping[str, Json]],
) -> Task:
    return Task(
        message=beginning.message,
        sender=beginning.sender,
        turn=session.turn,
        at=live.clock.at,
        events=events,
        tools=offers,
    )


def _reply(live: LiveWorld, session: EpisodeSession, text: str, to: str | None) -> bool:
    """Record a reply, cut to the limit; whether it had to be cut."""
    allowed = live.fixture.scenario.limits.output_bytes - session.output
    size = len(text) if len(text) * 4 <= allowed else len(text.encode("utf-8", "surrogatepass"))
    record: dict[str, Json] = {"turn": session.turn, "to": to, "text": text, "facts": live.truth.claims()}
    cut = size > allowed
    session.output += size
    if cut:
        record["text"] = text[: max(0, allowed)]
        record["bytes"] = size
    live.trace.add("reply", live.clock.at, **record)
    return cut


def _woken(live: LiveWorld) -> Beginning | None:
    """Let time pass until the next event that wakes the agent, unless one has come that it did not look at."""
    if not live.arrivals.waking:
        due = live.inbox.next_wake_ms()
        if due is None:
            return None
        live.clock.advance(due - live.clock.elapsed_ms)
    return Beginning(because="event", sender=None, message="")


_offers: WeakKeyDictionary[World, tuple[ToolOffer, ...]] = WeakKeyDictionary()


def tool_offers(world: World) -> tuple[ToolOffer, ...]:
    """The tools of a world as an agent sees them."""
    known = _offers.get(world)
    if known is None:
        known = _offers[world] = tuple(
            ToolOffer(
                name=tool.name,
                description=tool.description,
                signature=tool.signature,
                writes=tool.writes,
            )
            for tool in world.tools.values()
        )
    return known
