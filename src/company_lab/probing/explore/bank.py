"""The bank of agents with known bugs, explored: what an exploration must find, and what it must not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from company_lab.probing.explore.grouping import Finding, findings, group
from company_lab.probing.explore.keeping import Kept
from company_lab.probing.explore.kinds import OF_EVENTS
from company_lab.probing.explore.playing import subject
from company_lab.probing.explore.search import Bounds, Exploration, explore
from company_lab.probing.seeded_bugs import BANK, SeededBug, world

FIVE = ("lost_ack", "crash:before", "crash:after", "crash:saved", "outage", "stale_read", *OF_EVENTS)
"""Five kinds for a write, one for a read, and every kind for an event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExploredBug:
    """An agent of the bank and what an exploration found about it."""

    bug: SeededBug
    found: Exploration
    findings: tuple[Finding, ...]

    @property
    def found_by(self) -> str | None:
        """The fewest faults at once that show its bug: single, pair, or None where nothing broke."""
        orders = [level.order for level in self.found.levels if level.failed]
        return {1: "single", 2: "pair"}.get(min(orders, default=0))

    @property
    def as_declared(self) -> bool:
        """Whether it was found by what its entry in the bank says, in a search that left nothing out."""
        return self.found.complete and self.found_by == self.bug.found_by

    def failing(self, order: int) -> tuple[int, int]:
        """Failing and scored episodes with at most so many faults, the one without a fault included."""
        levels = [level for level in self.found.levels if level.order <= order]
        return sum(level.failed for level in levels), 1 + sum(level.scored for level in levels)


def explore_bank(bounds: Bounds | None = None) -> Iterator[ExploredBug]:
    """Explore every agent of the bank; by default with the kinds in `FIVE`, alone and in pairs."""
    chosen = bounds or Bounds(kinds=FIVE, pair_kinds=FIVE)
    for bug in BANK.values():
        prepared = subject(bug.scenario(), world, bug.agent())
        kept = Kept(None, {})
        found = explore(prepared, chosen, kept=kept)
        yield ExploredBug(bug=bug, found=found, findings=findings(group(found.failing, prepared, kept)))
