"""Where an episode happens: departments, worlds, state, clock, guard, providers, faults, inbox.

A team builds its own world from these names exactly as the shipped company is built.
"""

from __future__ import annotations

from company_lab.formats.canonical import Json
from company_lab.worlds.annotations import (
    TARGET,
    About,
    Between,
    CurrencyCode,
    Like,
    MinorUnits,
    Moment,
    Prose,
    Ref,
)
from company_lab.worlds.context import Context, Failed
from company_lab.worlds.department import (
    AmountRole,
    Claim,
    Department,
    Mutation,
    Question,
    Request,
    Table,
    Tool,
)
from company_lab.worlds.guard import Decision, deny, hold, under
from company_lab.worlds.providers import Provider
from company_lab.worlds.registry import resolve_world
from company_lab.worlds.state import ABSENT
from company_lab.worlds.world import World

__all__ = [
    "ABSENT",
    "TARGET",
    "About",
    "AmountRole",
    "Between",
    "Claim",
    "Context",
    "CurrencyCode",
    "Decision",
    "Department",
    "Failed",
    "Json",
    "Like",
    "MinorUnits",
    "Moment",
    "Mutation",
    "Prose",
    "Provider",
    "Question",
    "Ref",
    "Request",
    "Table",
    "Tool",
    "World",
    "deny",
    "hold",
    "resolve_world",
    "under",
]
