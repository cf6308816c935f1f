"""Settle: deliver what is still queued, then read what is left behind."""

from __future__ import annotations

from decimal import Decimal

from company_lab.formats.canonical import Json
from company_lab.worlds.broken import WorldBroken
from company_lab.worlds.live import LiveWorld
from company_lab.worlds.truth import Nothing

HORIZON_MS = 72 * 3_600_000
"""How long after the agent stopped queued events and redeliveries still arrive."""


def settle(live: LiveWorld, *, calls: int, turns: int, cost: Decimal | None) -> WorldBroken | None:
    """Deliver what is queued for the next 72 simulated hours and write the `settled` record.

    Runs no calendar jobs, so nothing falls due after the agent stopped. Returns what a department broke
    meanwhile: deliveries end there, and facts that can not be read are left out.
    """
    simulated_ms = live.clock.elapsed_ms
    end = simulated_ms + HORIZON_MS
    broken: WorldBroken | None = None
    live.arrivals.settling, live.arrivals.stopped_ms = True, simulated_ms
    try:
        while live.inbox.next_due_ms <= end:
            live.clock.advance(max(0, int(live.inbox.next_due_ms) - live.clock.elapsed_ms))
            live.arrivals.deliver_due()
    except WorldBroken as error:
        broken = error
    changes = live.state.net_changes()
    for state in live.states.values():
        if state is not live.state:
            changes += state.net_changes()
    facts: dict[str, Json] = {}
    for name in live.fixture.scenario.expected.facts:
        try:
            value = live.truth.fact(name)
        except WorldBroken as error:
            broken = broken or error
            continue
        if not isinstance(value, Nothing):
            facts[name] = value
    live.trace.records.append(
        {
            "seq": len(live.trace.records),
            "at": live.clock.at,
            "kind": "settled",
            "changes": changes,
            "writers": live.writers,
            "ledgers": {
                name: provider.ledger for name, provider in live.providers.items() if provider.ledger
            },
            "facts": facts,
            "faults": [
                {"index": index, "fired": state.fired, "changed": state.changed}
                for index, state in enumerate(live.faults.states)
            ],
            "cost_usd": None if cost is None else str(cost),
            "simulated_ms": simulated_ms,
            "calls": calls,
            "turns": turns,
        }
    )
    return broken
