"""Crowding: the same scenario with many more records around its own."""

from __future__ import annotations

from collections.abc import Iterable

from company_lab.formats.canonical import Json
from company_lab.scenarios.loader import content_digest
from company_lab.scenarios.model import Crowd, Scenario


def with_crowd(scenario: Scenario, size: int = 100_000, *, seed: int = 0) -> Scenario:
    """The scenario as if its file said `crowd: {size: ..., seed: ...}`; its digest says so too.

    Whether its world has a crowd to offer shows when it is prepared.
    """
    crowd = Crowd(size=size, seed=seed)
    document: dict[str, Json] = {**scenario.document, "crowd": {"size": size, "seed": seed}}
    crowded = scenario.model_copy(update={"crowd": crowd})
    crowded._document = document
    crowded._digest = content_digest(document)
    return crowded


def crowded(scenarios: Iterable[Scenario], size: int | None) -> tuple[Scenario, ...]:
    """The scenarios with a crowd of this size each; as they are where it is None."""
    return tuple(scenario if size is None else with_crowd(scenario, size) for scenario in scenarios)
