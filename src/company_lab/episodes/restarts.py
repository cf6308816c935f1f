"""Restarts: where an agent crashes, and with what it comes back.

A crash is scheduled like any other fault, at a call named by tool, occurrence and attempt. The world outlives it:
records, ledgers, idempotency keys with their age, the clock, what is queued, and the agent's memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from company_lab.agents.protocol import Exchange, Restart, RestartMode, ToolError
from company_lab.formats.canonical import Json, NotJson, boundary
from company_lab.worlds.live import LiveWorld

CrashPoint = Literal["before", "after", "answered", "saved"]
_NOT_LET_THROUGH = ("refused", "held", "bad_arguments", "unknown_tool")
LOST = "lost"
"""The delivery of a result that had no agent to reach."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledCrash:
    """A crash of the schedule, by its place in it."""

    index: int
    point: CrashPoint
    mode: RestartMode
    down_ms: int
    """Simulated time until the agent is back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash:
    """A crash that happens now."""

    scheduled: ScheduledCrash
    call: str
    value: Json = None
    """What the call returned, where the answer still leaves for the agent."""
    error: ToolError | None = None
    """What the call raised, where the answer still leaves for the agent."""


class Crashes:
    """The crashes of one episode: those still to come, how many there were, and what is handed over again after one."""

    __slots__ = ("_handed", "_handed_in", "_live", "_unsaved", "happened", "transcript")

    def __init__(self, live: LiveWorld) -> None:
        self._live = live
        self._unsaved: Crash | None = None
        self._handed: list[dict[str, Json]] = []
        self._handed_in = 0
        self.happened = 0
        self.transcript: list[Exchange] = []
        """Every call whose answer has reached the agent."""

    def at_call(self, tool: str, args: object) -> ScheduledCrash | None:
        """The crash planned around this call."""
        known = self._live.world.tools.get(tool)
        if known is None or not isinstance(args, dict):
            return None
        found = self._live.faults.crash_around(known, args)
        if found is None:
            return None
        index, fault = found
        return ScheduledCrash(
            index=index,
            point=fault.at or "after",
            mode=fault.restart or "checkpoint",
            down_ms=fault.by_ms or 0,
        )

    def before(
        self, planned: ScheduledCrash | None, call: str, tool: str, args: Mapping[str, Json]
    ) -> Crash | None:
        """The crash before a call is sent; the call is then written down as one that never left the agent."""
        if planned is None or planned.point != "before":
            return None
        self._live.faults.count(self._live.world.tools[tool], args)
        self._live.trace.add(
            "result",
            self._live.clock.at,
            call=call,
            outcome="failed",
            delivery=LOST,
            value=None,
            error={"code": "failed", "reason": "crashed", "message": "the agent crashed before it was sent"},
            changes=[],
        )
        return Crash(scheduled=planned, call=call)

    def answered(
        self, planned: ScheduledCrash | None, call: str, asked: Exchange, error: ToolError | None
    ) -> Crash | None:
        """The crash around an answer; without one the agent has it."""
        if error is not None and error.code in _NOT_LET_THROUGH:
            planned = None  # such a call is no attempt, so this was not the one
        if planned is not None and planned.point == "after":
            result = self._live.trace.records[-1]
            if result["kind"] == "result" and result["delivery"] == "delivered":
                result["delivery"] = LOST
            return Crash(scheduled=planned, call=call)
        self.transcript.append(asked)
        if planned is None:
            return None
        crash = Crash(scheduled=planned, call=call, value=asked.result, error=error)
        if planned.point == "answered":
            return crash
        self._unsaved = self._unsaved or Crash(scheduled=planned, call=call)
        return None

    def saved(self) -> Crash | None:
        """The crash that waited for the agent to save."""
        crash, self._unsaved = self._unsaved, None
        return crash

    def handed(self, turn: int, events: list[dict[str, Json]], *, begins: bool) -> list[dict[str, Json]]:
        """What an observation shows: an agent that begins its turn again has forgotten what it saw in it."""
        if turn != self._handed_in:
            self._handed, self._handed_in = [], turn
        self._handed = [*self._handed, *events]
        return self._handed if begins else events

    def fall(self, crash: Crash) -> None:
        """Write down that the agent crashes here."""
        self.happened += 1
        self._unsaved = None
        scheduled, live = crash.scheduled, self._live
        live.fire(scheduled.index, call=crash.call, kind="crash")
        live.trace.add(
            "crash",
            live.clock.at,
            call=crash.call,
            point=scheduled.point,
            fault=scheduled.index,
            crash=self.happened,
        )

    def kept(self, crash: Crash) -> dict[str, Any]:
        """What another process needs to let the agent come back from this crash."""
        return {
            "happened": self.happened,
            "transcript": [asdict(exchange) for exchange in self.transcript],
            "handed": self._handed,
            "handed_in": self._handed_in,
            "crash": {"scheduled": asdict(crash.scheduled), "call": crash.call},
        }

    def restore(self, kept: Mapping[str, Any]) -> Crash:
        """Become what another process has kept; the crash it ended with."""
        self.happened, self._handed, self._handed_in = kept["happened"], kept["handed"], kept["handed_in"]
        self.transcript = [Exchange(**exchange) for exchange in kept["transcript"]]
        crash = kept["crash"]
        return Crash(scheduled=ScheduledCrash(**crash["scheduled"]), call=crash["call"])

    def restart(self, crash: Crash, *, turn: int) -> Restart:
        """Let the agent come back, and say what it is told."""
        scheduled, live = crash.scheduled, self._live
        live.clock.advance(scheduled.down_ms)
        live.arrivals.deliver_due()
        live.trace.add("restart", live.clock.at, mode=scheduled.mode, crash=self.happened, turn=turn)
        told: Iterable[Exchange] = self.transcript if scheduled.mode == "transcript" else ()
        return Restart(mode=scheduled.mode, crashes=self.happened, transcript=tuple(told))


def crashes_of(live: LiveWorld) -> Crashes | None:
    """The crashes of an episode; None where none is scheduled, so that nobody has to look."""
    return Crashes(live) if any(fault.kind == "crash" for fault in live.faults.scheduled) else None


def exchange(turn: int, tool: str, args: object, value: Json, error: ToolError | None) -> Exchange:
    """A call and its answer, as the agent itself would have written them down."""
    return Exchange(
        turn=turn,
        tool=tool,
        args=str(args) if isinstance(args, NotJson) else boundary(args),
        result=None if error is not None else boundary(value),
        error=None
        if error is None
        else {"code": error.code, "reason": error.reason, "message": str(error), "detail": error.detail},
    )
