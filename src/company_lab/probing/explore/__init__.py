"""Exploration: every crash point and fault of a scenario, alone and together, and what broke under them."""

from __future__ import annotations

from company_lab.probing.explore.explored import Explored, Place, Schedule
from company_lab.probing.explore.grouping import Finding, Group, findings, group
from company_lab.probing.explore.invariants import Broken, Invariant
from company_lab.probing.explore.keeping import Kept
from company_lab.probing.explore.playing import Subject, play_schedule, subject
from company_lab.probing.explore.search import Bounds, Exploration, Level, explore

__all__ = [
    "Bounds",
    "Broken",
    "Exploration",
    "Explored",
    "Finding",
    "Group",
    "Invariant",
    "Kept",
    "Level",
    "Place",
    "Schedule",
    "Subject",
    "explore",
    "findings",
    "group",
    "play_schedule",
    "subject",
]
