"""Agents of other frameworks, named or handed over as they are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import company_lab
from company_lab.agents.resolve import resolve_agent
from company_lab.formats.errors import WrongUse
from company_lab.worlds.registry import import_attribute

MODULE = """
from agents import Agent as SdkAgent
from agents.testing import ScriptedModel, assistant_message
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

with_pydantic_ai = Agent(TestModel(call_tools=[], custom_output_text="C-1 is Ida Holm."))
with_openai_agents = SdkAgent(name="x", model=ScriptedModel([[assistant_message("C-1 is Ida Holm.")]]))

class Fake(FakeListChatModel):
    def bind_tools(self, tools, **options):
        return self

def with_langgraph(tools):
    return create_agent(Fake(responses=["C-1 is Ida Holm."]), tools)

compiled = with_langgraph([])
"""
SCENARIO = """
id: says_who_it_is
initial: {contacts: {C-1: {name: Ida Holm, email: ida@holm.example.test}}}
stimulus: {message: Who is C-1?}
expected: {told: {states: [{literal: Ida Holm}]}}
reference: [{do: [], reply: Ida Holm}]
wrong: [{id: silent, codes: [missing_reply], do: [], reply: nothing}]
"""
NAMES = ["with_pydantic_ai", "with_openai_agents", "with_langgraph"]


@pytest.fixture(autouse=True)
def _modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("framework_desk.py").write_text(MODULE)
    Path("scenarios").mkdir()
    Path("scenarios/who.yaml").write_text(SCENARIO)
    yield
    sys.modules.pop("framework_desk", None)


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_is_named_as_it_stands_in_a_module_and_run(name: str) -> None:
    named = f"framework_desk:{name}"
    agent = resolve_agent(named)
    assert agent.name == named
    assert len(agent.code) == 64
    with company_lab.run("scenarios", agent=named) as run:
        assert [verdict.outcome for _, verdict in run.verdicts()] == ["passed"]


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_may_be_handed_over_as_it_is(name: str) -> None:
    found = import_attribute(f"framework_desk:{name}", what="agent")
    with company_lab.run("scenarios", agent=found) as run:
        assert [verdict.outcome for _, verdict in run.verdicts()] == ["passed"]


def test_a_compiled_graph_is_refused_by_name_too() -> None:
    with pytest.raises(WrongUse, match=r"def agent\(tools\)"):
        resolve_agent("framework_desk:compiled")


def test_an_ordinary_function_stays_one() -> None:
    Path("framework_desk.py").write_text("def clerk(task, session):\n    return 'done'\n")
    assert resolve_agent("framework_desk:clerk").kind == "undeclared"
