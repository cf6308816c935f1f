"""Traces written by hand, in the shape in which episodes record them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from company_lab.formats.canonical import same
from company_lab.traces.record import Trace

AT = "2026-03-05T08:00:00+01:00"
ABSENT = {"is": "absent"}
Change = dict[str, Any]


def update(table: str, id: str, *, tenant: str | None = None, **fields: tuple[Any, Any]) -> Change:
    """A change of fields, each as (before, after)."""
    return _change("update", table, id, {name: list(pair) for name, pair in fields.items()}, tenant)


def create(table: str, id: str, *, tenant: str | None = None, **fields: Any) -> Change:
    """A new record."""
    return _change("create", table, id, {name: [ABSENT, value] for name, value in fields.items()}, tenant)


def delete(table: str, id: str, **fields: Any) -> Change:
    """A record that is gone, with what it held."""
    return _change("delete", table, id, {name: [value, ABSENT] for name, value in fields.items()}, None)


def _change(op: str, table: str, id: str, fields: dict[str, Any], tenant: str | None) -> Change:
    change: Change = {"table": table, "id": id, "op": op, "fields": fields}
    return change if tenant is None else {**change, "tenant": tenant}


class Script:
    """Writes one trace, call by call; `settle` works out net changes, writers and ledgers."""

    def __init__(
        self,
        *,
        scenario: str = "s1",
        trial: int = 1,
        layer: str | None = "runtime",
        kind: str = "conduct",
        evidence: str = "deterministic simulation",
    ) -> None:
        self.trace = Trace()
        self._calls = 0
        self._turn = 0
        self._changes: list[tuple[str, Change]] = []
        self._ledgers: dict[str, list[dict[str, Any]]] = {}
        self._add(
            "started",
            format=1,
            scenario=scenario,
            trial=trial,
            seed=7,
            episode="fresh",
            layer=layer,
            evidence=evidence,
            agent={"name": "a", "kind": kind, "settings": {}},
            tenant="main",
            digests={},
        )
        self.turn()

    def _add(self, kind: str, **fields: Any) -> dict[str, Any]:
        return self.trace.add(kind, AT, **fields)

    def turn(self, because: str = "stimulus") -> Script:
        """Begin a turn."""
        self._turn += 1
        self._add("turn", turn=self._turn, because=because, sender=None, message="...")
        return self

    def call(
        self,
        tool: str,
        *,
        outcome: str | None = "executed",
        delivery: str = "delivered",
        changes: Sequence[Change] = (),
        effects: Sequence[dict[str, Any]] = (),
        value: Any = None,
        reason: str | None = None,
        supplied: Any = None,
        guard_changes: Sequence[Change] = (),
        **args: Any,
    ) -> Script:
        """One attempt with everything that came of it; without an outcome the trace ends inside it."""
        self._calls += 1
        call = f"c{self._calls}"
        malformed = outcome == "malformed"
        self._add(
            "action",
            call=call,
            turn=self._turn,
            tool=tool,
            supplied=args if supplied is None else supplied,
            args=None if malformed else args,
            by="agent",
            hint=None,
        )
        if not malformed:
            decision = {"refused": "deny", "held": "require_approval"}.get(outcome or "", "allow")
            guard = self._add(
                "guard", call=call, decision=decision, reason=reason, rule=None, touched=[], approval=None
            )
            if guard_changes:
                guard["changes"] = list(guard_changes)
                self._changes += [("guard", change) for change in guard_changes]
        for effect in effects:
            entry = {"replayed": False, "key": None, **effect}
            self._add("effect", call=call, **entry)
            if not entry["replayed"]:
                ledger = self._ledgers.setdefault(entry["provider"], [])
                ledger.append(
                    {"op": entry["op"], "key": entry["key"], "call": call, "payload": entry["payload"]}
                )
        if outcome is None:
            return self
        code = {"refused": "refused", "held": "held", "failed": "failed", "malformed": "bad_arguments"}.get(
            outcome
        )
        error = None if code is None else {"code": code, "reason": reason, "message": code}
        self._add(
            "result",
            call=call,
            outcome=outcome,
            delivery=delivery,
            value=value,
            error=error,
            changes=list(changes),
        )
        self._changes += [(call, change) for change in changes]
        return self

    def event(self, id: str, type: str, *, changes: Sequence[Change] = ()) -> Script:
        """Something that reached the company."""
        self._add(
            "event", id=id, type=type, data={}, delivery=1, visible=True, sender=None, changes=list(changes)
        )
        self._changes += [(f"event:{id}", change) for change in changes]
        return self

    def reply(self, text: str | None, *, facts: Mapping[str, Any] | None = None) -> Script:
        """The answer that ends a turn."""
        self._add("reply", turn=self._turn, to=None, text=text, facts=dict(facts or {}))
        return self

    def usage(self, input_tokens: int | None, output_tokens: int | None, cost_usd: str | None) -> Script:
        """A report of model use."""
        self._add(
            "usage", input_tokens=input_tokens, output_tokens=output_tokens, cost_usd=cost_usd, model="m"
        )
        return self

    def fault(self, index: int, what: str) -> Script:
        """A fault that fired."""
        self._add("fault", fault=index, call=f"c{self._calls}", what=what)
        return self

    def stop(self, reason: str = "finished", detail: str = "") -> Script:
        """Why the agent stopped."""
        self._add("stopped", reason=reason, detail=detail)
        return self

    def settle(
        self,
        *,
        facts: Mapping[str, Any] | None = None,
        faults: Sequence[Mapping[str, Any]] = (),
        cost_usd: str | None = "0",
        simulated_ms: int = 5000,
    ) -> Script:
        """What is left behind."""
        writers: dict[str, list[str]] = {}
        for author, change in self._changes:
            tenant = f"{change['tenant']}:" if change.get("tenant") else ""
            for field in change["fields"]:
                writers.setdefault(f"{tenant}{change['table']}/{change['id']}/{field}", []).append(author)
        self._add(
            "settled",
            changes=self._net(),
            writers=writers,
            ledgers=self._ledgers,
            facts=dict(facts or {}),
            faults=list(faults),
            cost_usd=cost_usd,
            simulated_ms=simulated_ms,
            calls=self._calls,
            turns=self._turn,
        )
        return self

    def end(self, text: str | None = "Done.", **settled: Any) -> Trace:
        """Reply, stop, settle."""
        return self.reply(text).stop().settle(**settled).trace

    def _net(self) -> list[Change]:
        net: dict[tuple[Any, ...], Change] = {}
        for _, change in self._changes:
            key = (change.get("tenant"), change["table"], change["id"])
            known = net.setdefault(key, {**change, "fields": {}})
            for field, (before, after) in change["fields"].items():
                first = known["fields"].get(field, [before])[0]
                known["fields"][field] = [first, after]
            if change["op"] == "delete":
                known["op"] = "update" if known["op"] == "create" else "delete"
        for change in net.values():
            change["fields"] = {
                field: pair for field, pair in change["fields"].items() if not same(pair[0], pair[1])
            }
        return [change for change in net.values() if change["fields"]]


def mail(to: str, text: str, *, facts: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """The effect of a mail that left the company."""
    return {
        "provider": "mail",
        "op": "send",
        "payload": {"to": to, "text": text},
        "text": {"to": to, "text": text},
        "facts": dict(facts or {}),
        **more,
    }


def refund(charge: str, amount_minor: int, **more: Any) -> dict[str, Any]:
    """The effect of money paid back."""
    return {
        "provider": "bank",
        "op": "refund",
        "payload": {"charge": charge, "amount_minor": amount_minor},
        **more,
    }
