"""Disturbed: a call that something is scheduled for, from before the guard to what the agent gets back.

Nobody who calls can tell apart what looks alike outside: a request that was lost and an answer that was lost give
the same timeout, an error before and one after the effect the same text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from company_lab.formats.canonical import Json, duplicate
from company_lab.scenarios.model import Fault
from company_lab.worlds.attempt import Attempt, Outcome
from company_lab.worlds.expiry import approval_ends_ms, lease_ends_ms
from company_lab.worlds.fault_answers import cut_off, in_part
from company_lab.worlds.faults import DEFAULT_TIMEOUT_MS, delay_ms
from company_lab.worlds.stale import StaleAnswer, stale_answer
from company_lab.worlds.state import Change, NoSuchRecord

if TYPE_CHECKING:
    from company_lab.worlds.department import Tool
    from company_lab.worlds.guard import GuardAnswer
    from company_lab.worlds.live import LiveWorld

SOMEBODY_ELSE = "someone else"
"""Who a change of records is written down to that neither the agent, an event nor the guard made."""

BEFORE_GUARD = frozenset({"foreign_change", "approval_expires", "lease_expires"})
"""Kinds that happen to a call before the guard is asked about it."""

_BEFORE = {
    "error": "",
    "rate_limited": "answered 429: too many requests",
    "server_error": "answered 500: an internal error",
}
_AFTER = {
    "rate_limited_after": ("rate_limited", _BEFORE["rate_limited"]),
    "server_error_after": ("server_error", _BEFORE["server_error"]),
}
_UNKNOWN = "gave no answer in time; whether it happened is not known"


class Disturbed:
    """One call and the faults scheduled for it."""

    __slots__ = ("_args", "_call", "_due", "_live", "_tool")

    def __init__(self, live: LiveWorld, call: str, tool: Tool, args: dict[str, Json]) -> None:
        self._live = live
        self._call = call
        self._tool = tool
        self._args = args
        self._due: dict[str, tuple[int, Fault]] = {}
        for index, fault in live.faults.due(tool.name, live.faults.point(tool, args)):
            self._due.setdefault(fault.kind, (index, fault))

    # before the guard

    def before_guard(self) -> None:
        """Let happen what the guard is to meet: records changed by somebody else, rights that ran out."""
        change = self._due.pop("foreign_change", None)
        if change is not None:
            changes = self._change(change[1].change or {})
            self._fire(change[0], "foreign_change", changed=bool(changes), changes=changes)
        for kind, ends in (("approval_expires", approval_ends_ms), ("lease_expires", lease_ends_ms)):
            due = self._due.get(kind)
            if due is not None:
                before = self._decision()
                left_ms = ends(self._live, self._tool, self._args, before)
                # Where nothing is there yet that could run out, the fault waits for the call that has it.
                if left_ms is not None:
                    self._live.clock.advance(left_ms)
                    self._fire(due[0], kind, changed=before != self._decision())

    def _change(self, change: Mapping[str, Json]) -> list[Change]:
        live = self._live
        live.acting(SOMEBODY_ELSE)
        for table, records in change.items():
            for id, fields in records.items() if isinstance(records, dict) else ():
                if isinstance(fields, dict) and live.state.get(table, id) is not None:
                    live.state.update(table, id, fields)
        return live.take_changes()

    def _decision(self) -> GuardAnswer | None:
        """What the guard would say now, without having been asked."""
        try:
            return self._live.decide(self._tool, self._args)
        except NoSuchRecord:
            return None

    # between the guard and the tool

    def instead(self) -> Attempt | None:
        """What the agent gets without the tool having been used, if anything; counts the call."""
        live, name = self._live, self._tool.name
        live.faults.count(self._tool, self._args)
        down = self._down()
        if down is not None:
            self._fire(down, "outage")
            return self._fails("unavailable", f"{name} is unavailable")
        for kind, words in _BEFORE.items():
            due = self._due.get(kind)
            if due is not None:
                index, fault = due
                self._fire(index, kind)
                live.clock.advance(fault.by_ms or 0)
                reason = (fault.error or "unavailable") if kind == "error" else kind
                return self._fails(reason, f"{name} {words or 'failed: ' + reason.replace('_', ' ')}")
        lost = self._due.get("lost_request")
        if lost is not None:
            self._fire(lost[0], "lost_request")
            return self._times_out("failed", None, [])
        stale = self._due.get("stale_read")
        return None if stale is None else self._stale(*stale)

    def _down(self) -> int | None:
        faults, now_ms = self._live.faults, self._live.clock.elapsed_ms
        begins = self._due.get("outage")
        if begins is not None:
            faults.goes_down(begins[0], now_ms)
        return faults.outage_of(self._tool.name, now_ms)

    def _fails(self, reason: str, message: str) -> Attempt:
        return self._live.not_executed(self._call, "failed", "failed", reason, message)

    def _stale(self, index: int, fault: Fault) -> Attempt | None:
        live, tenant = self._live, self._args.get("tenant")
        if self._tool.writes or tenant not in (None, live.own_tenant):
            return None
        found = stale_answer(live, self._tool, self._args, by_ms=fault.by_ms)
        if found is None:
            return None
        self._fire(index, "stale_read", changed=found.differs, as_of=found.as_of)
        return self._told(found)

    def _told(self, found: StaleAnswer) -> Attempt:
        live, answer = self._live, found.answer
        if answer.reason:
            return self._fails(answer.reason, answer.message)
        live.clock.advance(self._tool.latency_ms)
        live.result(self._call, "executed", answer.value, None)
        return Attempt("executed", duplicate(answer.value))

    # after the tool

    def answer(self, value: Json, changes: list[Change]) -> Attempt | None:
        """What the agent gets after the tool was used; None where it is just the answer."""
        live = self._live
        lost = self._due.get("lost_ack")
        if lost is not None:
            self._fire(lost[0], "lost_ack")
            return self._times_out("executed", value, changes)
        late = self._due.get("late_answer")
        for kind, (reason, words) in _AFTER.items():
            due = self._due.get(kind)
            if due is not None:
                self._fire(due[0], kind)
                live.clock.advance(max(self._tool.latency_ms, due[1].by_ms or 0))
                message = f"{self._tool.name} {words}"
                error: dict[str, Json] = {"code": "failed", "reason": reason, "message": message}
                live.result(self._call, "executed", value, error, delivery="failed", changes=changes)
                return Attempt("executed", None, "failed", reason, message)
        if late is not None:
            self._fire(late[0], "late_answer")
            live.clock.advance(delay_ms(late[1]))
        return self._garbled(value, changes, late is not None)

    def _garbled(self, value: Json, changes: list[Change], late: bool) -> Attempt | None:
        live = self._live
        for kind, spoil in (("malformed_result", cut_off), ("partial_result", in_part)):
            due = self._due.get(kind)
            if due is None:
                continue
            received = spoil(value)
            differs = received != value
            self._fire(due[0], kind, changed=differs)
            if differs:
                live.clock.advance(0 if late else self._tool.latency_ms)
                delivery = kind.removesuffix("_result")
                live.result(
                    self._call, "executed", value, None, delivery=delivery, changes=changes, received=received
                )
                return Attempt("executed", duplicate(received))
        if not late:
            return None
        live.result(self._call, "executed", value, None, changes=changes)
        return Attempt("executed", duplicate(value))

    def _times_out(self, outcome: Outcome, value: Json, changes: list[Change]) -> Attempt:
        live = self._live
        live.clock.advance(DEFAULT_TIMEOUT_MS)
        message = f"{self._tool.name} {_UNKNOWN}"
        error: dict[str, Json] = {"code": "timed_out", "reason": "timed_out", "message": message}
        live.result(self._call, outcome, value, error, delivery="timed_out", changes=changes)
        return Attempt(outcome, None, "timed_out", "timed_out", message)

    def _fire(self, index: int, kind: str, *, changed: bool = True, **more: object) -> None:
        self._live.fire(index, kind=kind, call=self._call, changed=changed, more=more)
