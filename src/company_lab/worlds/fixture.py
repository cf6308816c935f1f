"""Fixture: the prepared, hashed start of a scenario; built once and shared by every episode of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from company_lab.formats.canonical import Json, digest
from company_lab.scenarios.model import Scenario
from company_lab.worlds.crowd import Crowd, own_records
from company_lab.worlds.inbox import Delivery
from company_lab.worlds.index import Index, Tables
from company_lab.worlds.resting import Rested

if TYPE_CHECKING:
    from company_lab.worlds.world import World

FixtureTables = dict[str, dict[str, Mapping[str, Json]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """What every episode of a scenario starts from. Nothing in it is ever written to."""

    world: World
    scenario: Scenario
    start: datetime
    tenants: Mapping[str, Tables]
    """Tables by tenant; the first is the tenant the role belongs to."""
    indexes: Mapping[str, Index]
    deliveries: tuple[Delivery, ...]
    digest: str
    """SHA-256 over the initial state of all tenants."""
    rested: dict[str, Rested] = field(default_factory=dict, repr=False, compare=False)
    """Facts as the untouched fixture has them, once read; the same for every episode."""
    moments: dict[int, str] = field(default_factory=dict, repr=False, compare=False)
    """Moments already written out, by simulated milliseconds; shared by the clocks of all episodes."""
    headers: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False, compare=False)
    """How traces begin, by the digest of the agent, but for trial and seed; filled by whoever plays."""
    role_permissions: frozenset[str] | None = field(init=False, repr=False, compare=False)
    """What the agent's role may; None where it may everything."""
    permissions_of_people: Mapping[str, frozenset[str]] = field(init=False, repr=False, compare=False)
    """What people may, by name, where the scenario bounds it."""

    def __post_init__(self) -> None:
        allowed = self.scenario.role.permissions
        object.__setattr__(self, "role_permissions", None if allowed is None else frozenset(allowed))
        bounded = {
            name: frozenset(person.permissions)
            for name, person in self.scenario.people.items()
            if person.permissions is not None
        }
        object.__setattr__(self, "permissions_of_people", bounded)


def tables_digest(tenants: Mapping[str, Tables], crowd: Crowd | None = None) -> str:
    """The hash of an initial state: records of every tenant, in canonical spelling, with the hash of its crowd."""
    own = digest(
        {
            tenant: {table: dict(own_records(records)) for table, records in tables.items()}
            for tenant, tables in tenants.items()
        }
    )
    return own if crowd is None else digest([own, crowd.digest])
