"""The reference of a world names everything the world exports, and the committed page of the company is current."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from company_lab.company import company
from company_lab.formats.shapes import Shape
from company_lab.reports.world_entries import departments, listings, shape_text
from company_lab.reports.world_page import world_page, world_summary, world_text
from company_lab.scenarios.spec import WorldSpec

PAGE = Path(__file__).parents[2] / "docs" / "company.md"
COMMAND = "company-lab world company --markdown docs/company.md"
KINDS: Mapping[str, Callable[[WorldSpec], Mapping[str, object]]] = {
    "Tables": lambda spec: spec.tables,
    "Tools": lambda spec: spec.tools,
    "Events": lambda spec: spec.events,
    "Facts": lambda spec: spec.facts,
    "Stimuli": lambda spec: spec.stimuli,
    "Requests": lambda spec: spec.requests,
    "Claims": lambda spec: spec.claims,
    "Questions": lambda spec: spec.questions,
    "Amount roles": lambda spec: spec.amount_roles,
    "Providers": lambda spec: spec.providers,
    "Rules": lambda spec: spec.rules,
}
"""Every mapping of names that a world exports, by the heading it stands under."""


def test_the_committed_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == world_page(company.spec, command=COMMAND), "run scripts/rules"


@pytest.mark.parametrize("title", KINDS)
def test_every_name_stands_once_under_its_kind(title: str) -> None:
    spec = company.spec
    named = [
        entry.name
        for department in departments(spec)
        for listing in listings(spec, department)
        if listing.title == title
        for entry in listing.entries
    ]
    assert named
    assert sorted(named) == sorted(KINDS[title](spec))


def test_the_page_tells_fields_arguments_phrases_and_permissions() -> None:
    page = world_page(company.spec, ["invoices"], command="here")
    (row,) = re.findall(r"^\| `invoices.record_payment` \|.*$", page, re.MULTILINE)
    assert "writes, needs invoices.write" in row
    assert "`amount_minor`: an amount in whole minor units of at least 1" in row
    assert "`still (open\\|due" in page
    assert "## invoices" in page
    assert "## payments" not in page
    assert "`invoices.write`" in world_page(company.spec, command="here").split("## ")[0]


def test_a_shape_is_told_with_what_it_holds() -> None:
    line = Shape(
        kind="object",
        fields={"item": Shape(kind="text"), "at": Shape(moment=True)},
        required=frozenset({"item"}),
    )
    assert shape_text(Shape(kind="list", items=line, nullable=True)) == (
        "a list of {item: text; at: a moment with a zone, may be absent} or null"
    )
    assert shape_text(Shape(kind="object", values=Shape(kind="boolean"))) == (
        "an object of true or false by free key"
    )


def test_the_summary_counts_and_the_text_tells() -> None:
    spec = company.spec
    summary = list(world_summary(spec))
    assert summary[0] == f"the world company: {len(spec.departments)} departments"
    assert any(line.startswith("payments: ") and "1 provider" in line for line in summary)
    assert not any("stimuluss" in line for line in summary)
    text = list(world_text(spec, ["payments"]))
    assert text[0] == "payments"
    assert "      charge: the id of a record in charges" in text
