"""Replay: a stored episode walked through again, with the world as it stood right before each action.

The state comes from the fixture and the changes in the records, the moment from `at`, whoever asked from the
turns, the ledgers from the effects. Nothing is carried out and nothing is recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from company_lab.formats.canonical import Json
from company_lab.traces.record import Trace
from company_lab.worlds.context import Context
from company_lab.worlds.department import Tool
from company_lab.worlds.disturbed import BEFORE_GUARD
from company_lab.worlds.fixture import Fixture
from company_lab.worlds.live import LiveWorld
from company_lab.worlds.state import DoesNotFit

Record = Mapping[str, Any]


class Attempted(NamedTuple):
    """An action of a stored episode that reached the guard, and what the guard could see then."""

    action: Record
    tool: Tool
    args: Mapping[str, Json]
    context: Context


class Replay:
    """The world of a stored episode. `lost` says why it is not known any more, from there on."""

    def __init__(self, fixture: Fixture, records: Sequence[Record]) -> None:
        self._live = LiveWorld(fixture, Trace())
        # What a provider let through against a rule is what a reading has to find.
        for provider in self._live.providers.values():
            provider.answers = {}
        self._records = records
        self._used: dict[str, list[Record]] = {}
        self.results = {
            str(record.get("call")): record for record in records if record.get("kind") == "result"
        }
        """The result of every call that has one."""
        self._meant_for: dict[str, list[Record]] = {}
        for record in records:
            if record.get("kind") == "fault" and record.get("what") in BEFORE_GUARD:
                self._meant_for.setdefault(str(record.get("call")), []).append(record)
        self.lost = _unlike(fixture, records)

    def attempts(self) -> Iterator[Attempted]:
        """The actions that reached the guard, in order; the context of each is good until the next is asked for."""
        live = self._live
        tools = live.world.tools
        for record in self._records:
            kind = record["kind"]
            if kind == "action":
                tool, args = tools.get(record["tool"]), record.get("args")
                if tool is not None and isinstance(args, dict) and not self._malformed(record):
                    self._move_clock(record["at"])
                    for fault in self._meant_for.get(str(record["call"]), ()):
                        self._meet(fault)
                    yield Attempted(record, tool, args, live.guarding(args))
            elif kind == "turn":
                live.ask(record.get("sender"))
            elif kind == "effect":
                self._book(record)
            elif kind == "approval" and record.get("decision") == "used":
                # Written down before the result, and happened after what the tool changed.
                self._used.setdefault(str(record["call"]), []).append(record)
            elif kind in ("event", "approval"):
                self._apply(record)
            elif kind == "result":
                self._apply(record)
                for used in self._used.pop(str(record["call"]), ()):
                    self._apply(used)

    def _meet(self, fault: Record) -> None:
        """Let what a fault did before the guard was asked have happened."""
        self._move_clock(fault["at"])
        if fault.get("changes"):
            self._apply(fault)

    def _malformed(self, action: Record) -> bool:
        result = self.results.get(str(action["call"]))
        if result is None:
            return False
        # What an agent was about to send when it crashed never came.
        never_sent = (result.get("error") or {}).get("reason") == "crashed"
        return never_sent or result["outcome"] == "malformed"

    def _move_clock(self, at: str) -> None:
        clock = self._live.clock
        passed = datetime.fromisoformat(at) - clock.now()
        clock.advance(round(passed.total_seconds() * 1000))

    def _book(self, effect: Record) -> None:
        provider = self._live.providers.get(effect["provider"])
        if provider is not None and not effect.get("replayed"):
            provider.ledger.append(
                {name: effect.get(name) for name in ("op", "key", "call", "payload")}
                | {"status": effect.get("status", "done")}
            )

    def _apply(self, record: Record) -> None:
        changes = record.get("changes")
        if changes is None:
            if record.get("outcome", "executed") == "executed":
                self.lost = self.lost or f"record {record['seq']} does not say what it changed"
            return
        for change in changes:
            state = self._live.states.get(change.get("tenant", self._live.own_tenant))
            try:
                if state is None:
                    raise DoesNotFit(f"there is no tenant {change['tenant']}")
                state.repeat(change)
            except DoesNotFit as error:
                self.lost = self.lost or f"record {record['seq']} does not fit what came before: {error}"


def _unlike(fixture: Fixture, records: Sequence[Record]) -> str:
    """Why the records can not be replayed from this fixture; empty where they can."""
    header = records[0] if records and records[0].get("kind") == "started" else {}
    digests = header.get("digests") or {}
    if "initial" not in digests:
        return "the trace does not say from which state it began"
    if header.get("redacted") is not None:
        return "values were replaced before the trace was stored"
    if digests["initial"] != fixture.digest:
        return "the episode began from another state than the scenario describes now"
    return ""
