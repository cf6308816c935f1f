"""A real language model behind llama.cpp's own server: calls, arguments bound to a schema, decisions.

Prepared and run by `make test-models`; left out otherwise. What the model says is its own affair and never asserted:
these tests are about what arrives here.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cached_property
from typing import Any

import jsonschema
import pytest

from company_lab.company import company
from company_lab.evaluation import judge
from company_lab.scenarios.model import Scenario
from local_models.pins import SMALL
from local_models.serving import llama
from model_episode import of_kind, played, shipped
from sparrow import decider, proxy

pytestmark = [pytest.mark.models, pytest.mark.loopback, pytest.mark.timeout(600)]

TOOLS = ["crm.get", "crm.set_terms"]
SAMPLING: dict[str, Any] = {"temperature": 0, "max_output_tokens": 200, "tool": TOOLS, "test_model": None}


class Servers:
    """Started when a test first asks for them, which may then connect, and ended with the module."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    @cached_property
    def llama(self) -> str:
        return self._stack.enter_context(llama(SMALL))

    @cached_property
    def sparrow(self) -> str:
        return self._stack.enter_context(decider())


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    with ExitStack() as stack:
        yield Servers(stack)


def brief() -> Scenario:
    """A short scenario, ended after a few calls, and with time enough for a slow machine."""
    scenario = shipped("the_sales_lead_wants_sixty_days")
    limits = scenario.limits.model_copy(update={"calls": 3, "wall_ms": 500_000})
    return scenario.model_copy(update={"limits": limits})


def calling(server: str) -> dict[str, Any]:
    return {"base_url": f"{server}/v1", "model": SMALL.name, **SAMPLING}


def choosing(server: str, chooser: str) -> dict[str, Any]:
    writer = {"writer": f"{server}/v1", "writer_model": SMALL.name}
    return {"decider": chooser, "decider_model": "chooser", **writer, **SAMPLING}


def test_its_calls_arrive_as_calls_with_arguments_that_are_json(servers: Servers) -> None:
    trace = played("openai-chat", calling(servers.llama), scenario=brief())
    assert trace.header["evidence"] == "real model"
    actions = of_kind(trace, "action")
    assert actions
    assert {action["tool"] for action in actions} <= set(TOOLS)
    assert all(isinstance(action["args"], dict) for action in actions)
    assert not [record for record in of_kind(trace, "model") if record["error"]]
    usage = of_kind(trace, "usage")
    assert all(record["input_tokens"] > 100 and record["output_tokens"] > 0 for record in usage)
    verdict = judge(brief(), company.spec, trace)
    assert verdict.outcome in ("passed", "failed", "unscored")


def test_without_temperature_the_same_episode_comes_twice(servers: Servers) -> None:
    first, second = (played("openai-chat", calling(servers.llama), scenario=brief()) for _ in range(2))
    tried = [
        [(action["tool"], action["args"]) for action in of_kind(trace, "action")] for trace in (first, second)
    ]
    assert tried[0] == tried[1]


def test_arguments_bound_to_a_schema_fit_it(servers: Servers) -> None:
    trace = played("decision", choosing(servers.llama, servers.sparrow), scenario=brief())
    written = [action for action in of_kind(trace, "action") if action["by"] == "writer"]
    assert written
    for action in written:
        supplied = action["supplied"]
        arguments = json.loads(supplied) if isinstance(supplied, str) else supplied
        jsonschema.validate(arguments, company.tools[action["tool"]].signature.json_schema())


def test_the_same_server_decides_by_the_letters_of_the_options(servers: Servers) -> None:
    trace = played("decision", choosing(servers.llama, servers.llama), scenario=brief())
    choices = of_kind(trace, "choice")
    assert choices
    for record in choices:
        answer = record["answer"]["answers"]["next_action"]
        assert set(answer["probabilities"]) == {*TOOLS, "respond"}
        assert sum(answer["probabilities"].values()) == pytest.approx(1, abs=0.01)
        assert answer["choice"] == max(answer["probabilities"], key=answer["probabilities"].get)
    assert not [record for record in of_kind(trace, "model") if record["error"]]


def test_behind_the_proxy_its_decisions_conform_to_the_wire_format(servers: Servers) -> None:
    with proxy(servers.llama) as url:
        code = f"import sys; from jevcompat.cli import main; sys.exit(main(['test', {url!r}]))"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=550, check=False
        )
    assert "32/32" in done.stdout, done.stdout[-3000:] + done.stderr[-2000:]
