"""Agents that ask models, from the command line: run, resume, report, show, export."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from chat_server import Asked, ScriptedChatServer, Step, chooses, says
from command import Lab
from company_lab.agents.protocol import Agent
from company_lab.cli.modelling import agent_given
from company_lab.cli.run import command

EXAMPLE = Path(__file__).parents[2] / "examples" / "decision"
LOOKUP = ("--tool", "payments.find", "--tool", "payments.refund", "--alias", "lookup=payments.find")
ALIASES = (*LOOKUP, "--alias", "refund=payments.refund")


def hasty(asked: Asked, number: int) -> Step:
    """Refunds as soon as the look-up has failed."""
    if asked.path.endswith("/systemone"):
        done = len(asked.body["state"]["history"])
        option = ("lookup", "refund", "respond")[done]
        return chooses(option, {"lookup": 0.2, "refund": 0.3, "respond": 0.1} | {option: 0.7})
    shown = asked.body["messages"][1]["content"]
    if "response_format" not in asked.body:
        return says("The duplicate has been refunded, 25.00 EUR.")
    refund = "The next action: refund." in shown
    return says('{"charge": "ch_2", "amount_minor": 2500}' if refund else '{"order": "A-104"}')


def models(server: ScriptedChatServer) -> tuple[str, ...]:
    return (
        "--decider",
        server.root,
        "--decider-model",
        "decider:2b",
        "--writer",
        server.root,
        "--writer-model",
        "w",
    )


@pytest.mark.loopback
def test_a_decision_model_and_a_writer_are_run_reported_diagnosed_and_exported(
    lab: Lab, tmp_path: Path
) -> None:
    with ScriptedChatServer(hasty) as server:
        played = lab(
            "run",
            str(EXAMPLE),
            "--agent",
            "decision",
            *models(server),
            *ALIASES,
            "--instructions",
            str(EXAMPLE / "instructions.txt"),
            "--trials",
            "3",
            "--workers",
            "3",
            "--test-model",
            "--quiet",
            folder=tmp_path,
        )
    assert played.returncode == 1, played.stdout + played.stderr
    assert played.stdout.startswith("Test model; no inference of a real model: 3 of 3")
    assert "where decision first went wrong, in 3 failed episodes" in played.stdout
    assert "recovery 3: what came after an error; by selector 3" in played.stdout
    assert "choices beside the reference: 3 of 9 compared, 9 made" in played.stdout
    assert "Brier" in played.stdout
    shown = lab("show", "charged_twice_and_the_look_up_fails", "1", folder=tmp_path)
    assert "first went wrong: recovery" in shown.stdout
    assert "by the selector" in shown.stdout
    assert "(missing_evidence)" in " ".join(shown.stdout.split())
    rows = lab("export", "--form", "verdicts", folder=tmp_path).stdout.splitlines()
    assert [json.loads(row)["diagnosis"]["fault"] for row in rows] == ["recovery"] * 3


@pytest.mark.loopback
def test_a_run_is_resumed_without_saying_again_where_the_models_are(lab: Lab, tmp_path: Path) -> None:
    with ScriptedChatServer(lambda asked, number: says("I looked.")) as server:
        options = (
            "--model",
            "m",
            "--base-url",
            server.url,
            "--api-key-env",
            "SECRET_OF_MINE",
            "--test-model",
        )
        first = lab(
            "run",
            str(EXAMPLE),
            "--agent",
            "openai-chat",
            *options,
            "--trials",
            "4",
            "--max-episodes",
            "2",
            "--quiet",
            folder=tmp_path,
            SECRET_OF_MINE="hush-hush-123",
        )
        assert first.returncode in (1, 3), first.stderr
        second = lab("run", "--resume", "--quiet", folder=tmp_path, SECRET_OF_MINE="hush-hush-123")
    assert "4 of 4 planned episodes scored" in second.stdout, second.stderr
    stored = b"".join(path.read_bytes() for path in (tmp_path / ".company-lab").iterdir())
    assert b"hush-hush" not in stored


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--agent", "reference", "--model", "m"), "--model belongs to an agent that asks a model"),
        (("--model", "m"), "--agent decision, openai-chat, openai-responses"),
        (
            ("--agent", "decision"),
            "--agent decision needs --decider, such as --decider http://127.0.0.1:8000",
        ),
        (("--agent", "openai-chatt"), "did you mean openai-chat?"),
        (
            ("--agent", "openai-chat", "--model", "m", "--api-key-env", "NOT_SET_ANYWHERE"),
            "NOT_SET_ANYWHERE is not set",
        ),
        (
            (
                "--agent",
                "openai-chat",
                "--model",
                "m",
                "--base-url",
                "http://127.0.0.1:1",
                "--tool",
                "order.get",
            ),
            "there is no such tool; did you mean orders.get?",
        ),
    ],
)
def test_what_can_not_be_run_is_said_before_anything_is_played(
    lab: Lab, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = lab("run", str(EXAMPLE), *words, folder=tmp_path)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert not os.path.exists(tmp_path / ".company-lab")


def test_a_zero_on_the_command_line_is_kept(tmp_path: Path) -> None:
    words = ["--agent", "openai-chat", "--base-url", "http://127.0.0.1:1/v1", "--model", "m"]
    given = command.make_context(
        "run", [str(tmp_path), *words, "--temperature", "0", "--retries", "0"]
    ).params
    agent = agent_given(given["agent"], given)
    assert isinstance(agent, Agent)
    assert agent.settings["temperature"] == 0
    assert agent.settings["retries"] == 0
    assert "test_model" not in agent.settings
