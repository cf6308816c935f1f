"""Session: the agent's hands in the world. Counts, limits and records every attempt."""

from __future__ import annotations

import copy
import threading
import time
from contextlib import ExitStack, suppress
from decimal import Decimal
from typing import Any

from company_lab.agents import pacing
from company_lab.agents.protocol import CostBasis, Crashed, EpisodeStopped, ToolError
from company_lab.agents.retry_after import seconds_to_wait
from company_lab.episodes.awaited import NOTHING, Awaited
from company_lab.episodes.repeated import Repeated
from company_lab.episodes.restarts import Crash, crashes_of, exchange
from company_lab.episodes.shortened import fitted
from company_lab.episodes.spending import Spending, read_cost, read_details, read_model, read_tokens
from company_lab.episodes.supplied import as_name, as_text, read_arguments
from company_lab.episodes.wall_time import WallTime
from company_lab.formats.canonical import Json, NotJson, boundary
from company_lab.scenarios.model import StopLimits
from company_lab.worlds.broken import WorldBroken
from company_lab.worlds.live import LiveWorld

_WAITING = "clock.wait"
_RECORD = 100
"""Bytes that a look and a report count for the limit on output: nothing else would end whoever goes on with them."""


class EpisodeSession:
    """Implements `agents.protocol.Session` for one episode.

    Attempts made at the same time from several threads run one after another in order of arrival. Once
    the episode is over every attempt raises `EpisodeStopped`, whatever the agent does with it.
    """

    def __init__(self, live: LiveWorld, limits: StopLimits, *, costs_nothing: bool, started: float) -> None:
        self._live = live
        self._trace = live.trace
        self._limits = limits
        self.lock = threading.RLock()
        """Held by whoever writes to the trace: an agent's other threads may go on calling between its turns."""
        self.wall = WallTime(begun=started, limit_s=limits.wall_ms / 1000)
        self._repeats: dict[tuple[str, object], int] = {}
        self._memory: Json = None
        self._last_observation = self.turn = self.calls = self.output = 0
        self._repeated = Repeated()
        self._spending = Spending(costs_nothing=costs_nothing)
        self._left = False
        self._awaited, self._usage_due = NOTHING, False
        self.outage_s: float | None = None
        """How long the host that ended the episode asked to be left alone."""
        self._leaving: ExitStack | None = None
        self.reported: dict[str, Any] = {}
        """What a program that acts in the episode leaves behind beside the trace, for the timings."""
        self.stopped: EpisodeStopped | None = None
        self.crashes = crashes_of(live) if live.faults.scheduled else None
        """Where the agent will crash; None where no crash is scheduled."""
        self.crash: Crash | None = None
        """The crash this session went down with; whoever still holds it gets nothing carried out any more."""
        self.crashed_at = 0.0
        """When that was, on the monotonic clock."""
        self.executed_tools: set[str] = set()

    # what agents use

    def call(self, tool: str, /, **args: Any) -> Any:
        """Use a tool and return its JSON result, or raise `ToolError`."""
        return self.attempt(tool, args)

    def attempt(self, tool: str, args: object, /, *, by: str = "agent", hint: str | None = None) -> Any:
        """Use a tool with arguments as one object or as JSON text, or raise `ToolError`."""
        if self._left:
            threading.Event().wait()
        # What an agent hands over may run its own code when it is read, so this happens before anything is locked.
        name = tool if type(tool) is str else as_text(tool)
        by = as_name(by)
        if hint is not None and type(hint) is not str:
            hint = as_text(hint)
        read = read_arguments(args)
        with self.lock:
            try:
                return self._attempt(name, *read, by, hint)
            except WorldBroken as broken:
                self.stop("infrastructure_error", str(broken))

    def _attempt(
        self,
        name: str,
        read: Json | NotJson,
        supplied: str | None,
        distinct: object,
        size: int,
        by: str,
        hint: str | None,
    ) -> Json:
        self._check_open()
        live, limits = self._live, self._limits
        if self.calls >= limits.calls:
            self.stop("call_limit", f"{limits.calls} calls were made")
        self._send(size + len(name) + (len(hint) if hint else 0))
        self._count(name, distinct)
        clock = live.clock
        if live.inbox.next_due_ms <= clock.elapsed_ms:
            live.arrivals.deliver_due()
        self.calls += 1
        self._awaited = NOTHING
        call = f"c{self.calls}"
        records = self._trace.records
        record: dict[str, Any] = {
            "seq": len(records),
            "at": clock.at,
            "kind": "action",
            "call": call,
            "turn": self.turn,
            "tool": name,
            "args": None if isinstance(read, NotJson) else read,
            "by": by,
            "hint": hint,
        }
        if supplied is not None:
            record["supplied"] = supplied
        records.append(record)
        planned = None
        if self.crashes is not None:
            planned = self.crashes.at_call(name, read)
            if isinstance(read, dict):
                self._fall(self.crashes.before(planned, call, name, read))
        result = live.attempt(call, name, read)
        if result.outcome == "executed":
            self.executed_tools.add(name)
        if clock.elapsed_ms > limits.simulated_ms:
            self.stop("simulated_limit", f"{limits.simulated_ms} ms of simulated time have passed")
        error = None
        if result.code:
            error = ToolError(result.code, result.reason, result.message, result.value)  # type: ignore[arg-type]
        if self.crashes is not None:
            asked = read if supplied is None else supplied
            told = exchange(self.turn, name, asked, result.value, error)
            self._fall(self.crashes.answered(planned, call, told, error))
        if error is not None:
            raise error
        return result.value

    def observe(self) -> list[dict[str, Json]]:
        """Events that reached the company since the agent last looked."""
        with self.lock:
            self._check_open()
            self._send(_RECORD)
            try:
                self._live.arrivals.deliver_due()
            except WorldBroken as broken:
                self.stop("infrastructure_error", str(broken))
            return self.observation(None)

    def usage(
        self,
        *,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
        cost_usd: str | None = None,
        model: str | None = None,
        cached_tokens: int | None = None,
        basis: CostBasis | None = None,
    ) -> None:
        """Report what a model call used; cost is a decimal text in USD, None means unknown."""
        cost = read_cost(cost_usd)
        tokens = read_tokens(input_tokens) + read_tokens(output_tokens)
        more = read_details(cached_tokens, input_tokens, basis, cost)
        amount = None if cost is None else str(cost)
        told = {"input_tokens": input_tokens, "output_tokens": output_tokens, "cost_usd": amount}
        named = read_model(model)
        with self.lock:
            due, self._usage_due = self._usage_due, False
            if not due:  # of an answer whose length ended the episode
                self._check_open()
            self._trace.add("usage", self._live.clock.at, **told, model=named, **more)
            spent, limits = self._spending, self._limits
            spent.add(tokens=tokens, cost=cost)
            self._awaited = self._awaited if self._awaited.down else NOTHING
            if due:
                self._check_open()
            if limits.tokens is not None and spent.tokens > limits.tokens:
                self.stop("token_limit", f"{spent.tokens} tokens were used, {limits.tokens} are allowed")
            if limits.cost_usd is not None and spent.cost is not None and spent.cost > limits.cost_usd:
                self.stop("cost_limit", f"{spent.cost} USD were spent, {limits.cost_usd} are allowed")
            self._send(_RECORD)

    def choice(self, request: Json, answer: Json) -> None:
        """Record what a selector was asked and what it answered, raw."""
        asked, answered = boundary(request), boundary(answer)
        with self.lock:
            self._check_open()
            self._awaited = NOTHING
            said: dict[str, Json] = {"request": asked, "answer": answered}
            self._take_down("choice", said, observation=self._last_observation)

    def asked(
        self, *, role: str, model: str, attempt: int = 1, answer: Json = None, error: Json = None
    ) -> None:
        """Record one request to a model: what came back, or what kept an answer from coming."""
        came, kept = boundary(answer), boundary(error)
        named: dict[str, Json] = {"role": as_name(role), "model": as_name(model)}
        named["attempt"] = read_tokens(attempt)
        with self.lock:
            self._check_open()
            self._awaited = NOTHING if kept is None else Awaited(down=True)
            self._take_down("model", {"answer": came, "error": kept}, **named)

    @property
    def memory(self) -> Json:
        """JSON the world keeps for the agent; assigning it saves."""
        return boundary(self._memory)

    @memory.setter
    def memory(self, value: Json) -> None:
        kept = boundary(value)
        with self.lock:
            self._check_open()
            self._send(self._repeated.counted({"memory": kept}))
            self._memory = kept
            self._trace.add("memory", self._live.clock.at, value=kept)
            if self.crashes is not None:
                self._fall(self.crashes.saved())

    def pace(
        self, host: str, *, role: str = "agent", model: str | None = None, attempt: int = 1
    ) -> pacing.Paced:
        """To be put around each request to a model's host, with `with` or `async with`."""
        asking = {"role": role, "model": model, "attempt": attempt}
        return pacing.Paced(as_text(host), lambda at: self.reserve(at, asking), self.hold)

    def reserve(self, host: object, asking: object = None) -> float:
        """Seconds until the agent's turn at a host comes; its wall limit is put off by as much."""
        awaited = self._awaited.again(as_text(host), asking)
        with self.lock:
            self._check_open()
            self._awaited = awaited
        if seconds := pacing.reserve(as_text(host)):
            with self.lock:
                self.wall.put_off(seconds)
        return seconds

    def hold(self, host: object, seconds: object) -> None:
        """Let nobody ask a host for so many seconds."""
        if bounded := seconds_to_wait(seconds):
            pacing.hold(as_text(host), bounded)

    # what the episode uses

    def observation(self, message: str | None) -> list[dict[str, Json]]:
        """Hand over the events not seen yet and write down what was visible."""
        events = self._live.arrivals.take_unseen()
        if self.crashes is not None:
            events = self.crashes.handed(self.turn, events, begins=message is not None)
        self._last_observation = len(self._trace.records)
        record: dict[str, Any] = {"turn": self.turn, "events": events}
        if message is not None:
            record["message"] = message
        self._trace.add("observation", self._live.clock.at, **record)
        return boundary(events)  # type: ignore[return-value]

    def stop(self, reason: str, detail: str = "") -> None:
        """End the episode for a reason of its own; nothing the agent does afterwards is carried out."""
        if self.stopped is None:
            self.stopped = EpisodeStopped(reason, detail)
        raise self.stopped

    def close(self, reason: str, detail: str = "") -> None:
        """End the episode from outside, also while the agent is still busy somewhere."""
        with self.lock:
            self._usage_due = False
            if self.stopped is None:
                self.stopped = EpisodeStopped(reason, detail)

    def paid(self, **report: Any) -> None:
        """As `usage`, also where the turn was ended meanwhile, since it was paid; what nobody reports is unknown."""
        with self.lock, suppress(EpisodeStopped, Crashed):
            self._usage_due = True
            self.usage(**report)

    def leave(self, reason: str, detail: str) -> None:
        """Close, and let a thread that still attempts something wait for ever instead of going round in circles."""
        self.close(reason, detail)
        self._left = True

    @property
    def leaving(self) -> ExitStack:
        """What ends with the episode, such as a program that acts in it; crashes do not end it."""
        if self._leaving is None:
            self._leaving = ExitStack()
        return self._leaving

    def let_leave(self) -> None:
        """End what ends with the episode."""
        if self._leaving is not None:
            self._leaving.close()

    @property
    def cost(self) -> Decimal | None:
        """What the agent's models cost so far, in US dollars; None where that is not known."""
        return self._spending.cost

    @property
    def output_limit(self) -> int:
        """Bytes that may be sent in all."""
        return self._limits.output_bytes

    def explained(self, reason: str, detail: str) -> tuple[str, str]:
        """Why the episode ended, said with what its agent was waiting for; a request still open is recorded."""
        if reason == "wall_limit":
            self._awaited.note(self._trace, self._live.clock.at, self._spending)
            reason, detail = self._awaited.explain(detail)
        return reason, detail

    def seconds_left(self) -> float:
        """Wall time until the limit."""
        return self.wall.left()

    # crashes

    def _fall(self, crash: Crash | None) -> None:
        """Let the agent crash here, if it is to."""
        if crash is not None and self.crashes is not None:
            self.crashes.fall(crash)
            self.crash, self.crashed_at = crash, time.monotonic()
            raise Crashed

    def next_life(self, *, memory: Json) -> EpisodeSession:
        """The session of the agent after its crash: the same world and counts, but for repeats; what it remembers."""
        after = copy.copy(self)
        after.crash, after._left, after._memory = None, False, memory
        # Who has forgotten a call goes round in no circle by making it once more.
        after._repeats = {}
        after._awaited = NOTHING
        return after

    def kept(self) -> dict[str, Any]:
        """What another process needs to go on with this session after its crash."""
        crashes, crash, spent = self.crashes, self.crash, self._spending
        assert crash is not None
        assert crashes is not None
        return {
            "turn": self.turn,
            "calls": self.calls,
            "output": self.output,
            "repeated": self._repeated.kept(),
            "memory": self._memory,
            "executed_tools": sorted(self.executed_tools),
            "last_observation": self._last_observation,
            "spending": spent.kept(),
            "crashes": crashes.kept(crash),
        }

    def restore(self, kept: dict[str, Any]) -> None:
        """Become what another process has kept; the trace is there already."""
        assert self.crashes is not None
        self.turn, self.calls, self.output = kept["turn"], kept["calls"], kept["output"]
        self._repeated.restore(kept["repeated"])
        self._memory, self._last_observation = kept["memory"], kept["last_observation"]
        self.executed_tools.update(kept["executed_tools"])
        self._spending.restore(kept["spending"])
        self.crash = self.crashes.restore(kept["crashes"])

    def drop(self) -> None:
        """Let a thread that goes on after its crash wait for ever, should it attempt anything."""
        self._left = True

    def _check_open(self) -> None:
        if self.crash is not None:
            raise Crashed
        if self.stopped is not None:
            raise EpisodeStopped(self.stopped.reason, self.stopped.detail)
        if self.wall.left() < 0:
            self.stop("wall_limit", f"{self._limits.wall_ms} ms have passed")

    def _send(self, size: int) -> None:
        self.output += size
        if self.output > (limit := self.output_limit) or self._repeated.beyond(limit):
            self.stop("output_limit", f"more than {limit} bytes were sent")

    def _take_down(self, kind: str, said: dict[str, Json], **more: Json) -> None:
        """Record what a model said, as far as there is room; what that used may still be told, since it was paid."""
        size = self._repeated.counted(said)
        kept = fitted(said, size, room=self._limits.output_bytes - self.output)
        self._trace.add(kind, self._live.clock.at, **kept, **more)
        self._usage_due = kept is not said
        self._send(size)

    def _count(self, tool: str, distinct: object) -> None:
        if tool != _WAITING:
            key = (tool, distinct)
            repeats = self._repeats.get(key, 0)
            if repeats >= self._limits.repeats:
                self.stop("repeated_action", f"{tool} was called {repeats} times with the same arguments")
            self._repeats[key] = repeats + 1
