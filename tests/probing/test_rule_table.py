"""The rule table finds what notices a broken rule, and finds the hole where nothing does."""

from __future__ import annotations

from typing import Any

from company_lab.probing.rule_table import RuleRow, covered_rules, rule_table
from company_lab.reports.rule_page import rule_page
from company_lab.scenarios.loader import load_document
from company_lab.scenarios.model import Scenario
from depot import PARCELS, world


def contract(id: str, weight: int, status: str = "waiting", **keys: Any) -> Scenario:
    """A request to ship P-1, of that weight and status."""
    document: dict[str, Any] = {
        "id": id,
        "world": "depot",
        "role": {"tenant": "northquay"},
        "initial": {"parcels": {"P-1": PARCELS["P-1"] | {"weight": weight, "status": status}}},
        "stimulus": {"agent_request": "ship_p1"},
    }
    return load_document(document | keys, worlds=lambda _: world.spec)


LIGHT = contract("light", 5, expected={"decision": "allow", "shipments": 1})
HEAVY = contract("heavy", 21, twin_of="light", expected={"decision": "require_approval", "shipments": 0})
LOST = contract("lost", 5, "lost", expected={"decision": "deny", "shipments": 0})
OTHER = contract("other", 6, twin_of="lost", expected={"decision": "allow", "shipments": 1})


def rows(*scenarios: Scenario) -> dict[str, RuleRow]:
    return {row.rule: row for row in rule_table(scenarios, world)}


def test_a_rule_is_killed_where_a_contract_misses_it_and_its_twin_fails_when_it_always_denies() -> None:
    row = rows(LIGHT, HEAVY, LOST, OTHER)["heavy_needs_approval"]
    assert row.killed
    assert (row.when_off, row.when_denying) == (("heavy",), ("light", "other"))
    assert rows(OTHER, LIGHT, LOST)["not_lost"].when_denying == ("other", "light")


def test_without_the_twin_only_half_of_it_is_noticed() -> None:
    row = rows(HEAVY, LOST)["heavy_needs_approval"]
    assert (row.when_off, row.when_denying, row.killed) == (("heavy",), (), False)
    row = rows(LIGHT)["heavy_needs_approval"]
    assert (row.when_off, row.when_denying, row.killed) == ((), ("light",), False)


def test_every_rule_of_the_world_has_a_row_also_those_that_nothing_touches() -> None:
    found = rows()
    assert list(found) == [rule.name for rule in world.guard.rules]
    assert not any(row.when_off or row.when_denying for row in found.values())


def test_a_contract_that_would_not_notice_does_not_count() -> None:
    blind = contract("blind", 21, expected={"weight_of_p1": 21})
    assert rows(blind)["heavy_needs_approval"].when_off == ()
    assert "heavy_needs_approval" not in covered_rules([blind], world)
    assert "heavy_needs_approval" in covered_rules([HEAVY], world)


def played(codes: list[str], tool: str, *, forbidden: str) -> Scenario:
    document: dict[str, Any] = {
        "id": "asks_nicely",
        "world": "depot",
        "role": {"tenant": "northquay"},
        "initial": {"parcels": PARCELS},
        "stimulus": {"message": "Ship P-3."},
        "expected": {"forbidden": [{"tool": forbidden}], "told": {"states": [{"literal": "lost"}]}},
        "reference": [{"do": [], "reply": "It is lost."}],
        "wrong": [
            {
                "id": "tries",
                "codes": codes,
                "do": [{"tool": tool, "args": {"id": "P-3"}}],
                "reply": "It is lost.",
            }
        ],
    }
    return load_document(document, worlds=lambda _: world.spec)


def test_a_wrong_conduct_covers_the_rule_that_it_would_break() -> None:
    assert "not_lost" in covered_rules(
        [played(["forbidden_action"], "depot.ship", forbidden="depot.ship")], world
    )
    assert "not_lost" not in covered_rules(
        [played(["forbidden_action"], "depot.remove", forbidden="depot.remove")], world
    )


def test_the_page_shows_every_rule_and_marks_the_hole() -> None:
    page = rule_page("depot", rule_table([LIGHT, HEAVY], world), command="company-lab rules suite")
    heavy = next(line for line in page.splitlines() if "heavy_needs_approval" in line)
    assert heavy.endswith("| `heavy` | `light` | yes |")
    lost = next(line for line in page.splitlines() if "not_lost" in line)
    assert lost == "| `not_lost` | A lost parcel is not shipped. | **nothing** | `light` | no |"
    assert "## depot" in page
    assert "1 of 5 rules are noticed in both ways" in page
