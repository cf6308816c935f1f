"""LiveWorld: a world during one episode. Every step it takes is written to the trace as it happens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from company_lab.formats.canonical import Json, NotJson, boundary, duplicate
from company_lab.formats.errors import nearest
from company_lab.scenarios.model import Fault
from company_lab.traces.record import Trace
from company_lab.worlds.arrivals import Arrivals
from company_lab.worlds.attempt import Attempt, Outcome
from company_lab.worlds.broken import WorldBroken, blaming
from company_lab.worlds.clock import Clock
from company_lab.worlds.context import Context, Failed
from company_lab.worlds.department import Tool
from company_lab.worlds.disturbed import Disturbed
from company_lab.worlds.fault_deliveries import plan_deliveries
from company_lab.worlds.faults import Faults
from company_lab.worlds.fixture import Fixture
from company_lab.worlds.guard import GuardAnswer
from company_lab.worlds.inbox import Inbox
from company_lab.worlds.providers import Declined, KeyReused, LiveProvider, Performed, Unreachable
from company_lab.worlds.state import Change, NoSuchRecord, State
from company_lab.worlds.truth import Truth

ATTEMPT_MS = 1000
"""Simulated time an attempt takes that never reached its tool."""


class LiveWorld:
    """Records, clock, inbox, providers and guard of one episode."""

    def __init__(
        self,
        fixture: Fixture,
        trace: Trace,
        *,
        rules_off: frozenset[str] = frozenset(),
        rules_denying: frozenset[str] = frozenset(),
        schedule: Sequence[Fault] | None = None,
    ) -> None:
        scenario = fixture.scenario
        world = fixture.world
        self.world = world
        self.fixture = fixture
        self.trace = trace
        self.clock = Clock(fixture.start, fixture.moments)
        self.writers: dict[str, list[str]] = {}
        self.own_tenant = scenario.role.tenant
        self.role_permissions = fixture.role_permissions
        self.requester: str | None = None
        self.requester_permissions: frozenset[str] | None = None
        faults = scenario.faults if schedule is None else schedule
        self.faults = Faults.schedule(faults)
        self.inbox = Inbox(plan_deliveries(faults, fixture.deliveries) if faults else fixture.deliveries)
        self.providers = {
            provider.name: LiveProvider(provider, scenario.providers.get(provider.name, {}))
            for provider in world.providers.values()
        }
        self.states = {
            tenant: State(
                tables,
                fixture.indexes[tenant],
                world.singular,
                tenant=None if tenant == self.own_tenant else tenant,
                writers=self.writers,
            )
            for tenant, tables in fixture.tenants.items()
        }
        self._each_state = tuple(self.states.values())
        self.state = self.states[self.own_tenant]
        self.reading = self._context(self.own_tenant, writable=False)
        self.writing = self._context(self.own_tenant, writable=True)
        self._rules_off = rules_off
        self._rules_denying = rules_denying
        if rules_off or rules_denying:
            world.guard.check_names(sorted(rules_off | rules_denying))
        self._call: str | None = None
        self.truth = Truth(self)
        self.guarded: list[tuple[str, Mapping[str, Json], GuardAnswer]] = []
        """Every answer the guard gave: tool, arguments, answer."""
        self.arrivals = Arrivals(self)
        self.kept: dict[str, Any] = {}
        """What the world's own code keeps for the length of the episode, see `Context.kept`."""

    def _context(self, tenant: str, *, writable: bool) -> Context:
        return Context(
            self, self.states[tenant], tenant=tenant, own_tenant=self.own_tenant, writable=writable
        )

    def acting(self, actor: str) -> None:
        """Book the changes that follow on `actor`."""
        for state in self._each_state:
            state.actor = actor

    def take_changes(self) -> list[Change]:
        if len(self._each_state) == 1:
            return self.state.take_changes()
        return [change for state in self._each_state for change in state.take_changes()]

    def dissolve(self) -> None:
        """Let go of everything when an episode is over; the world can not be used any more.

        Its parts know each other, so their memory would otherwise wait for the garbage collector.
        """
        vars(self).clear()

    def building(self) -> Context:
        """A context that writes on behalf of the fixture, before an episode begins."""
        self.acting("fixture")
        return self.writing

    def ask(self, person: str | None) -> None:
        """From now on the agent works for this person: the guard bounds it by what the person may."""
        self.requester = person
        self.requester_permissions = (
            None if person is None else self.fixture.permissions_of_people.get(person)
        )

    # what an agent attempts

    def attempt(self, call: str, name: str, args: Json | NotJson) -> Attempt:
        """Carry one attempt through arguments, guard, faults and tool, and record what became of it."""
        tool = self.world.tools.get(name)
        if tool is None:
            close = nearest(name, self.world.tools)
            hint = f"; did you mean {close}?" if close else ""
            return self.not_executed(
                call, "malformed", "unknown_tool", name, f"there is no tool {name}{hint}"
            )
        if isinstance(args, NotJson):
            return self.not_executed(call, "malformed", "bad_arguments", "not_json", str(args))
        problem = self.world.bad_arguments(tool, args)
        if problem is not None or not isinstance(args, dict):
            return self.not_executed(call, "malformed", "bad_arguments", "arguments", problem or "no object")
        disturbed = None
        if name in self.faults.on:
            disturbed = Disturbed(self, call, tool, args)
            disturbed.before_guard()
        try:
            answer = self.guard(call, tool, args)
        except NoSuchRecord as missing:
            return self.not_executed(call, "failed", "failed", "not_found", str(missing))
        if answer.answer == "deny":
            reason = answer.reason or ""
            return self.not_executed(
                call, "refused", "refused", reason, f"refused: {reason.replace('_', ' ')}"
            )
        if answer.answer == "require_approval":
            return self._hold(call, tool, args, answer)
        if disturbed is not None:
            instead = disturbed.instead()
            if instead is not None:
                return instead
        return self._execute(call, tool, args, answer, disturbed)

    def guard(self, call: str | None, tool: Tool, args: Mapping[str, Json]) -> GuardAnswer:
        """Ask the guard and write its answer down."""
        guard = self.world.guard
        context = self.guarding(args) if "tenant" in args else self.reading
        answer = guard.decide(tool, context, args, off=self._rules_off, denying=self._rules_denying)
        self.guarded.append((tool.name, args, answer))
        records = self.trace.records
        records.append(
            {
                "seq": len(records),
                "at": self.clock.at,
                "kind": "guard",
                "call": call,
                "tool": tool.name,
                "decision": answer.answer,
                "reason": answer.reason,
                "rule": answer.rule,
                "objections": list(answer.objections),
                "touched": guard.touched(tool.name),
                "approval": answer.approval,
            }
        )
        return answer

    def decide(self, tool: Tool, args: Mapping[str, Json]) -> GuardAnswer:
        """What the guard would answer now; nobody has asked, so nothing is written down."""
        return self.world.guard.decide(
            tool, self.guarding(args), args, off=self._rules_off, denying=self._rules_denying
        )

    def guarding(self, args: Mapping[str, Json]) -> Context:
        """What the rules see of an action: the records of the tenant it names, or of the agent's own."""
        tenant = args.get("tenant")
        if tenant is not None and tenant != self.own_tenant and tenant in self.states:
            return self._context(str(tenant), writable=False)
        return self.reading

    def ask_guard(self, name: str, args: Mapping[str, Json]) -> tuple[str, str | None]:
        """The guard's answer to an action somebody asks about, without carrying it out."""
        tool = self.world.tools.get(name)
        if tool is None:
            raise Failed("unknown_tool", f"there is no tool {name}")
        problem = self.world.bad_arguments(tool, args)
        if problem is not None:
            raise Failed("bad_arguments", f"{name}: {problem}")
        answer = self.guard(self._call, tool, args)
        return answer.answer, answer.reason

    def _hold(self, call: str, tool: Tool, args: Mapping[str, Json], answer: GuardAnswer) -> Attempt:
        reason = answer.reason or ""
        waiting: Json = None
        if self.world.on_hold is not None:
            self.acting("guard")
            with blaming("on_hold"):
                waiting = boundary(self.world.on_hold(self.writing, tool, args, reason))
            told = waiting if isinstance(waiting, dict) else {}
            self._approval(call, told.get("approval", told.get("id")), "requested", tool.name)
        message = f"held for approval: {reason.replace('_', ' ')}"
        return self.not_executed(call, "held", "held", reason, message, value=waiting)

    def not_executed(
        self, call: str, outcome: Outcome, code: str, reason: str, message: str, value: Json = None
    ) -> Attempt:
        """Write down an attempt that its tool did not carry out, and give the agent the reason."""
        self.clock.advance(ATTEMPT_MS)
        error: dict[str, Json] = {"code": code, "reason": reason, "message": message}
        self.result(call, outcome, value, error)
        return Attempt(outcome, duplicate(value), code, reason, message)

    def _execute(
        self,
        call: str,
        tool: Tool,
        args: dict[str, Json],
        answer: GuardAnswer,
        disturbed: Disturbed | None,
    ) -> Attempt:
        context = self.writing if tool.writes else self.reading
        tenant = args.get("tenant")
        if tenant is not None and tenant != self.own_tenant:
            if tenant not in self.states:
                return self.not_executed(
                    call, "failed", "failed", "unknown_tenant", "there is no such tenant"
                )
            context = self._context(str(tenant), writable=tool.writes)
        self._call = call
        self.acting(call)
        try:
            handed: Any = args if tool.flat else duplicate(args)
            value = boundary(tool.function(context, **handed))
        except (Failed, NoSuchRecord, Declined, KeyReused, Unreachable) as failure:
            reason = {NoSuchRecord: "not_found", KeyReused: "key_reused"}.get(type(failure)) or str(
                getattr(failure, "reason", "failed")
            )
            return self.not_executed(call, "failed", "failed", reason, str(failure))
        except Exception as error:  # a department's own mistake must not be booked on the agent
            raise WorldBroken(f"{tool.name}: {type(error).__name__}: {error}") from error
        finally:
            self._call = None
        changes = self.take_changes()
        if answer.approval is not None and self.world.on_approved_use is not None:
            self.acting("guard")
            with blaming("on_approved_use"):
                self.world.on_approved_use(self.writing, answer.approval)
            self._approval(call, answer.approval, "used", tool.name)
        if disturbed is not None:
            disturbing = disturbed.answer(value, changes)
            if disturbing is not None:
                return disturbing
        self.clock.advance(tool.latency_ms)
        self.result(call, "executed", value, None, changes=changes)
        return Attempt("executed", duplicate(value))

    def _approval(self, call: str, approval: Json, decision: str, tool: str) -> None:
        """Write down what became of an approval, with the records the guard changed for it."""
        changes = self.take_changes()
        self.trace.add(
            "approval", self.clock.at, call=call, id=approval, decision=decision, tool=tool, changes=changes
        )

    def result(
        self,
        call: str,
        outcome: Outcome,
        value: Json,
        error: dict[str, Json] | None,
        *,
        delivery: str = "delivered",
        changes: list[Change] | None = None,
        received: Json = None,
    ) -> None:
        """Write down what became of a call. `received` is what reached the agent where that is not `value`."""
        records = self.trace.records
        records.append(
            {
                "seq": len(records),
                "at": self.clock.at,
                "kind": "result",
                "call": call,
                "outcome": outcome,
                "delivery": delivery,
                "value": value,
                "error": error,
                "changes": self.take_changes() if changes is None else changes,
            }
        )
        if received is not None:
            records[-1]["received"] = received

    def fire(
        self,
        index: int,
        *,
        kind: str,
        call: str | None = None,
        event: str | None = None,
        changed: bool = True,
        more: Mapping[str, object] | None = None,
    ) -> None:
        """Write down that a fault happens, with whatever more there is to say, and whether anybody could notice."""
        state = self.faults.states[index]
        state.fired = True
        state.changed = state.changed or changed
        where = {"call": call} if call is not None else {"event": event}
        self.trace.add("fault", self.clock.at, fault=index, what=kind, **where, **(more or {}))

    # what reaches outside, and what is true when words do

    def perform(
        self,
        provider: str,
        op: str,
        payload: dict[str, Json],
        *,
        key: str | None,
        text: tuple[str, str] | None,
    ) -> Performed:
        """Let a provider act and write the effect down."""
        if provider in self.faults.on:
            down = self.faults.at_operation(provider, self.clock.elapsed_ms)
            if down is not None:
                self.fire(down, kind="outage", call=self._call, more={"provider": provider})
                raise Unreachable(provider, op)
        performed = self.providers[provider].perform(
            op, payload, key=key, call=self._call, now_ms=self.clock.elapsed_ms
        )
        record = self.trace.add(
            "effect",
            self.clock.at,
            call=self._call,
            provider=provider,
            op=op,
            key=key,
            payload=payload,
            replayed=performed.replayed,
            status=performed.status,
        )
        if text is not None:
            record["text"] = {"to": text[0], "text": text[1]}
            record["facts"] = self.truth.claims()
        return performed
