"""Fixture: the prepared, hashed start of a scenario; built once and shared by every episode of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

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


def tables_digest(tenants: Mapping[str, Tables], crowd: Crowd | None = None) -> str:
    """The hash of an initial state: records of every tenant, in canonical spelling, with the hash of its crowd."""
    own = digest(
        {
            tenant: {table: dict(own_records(records)) for table, records in tables.items()}
            for tenant, tables in tenants.items()
        }
    )
    return own if crowd is None else digest([own, crowd.digest])
