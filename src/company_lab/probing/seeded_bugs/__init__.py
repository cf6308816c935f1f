"""Agents with known bugs: what an exploration of faults and crashes has to find, and one it must not find.

Each agent plays a scenario of a small world (`world`) with four writes, after each of which it saves. Its bug shows
under some schedules only; `found_by` says how many faults at once that takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import Literal, TypeAlias

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Agent, Session, Task
from company_lab.probing.seeded_bugs import minding, paying
from company_lab.probing.seeded_bugs.world import world
from company_lab.scenarios.loader import load_scenarios
from company_lab.scenarios.model import Scenario

__all__ = ["BANK", "SeededBug", "world"]


Order: TypeAlias = Literal["single", "pair"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeededBug:
    """An agent of the bank."""

    name: str
    act: Callable[[Task, Session], str]
    file: str
    """The scenario it plays, beside this module."""
    found_by: Order | None
    """Whether one fault shows the bug, or only two together; None where there is no bug."""
    needs: str
    """What has to happen."""

    def agent(self) -> Agent:
        """The agent, new."""
        return function_agent(self.act, name=f"{self.act.__module__}:{self.act.__name__}")

    def scenario(self) -> Scenario:
        """The scenario it plays."""
        text = files(__package__).joinpath(self.file).read_bytes()
        (scenario,) = load_scenarios(text, file=self.file, worlds=lambda _: world.spec)
        return scenario


_BILLS, _EVENTS = "pay_run.yaml", "shop_events.yaml"
_NONE = "nothing: it has no bug"
_OLD = "an effect whose answer was lost or crashed away, and an outage longer than keys are kept"
_UNSAVED = "a crash after the effect, before it is saved"

_BUGS: tuple[tuple[str, Callable[[Task, Session], str], str, Order | None, str], ...] = (
    ("correct", paying.correct, _BILLS, None, _NONE),
    ("journal_without_look_up", paying.journal_without_look_up, _BILLS, "pair", _OLD),
    ("keys_only", paying.keys_only, _BILLS, "pair", _OLD),
    ("one_retry", paying.one_retry, _BILLS, "pair", "an effect without an answer, and then a second failure"),
    ("no_keys", paying.no_keys, _BILLS, "single", "any effect without an answer"),
    ("new_key_after_restart", paying.new_key_after_restart, _BILLS, "single", _UNSAVED),
    ("marks_done_first", paying.marks_done_first, _BILLS, "single", "a crash before the effect"),
    ("looks_then_acts", paying.looks_then_acts, _BILLS, "single", "a stale read right after the effect"),
    ("correct_events", minding.correct, _EVENTS, None, _NONE),
    ("webhook_memory_only", minding.memory_only, _EVENTS, "single", _UNSAVED),
    ("order_ignored", minding.order_ignored, _EVENTS, "single", "two counts in the wrong order"),
)

BANK: Mapping[str, SeededBug] = MappingProxyType(
    {
        name: SeededBug(name=name, act=act, file=file, found_by=found_by, needs=needs)
        for name, act, file, found_by, needs in _BUGS
    }
)
"""Every agent by name."""
