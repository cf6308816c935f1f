"""Programs that speak MCP through clients of others, from the command line: turns, refusals, approvals, deaths."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from command import Lab
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.store import Store

SUPPORT = Path(__file__).parents[1] / "support"
PACKAGES = ("package.json", "package-lock.json")
NODE = {
    "TypeScript SDK 1": "sdk_client.mjs",
    "TypeScript SDK 2": "sdk2_client.mjs",
    "AI SDK": "ai_sdk_client.mjs",
}
PYDANTIC_AI = "pydantic-ai"
WAYS = [
    ("TypeScript SDK 1", "mcp-http"),
    ("TypeScript SDK 1", "mcp-stdio"),
    ("TypeScript SDK 2", "mcp-http"),
    ("AI SDK", "mcp-stdio"),
    (PYDANTIC_AI, "mcp-http"),
]
SUITE = """
id: what_can_be_shipped
title: One of three parcels can be shipped
world: depot:world
clock: 2026-03-05T08:00:00+01:00
role: {tenant: northquay, permissions: [depot.read, depot.ship]}
people: {ida: {permissions: [depot.read, depot.ship]}}
initial:
  parcels:
    P-1: {receiver: ida@holm.example.test, weight: 5, status: waiting}
    P-2: {receiver: jon@aker.example.test, weight: 30, status: waiting}
    P-3: {receiver: eva@lund.example.test, weight: 9, status: lost}
stimulus:
  from: ida
  message: Ship what can be shipped.
  then: [{when: {asks: which_parcel}, from: ida, message: "P-1."}]
expected:
  state: {parcels: {P-1: {status: sent}}}
  actions: [{tool: depot.ship, args: {id: P-1}, times: 1}]
  effects: [{provider: carrier, op: ship, match: {parcel: P-1}, times: 1}]
reference:
  - {do: [{tool: depot.get, args: {id: P-1}}], reply: "Which parcel?"}
  - {do: [{tool: depot.ship, args: {id: P-1}}], reply: "It is on its way."}
wrong:
  - {id: does_nothing, codes: [state_mismatch, missing_action], do: [], reply: "Done."}
---
id: the_first_parcel
title: The first parcel is shipped
world: depot:world
clock: 2026-03-05T08:00:00+01:00
role: {tenant: northquay, permissions: [depot.read, depot.ship]}
initial: {parcels: {P-1: {receiver: ida@holm.example.test, weight: 5, status: waiting}}}
stimulus: {message: Ship P-1.}
expected:
  state: {parcels: {P-1: {status: sent}}}
  actions: [{tool: depot.ship, args: {id: P-1}, times: 1}]
reference:
  - {do: [{tool: depot.ship, args: {id: P-1}}], reply: "Shipped."}
wrong:
  - {id: does_nothing, codes: [state_mismatch, missing_action], do: [], reply: "Done."}
"""


def step(tool: str, **args: Any) -> dict[str, Any]:
    return {"tool": tool, "args": args}


@pytest.fixture(scope="session")
def node_clients(pytestconfig: pytest.Config) -> Path:
    """A folder with the programs of `support/node` and the packages they need, installed once for what they are."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("needs node and npm, to install the MCP clients of others")
    locked = b"".join((SUPPORT / "node" / name).read_bytes() for name in PACKAGES)
    assert pytestconfig.cache is not None
    folder = pytestconfig.cache.mkdir("mcp-clients-" + hashlib.sha256(locked).hexdigest()[:16])
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several workers may want it at once
        if not (folder / "installed").exists():
            for name in PACKAGES:
                shutil.copy(SUPPORT / "node" / name, folder)
            options = ("--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
            done = subprocess.run(
                [npm, "ci", *options],
                cwd=folder,
                capture_output=True,
                encoding="utf-8",
                check=False,
                timeout=150,
            )
            if done.returncode != 0:
                said = f"npm could not install the MCP clients of others: {done.stderr.strip()[-500:]}"
                (pytest.fail if os.environ.get("CI") else pytest.skip)(said)
            (folder / "installed").touch()
        for program in (SUPPORT / "node").glob("*.mjs"):
            shutil.copy(program, folder)
    return folder


@pytest.fixture
def start(client: str, request: pytest.FixtureRequest) -> Sequence[str]:
    """How a program with this client is started."""
    if client == PYDANTIC_AI:
        return (sys.executable, str(SUPPORT / "programs" / "pydantic_ai_client.py"))
    folder: Path = request.getfixturevalue("node_clients")
    return ("node", str(folder / NODE[client]))


def played(
    lab: Lab, folder: Path, start: Sequence[str], speaks: str, conduct: dict[str, list[dict[str, Any]]]
) -> tuple[StoredEpisode, StoredEpisode]:
    """The two episodes that the command has stored."""
    (folder / "suite.yaml").write_text(SUITE, encoding="utf-8")
    (folder / "conduct.json").write_text(json.dumps(conduct), encoding="utf-8")
    command = " ".join([*start, str(folder / "conduct.json")])
    done = lab(
        "run", "suite.yaml", "--agent-command", command, "--agent-protocol", speaks, "--agent-kind", "scripted",
        folder=folder, PYTHONPATH=str(SUPPORT),
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    with Store(folder / ".company-lab" / "runs.db", create=False) as store:
        (run,) = store.runs()
        parcels = store.episode(run.run, "what_can_be_shipped", 1)
        return parcels, store.episode(run.run, "the_first_parcel", 1)


@pytest.mark.timeout(180)  # once, the clients are installed
@pytest.mark.parametrize(("client", "speaks"), WAYS)
def test_a_program_with_somebody_elses_client_is_evaluated(
    client: str, speaks: str, start: Sequence[str], lab: Lab, tmp_path: Path
) -> None:
    first = [
        step("depot_get", id="P-1"),
        step("depot_ship", id="P-3"),
        step("depot_fetch"),
        step("depot_ship", id="P-2"),
        step("depot_get", id="P-9"),
    ]
    conduct: dict[str, list[dict[str, Any]]] = {
        "Ship what can be shipped.": [
            {"do": first, "reply": "Which parcel?", "tells": True},
            {"do": [step("depot_ship", id="P-1")], "reply": "It is on its way."},
        ],
        "Ship P-1.": [{"do": [step("depot_ship", id="P-1"), step("die", code=3)], "reply": "Shipped."}],
    }
    episode, died = played(lab, tmp_path, start, speaks, conduct)
    assert episode.verdict.outcome == "passed"
    results = [
        (action["tool"], result["outcome"])
        for action, result in zip(
            episode.trace.by_kind("action"), episode.trace.by_kind("result"), strict=True
        )
    ]
    unknown = [("depot_fetch", "malformed")] if client != PYDANTIC_AI else []  # which never sends it
    assert results == [
        ("depot.get", "executed"), ("depot.ship", "refused"), *unknown, ("depot.ship", "held"),
        ("depot.get", "failed"), ("depot.ship", "executed"),
    ]  # fmt: skip
    said, last = (record["text"] for record in episode.trace.by_kind("reply"))
    assert last == "It is on its way."
    if client != PYDANTIC_AI:
        assert said == "Which parcel? [done, refused, unknown_tool, held, failed]"

    # It dies midway, and is judged for what it did before.
    assert (died.trace.stop, died.verdict.outcome) == ("agent_error", "failed")
    assert [failure.code for failure in died.verdict.failures] == ["not_finished"]
    assert len(list(died.trace.by_kind("effect"))) == 1
    assert list(died.trace.by_kind("reply")) == []
