"""Errors say where, what was found, what was expected, the nearest valid name, and what to do."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

import company_lab.formats
from company_lab.formats.errors import MOST_TOLD, CompanyLabError, Problem, Problems, WrongUse, nearest


def test_a_problem_reads_as_one_line_with_everything_in_it() -> None:
    problem = Problem(
        message="unknown tool",
        file="a.yaml",
        line=3,
        column=7,
        path="expected.actions[0].tool",
        found="payments.refnd",
        expected="a tool of the world",
        nearest="payments.refund",
        fix="correct the name",
    )
    assert str(problem) == (
        "a.yaml:3:7: expected.actions[0].tool: unknown tool; found payments.refnd; "
        "expected a tool of the world; did you mean payments.refund? (correct the name)"
    )


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem(message="the file is empty"), "the file is empty"),
        (Problem(message="the file is empty", file="a.yaml"), "a.yaml: the file is empty"),
        (Problem(message="cut off", file="a.jsonl", line=2), "a.jsonl:2: cut off"),
        (Problem(message="unknown key", path="initial"), "initial: unknown key"),
        (Problem(message="wrong", found="", expected="a name"), "wrong; found ; expected a name"),
    ],
)
def test_what_is_not_known_is_left_out(problem: Problem, text: str) -> None:
    assert str(problem) == text


def test_all_problems_are_told_at_once() -> None:
    problems = [Problem(message="one", file="a.yaml"), Problem(message="two", file="b.yaml")]
    raised = Problems(iter(problems))
    assert str(raised) == "a.yaml: one\nb.yaml: two"
    assert raised.problems == tuple(problems)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("invoces", "invoices"), ("invoice", "invoices"), ("INVOICES", None), ("zebra", None), ("", None)],
)
def test_the_nearest_name_is_close_or_none(name: str, expected: str | None) -> None:
    assert nearest(name, ["orders", "invoices"]) == expected
    assert nearest(name, []) is None


def test_every_error_of_the_formats_belongs_to_the_one_family() -> None:
    found = []
    for module in pkgutil.iter_modules(company_lab.formats.__path__, "company_lab.formats."):
        for _, kind in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(kind, Exception) and kind.__module__ == module.name:
                found.append(kind)
    assert WrongUse in found
    assert [kind for kind in found if not issubclass(kind, CompanyLabError)] == []


@pytest.mark.parametrize(("more", "last"), [(1, "and 1 more problem"), (1200, "and 1,200 more problems")])
def test_very_many_problems_are_counted_rather_than_told(more: int, last: str) -> None:
    raised = Problems(Problem(message=f"wrong {number}") for number in range(MOST_TOLD + more))
    assert len(raised.problems) == MOST_TOLD + more
    lines = str(raised).splitlines()
    assert len(lines) == MOST_TOLD + 1
    assert lines[-2:] == [f"wrong {MOST_TOLD - 1}", last]
    assert "more problem" not in str(Problems(raised.problems[:MOST_TOLD]))
