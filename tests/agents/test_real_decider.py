"""The decision loop with a real, trained decision model of 3 MB, alone and behind a conforming proxy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cached_property

import pytest

from chat_server import Asked, ScriptedChatServer, Step, says
from company_lab.company import company
from company_lab.evaluation.choices import compare_choices
from model_episode import deciding, example, of_kind, played
from sparrow import decider, proxy

pytestmark = pytest.mark.loopback

ARGUMENTS = {
    "lookup": '{"order": "A-104"}',
    "refund": '{"charge": "ch_2", "amount_minor": 2500, "key": "duplicate-A-104"}',
}


def writer(asked: Asked, number: int) -> Step:
    if "response_format" not in asked.body:
        return says("I looked into it.")
    shown = asked.body["messages"][1]["content"]
    return says(next(text for name, text in ARGUMENTS.items() if f"The next action: {name}." in shown))


class Servers:
    """Started when a test first asks for them, which may then connect, and ended with the module."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    @cached_property
    def sparrow(self) -> str:
        return self._stack.enter_context(decider())

    @cached_property
    def proxied(self) -> str:
        return self._stack.enter_context(proxy(self.sparrow))


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    with ExitStack() as stack:
        yield Servers(stack)


@pytest.mark.parametrize("address", ["sparrow", "proxied"])
def test_a_trained_model_makes_the_choices_and_its_probabilities_are_kept(
    address: str, servers: Servers
) -> None:
    url = getattr(servers, address)
    with ScriptedChatServer(writer) as server:
        options = deciding(
            server.root,
            decider=url,
            tool=["payments.find", "payments.refund"],
            alias=["lookup=payments.find", "refund=payments.refund"],
        )
        trace = played("decision", {**options, "test_model": None}, scenario=example())
    choices = of_kind(trace, "choice")
    assert choices
    for record in choices:
        answer = record["answer"]["answers"]["next_action"]
        assert set(answer["probabilities"]) == {"lookup", "refund", "respond"}
        assert sum(answer["probabilities"].values()) == pytest.approx(1, abs=0.01)
        assert answer["choice"] == max(answer["probabilities"], key=answer["probabilities"].get)
    assert trace.header["evidence"] == "real model"
    assert not [record for record in of_kind(trace, "model") if record["error"]]
    compared = compare_choices(example(), company.spec, trace.records)
    assert len(compared.compared) + compared.left_out.total() == len(choices)


def test_tokens_that_a_host_always_counts_as_zero_are_unknown(servers: Servers) -> None:
    with ScriptedChatServer(writer) as server:
        options = deciding(server.root, decider=servers.sparrow, price=["writer=free"])
        trace = played("decision", {**options, "test_model": None}, scenario=example())
    of_decider = [record for record in of_kind(trace, "usage") if record["model"] == "decider:2b"]
    assert of_decider
    assert {(record["input_tokens"], record["cost_usd"]) for record in of_decider} == {(None, None)}
    assert trace.records[-1]["cost_usd"] is None


def test_behind_the_proxy_the_model_conforms_to_the_wire_format(servers: Servers) -> None:
    code = f"import sys; from jevcompat.cli import main; sys.exit(main(['test', {servers.proxied!r}]))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=150, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "32/32" in done.stdout
