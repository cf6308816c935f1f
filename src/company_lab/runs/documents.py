"""Scenarios and prompts in a store, as they were when they were played."""

from __future__ import annotations

import json
from collections.abc import Callable

from company_lab.agents.protocol import Agent
from company_lab.formats.canonical import parse
from company_lab.runs.plan import RunPlan
from company_lab.runs.store import Store
from company_lab.scenarios.loader import load_document
from company_lab.scenarios.model import Scenario
from company_lab.worlds.world import World


def keep_scenario(store: Store, scenario: Scenario) -> None:
    """Store the document of a scenario under the scenario's digest, once."""
    # Not in canonical spelling: the order of stimuli is part of a scenario.
    text = json.dumps(scenario.document, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    store.keep(text, under=scenario.digest)


def keep_prompts(store: Store, plan: RunPlan, agent: Agent) -> None:
    """Store the prompts of the agent a plan is about, each once."""
    for name, text in agent.prompts.items():
        if name in plan.prompts:
            store.keep(text)


def kept_scenario(store: Store, plan: RunPlan, id: str, *, worlds: Callable[[str], World]) -> Scenario | None:
    """The scenario as a run played it; None where its episodes were recorded elsewhere.

    Raises `Problems` where this version, or its world, no longer understands it.
    """
    text = store.kept(plan.scenarios.get(id, ""))
    document = None if text is None else parse(text)
    if not isinstance(document, dict):
        return None
    return load_document(document, file=f"{id} in {store.path}", worlds=lambda name: worlds(name).spec)


def kept_families(store: Store, plan: RunPlan) -> dict[str, str]:
    """The family of each planned scenario that has one, as the run played it."""
    families: dict[str, str] = {}
    for id, digest in plan.scenarios.items():
        text = store.kept(digest)
        if text is None or '"family"' not in text:
            continue
        document = parse(text)
        family = document.get("family") if isinstance(document, dict) else None
        if isinstance(family, str):
            families[id] = family
    return families
