"""One shipped scenario, played by an agent that asks models, for tests of such agents."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from company_lab.agents.resolve import resolve_agent
from company_lab.company import SUITE, company
from company_lab.episodes import play
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite
from company_lab.traces import Trace

EXAMPLE = Path(__file__).parents[2] / "examples" / "decision"
DUPLICATE = "duplicate_charge_is_refunded_once"
"""Order A-104 was charged twice, 2500 cents each; the first look-up of the order fails."""


@cache
def shipped(id: str = DUPLICATE) -> Scenario:
    """A scenario of the shipped suite."""
    (found,) = [one for one in load_suite(SUITE, lambda name: company.spec).scenarios if one.id == id]
    return found


@cache
def example() -> Scenario:
    """The scenario of `examples/decision`: 2500 cents were charged twice on order A-104, and the look-up fails once."""
    (found,) = load_suite(EXAMPLE / "duplicate_charge.yaml", lambda name: company.spec).scenarios
    return found


def played(
    adapter: str, options: dict[str, Any], *, scenario: Scenario | None = None, trial: int = 1
) -> Trace:
    """The trace of one episode; the models are scripted stand-ins unless the options say otherwise."""
    acted = scenario or shipped()
    agent = resolve_agent(adapter, {"test_model": True, **options}).for_scenario(acted)
    return play(company.prepare(acted), agent, trial=trial).trace


def chat(url: str, **more: Any) -> dict[str, Any]:
    """Options of a tool-calling agent."""
    return {"base_url": url, "model": "scripted", **more}


def deciding(root: str, **more: Any) -> dict[str, Any]:
    """Options of the decision loop, both models at one address."""
    return {
        "decider": root,
        "decider_model": "decider:2b",
        "writer": root,
        "writer_model": "writer",
        "tool": ["orders.get", "payments.refund"],
        "alias": ["lookup=orders.get", "refund=payments.refund"],
        **more,
    }


def of_kind(trace: Trace, kind: str) -> list[dict[str, Any]]:
    """The records of one kind."""
    return list(trace.by_kind(kind))
