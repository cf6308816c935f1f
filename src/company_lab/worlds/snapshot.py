"""Snapshot: everything a world has become in an episode, as plain JSON, and a world made of it again.

This module alone knows the parts of a world from inside. What follows from the fixture (records as they began, answers
of providers, rules) is not in it: a snapshot belongs to its fixture.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from company_lab.worlds.faults import Outage
from company_lab.worlds.guard import GuardAnswer
from company_lab.worlds.inbox import Delivery, Inbox
from company_lab.worlds.live import LiveWorld
from company_lab.worlds.providers import LiveProvider, Performed
from company_lab.worlds.state import State

Snapshot = dict[str, Any]
_DELIVERY = tuple(field.name for field in fields(Delivery))


def snapshot(live: LiveWorld) -> Snapshot:
    """What the world is now. Shares records with it, so it has to be written down before the world goes on."""
    return {
        "elapsed_ms": live.clock.elapsed_ms,
        "requester": live.requester,
        "writers": live.writers,
        "states": {tenant: _state(state) for tenant, state in live.states.items()},
        "providers": {name: _provider(provider) for name, provider in live.providers.items()},
        "inbox": {
            "planned": [
                {name: getattr(delivery, name) for name in _DELIVERY} for delivery in live.inbox._planned
            ],
            "counts": live.inbox._counts,
        },
        "arrivals": {"unseen": live.arrivals._unseen, "waking": live.arrivals.waking},
        "faults": {
            "states": [asdict(state) for state in live.faults.states],
            "seen": live.faults._seen,
            "operations": live.faults._operations,
            "outages": [asdict(outage) for outage in live.faults._outages],
        },
        "guarded": [[tool, args, list(answer)] for tool, args, answer in live.guarded],
    }


def restore(live: LiveWorld, kept: Snapshot) -> None:
    """Let a world that has just been opened from the same fixture become what the snapshot says."""
    live.clock.advance(kept["elapsed_ms"])
    live.ask(kept["requester"])
    live.writers.update(kept["writers"])
    for tenant, state in live.states.items():
        _restore_state(state, kept["states"][tenant])
    for name, provider in live.providers.items():
        _restore_provider(provider, kept["providers"][name])
    live.inbox = Inbox(_delivery(planned) for planned in kept["inbox"]["planned"])
    live.inbox._counts.update(kept["inbox"]["counts"])
    live.arrivals._unseen = kept["arrivals"]["unseen"]
    live.arrivals.waking = kept["arrivals"]["waking"]
    for fault, was in zip(live.faults.states, kept["faults"]["states"], strict=True):
        fault.fired, fault.changed = was["fired"], was["changed"]
    live.faults._seen.update(kept["faults"]["seen"])
    live.faults._operations.update(kept["faults"]["operations"])
    live.faults._outages.extend(Outage(**outage) for outage in kept["faults"]["outages"])
    for tool, args, (answer, reason, rule, objections, approval) in kept["guarded"]:
        live.guarded.append((tool, args, GuardAnswer(answer, reason, rule, tuple(objections), approval)))


def _state(state: State) -> Snapshot:
    return {
        "records": [
            [table, id, record] for table, over in state._over.items() for id, record in over.items()
        ],
        "counters": state._counters,
        "versions": state.versions,
        "touched": [list(touched) for touched in state.touched],
    }


def _restore_state(state: State, kept: Snapshot) -> None:
    for table, id, record in kept["records"]:
        state._over.setdefault(table, {})[id] = record
    state._counters.update(kept["counters"])
    state.versions.update(kept["versions"])
    state.touched.update(dict.fromkeys((table, id) for table, id in kept["touched"]))


def _provider(provider: LiveProvider) -> Snapshot:
    places = {id(entry): place for place, entry in enumerate(provider.ledger)}
    return {
        "ledger": provider.ledger,
        "keys": [
            {"key": key, "asked": asked, "since_ms": since_ms, "entry": places[id(known.entry)]}
            for key, (asked, since_ms, known) in provider._keys.items()
        ],
        "given": provider._given,
    }


def _restore_provider(provider: LiveProvider, kept: Snapshot) -> None:
    provider.ledger.extend(kept["ledger"])
    for known in kept["keys"]:
        entry = provider.ledger[known["entry"]]
        performed = Performed(entry, False, str(entry["status"]))
        provider._keys[known["key"]] = (known["asked"], known["since_ms"], performed)
    provider._given.update(kept["given"])


def _delivery(kept: Snapshot) -> Delivery:
    return Delivery(**{**kept, "faults": tuple(kept["faults"])})
