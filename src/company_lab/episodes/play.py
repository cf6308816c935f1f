"""Play: one agent works through one scenario once."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from company_lab.agents.protocol import EVIDENCE, LAYER, Agent, EpisodeStopped, Task, ToolError, ToolOffer
from company_lab.episodes.acting import Act, in_place, on_a_thread
from company_lab.episodes.session import EpisodeSession
from company_lab.episodes.settle import settle
from company_lab.episodes.turns import Beginning, FollowUps, first
from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse
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
) -> Episode:
    """Play one episode to its end and settle it.

    Without an agent the scenario must be a contract scenario, whose request goes straight to the guard.
    `rules_off` and `rules_denying` break rules on purpose, to see whether a scenario would notice. Never
    raises what an agent raises. Many episodes in a row are faster through `player.play_each`.
    """
    live = LiveEpisode(
        fixture, agent, trial=trial, seed=seed, rules_off=rules_off, rules_denying=rules_denying
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
    ) -> None:
        scenario = fixture.scenario
        if agent is None and scenario.stimulus.request is None:
            raise WrongUse(f"{scenario.id} is no contract scenario: it needs an agent")
        self._started, self._cpu = time.perf_counter(), time.thread_time()
        self.agent = REQUEST if agent is None else agent.for_scenario(scenario)
        self.trace = Trace()
        self.live = LiveWorld(fixture, self.trace, rules_off=rules_off, rules_denying=rules_denying)
        self.trace.records.append(_started(fixture, self.agent, self.live, trial=trial, seed=seed))
        self.session = EpisodeSession(
            self.live, scenario.limits, costs_nothing=self.agent.costs_nothing, started=time.monotonic()
        )
        self.ended = ("finished", "")

    def run(self, act: Act) -> None:
        """Let the agent work until the episode ends for some reason; `act` plays one turn."""
        scenario = self.live.fixture.scenario
        try:
            for position, (name, value) in enumerate(scenario.stimulus.happenings, start=1):
                self.live.arrivals.happen(name, value, position)
            if self.agent is REQUEST:
                _carry_request(self.live, self.session)
            else:
                self.ended = _take_turns(self.agent, self.live, self.session, act)
        except EpisodeStopped as stopped:
            self.ended = (stopped.reason, stopped.detail)
        except WorldBroken as broken:
            self.ended = ("infrastructure_error", str(broken))

    def finish(self) -> Episode:
        """Close the session, settle the world, and hand over the record."""
        reason, detail = self.ended
        self.session.close(reason, detail)
        stopped = self.trace.add("stopped", self.live.clock.at, reason=reason, detail=detail)
        broken = settle(self.live, calls=self.session.calls, turns=self.session.turn, cost=self.session.cost)
        if broken is not None:
            stopped |= {"reason": "infrastructure_error", "detail": str(broken)}
        timings: dict[str, Any] = {
            "wall_ms": (time.perf_counter() - self._started - self.session.paced_s) * 1000,
            "cpu_ms": max(0.0, time.thread_time() - self._cpu) * 1000,
        }
        if self.session.paced_s:
            timings["paced_ms"] = self.session.paced_s * 1000
        if self.session.outage_s is not None:
            timings["retry_after_s"] = self.session.outage_s
        return Episode(self.trace, timings)


def _started(fixture: Fixture, agent: Agent, live: LiveWorld, *, trial: int, seed: int) -> dict[str, object]:
    return {
        "seq": 0,
        "at": live.clock.at,
        "kind": "started",
        "format": FORMAT,
        "scenario": fixture.scenario.id,
        "trial": trial,
        "seed": seed,
        "episode": "fresh",
        "layer": LAYER[agent.kind],
        "evidence": EVIDENCE[agent.kind],
        "agent": {"name": agent.name, "kind": agent.kind, "settings": agent.settings},
        "tenant": live.own_tenant,
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


def _take_turns(agent: Agent, live: LiveWorld, session: EpisodeSession, act: Act) -> tuple[str, str]:
    scenario = live.fixture.scenario
    offers = tool_offers(live.world)
    follow_ups = FollowUps(scenario, live.world.spec)
    beginning: Beginning | None = first(scenario, live.world.spec)
    while beginning is not None:
        if session.turn >= scenario.limits.turns:
            return "turn_limit", f"{scenario.limits.turns} turns were taken"
        with session.lock:
            seq = len(live.trace.records)
            task = _begin_turn(beginning, live, session, offers)
        outcome = act(agent, task, session)
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
            beginning = follow_ups.after(live, text, seq, session.executed_tools) or _woken(live)
            if live.clock.elapsed_ms > scenario.limits.simulated_ms:
                return "simulated_limit", "the next event that wakes the agent comes later than that"
    return "finished", ""


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
    return Task(
        message=beginning.message,
        sender=beginning.sender,
        turn=session.turn,
        at=live.clock.at,
        events=session.observation(beginning.message),
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
    if world not in _offers:
        _offers[world] = tuple(
            ToolOffer(
                name=tool.name,
                description=tool.description,
                signature=tool.signature,
                writes=tool.writes,
            )
            for tool in world.tools.values()
        )
    return _offers[world]
