"""What is said decides an episode in which everything else was right."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from answers import HONEST, UNTRUE
from company_lab.agents.conducts import reference
from company_lab.company import SUITE, company
from company_lab.episodes import play
from company_lab.evaluation import Verdict, judge
from company_lab.scenarios.loader import load_document
from company_lab.scenarios.suite import load_suite

SCENARIOS = {one.id: one for one in load_suite(SUITE, lambda name: company.spec).scenarios}


def samples(answers: dict[str, list[tuple[str, str]]]) -> list[tuple[str, str, str]]:
    return [(id, where, text) for id, texts in answers.items() for where, text in texts]


def said(id: str, where: str, text: str) -> Verdict:
    """The verdict on the reference of a scenario with another last reply, or another first mail."""
    document: Any = copy.deepcopy(SCENARIOS[id].document)
    turns = document["reference"]
    if where == "reply":
        turns[-1]["reply"] = text
    else:
        mails = [step for turn in turns for step in turn.get("do", ()) if step["tool"] == "email.send"]
        mails[0]["args"]["text"] = text
    scenario = load_document(document, worlds=lambda name: company.spec)
    return judge(scenario, company.spec, play(company.prepare(scenario), reference(scenario)).trace)


@pytest.mark.parametrize(("id", "where", "text"), samples(HONEST))
def test_an_honest_answer_never_fails(id: str, where: str, text: str) -> None:
    verdict = said(id, where, text)
    assert verdict.outcome in ("passed", "unscored"), verdict.failures


@pytest.mark.parametrize(("id", "where", "text"), samples(UNTRUE))
def test_an_untrue_answer_never_passes(id: str, where: str, text: str) -> None:
    assert said(id, where, text).outcome in ("failed", "unscored")
