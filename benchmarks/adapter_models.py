"""Rows of `adapters.py` for agents that ask models at a host: the same requests by the HTTP client alone, and through
the adapter.

The host is a scripted one on loopback. Its models ask for ten calls in each of five answers, as those of the frameworks
do, and then reply; a decider chooses once and a writer writes once for each of ten calls. The floor sends the very
bodies that the adapter has sent, all on one connection, and reads the answers as JSON; the adapter connects once a
turn.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import adapter_frameworks as frameworks

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from chat_server import Asked, ScriptedChatServer, Step, call, calls, chooses, says

DECISIONS = 10
JSON = {"content-type": "application/json"}
WRITER = "/writer/v1"
WRITTEN = json.dumps(frameworks.ARGS)
_RESULTS = ("tool", "function_call_output")

InAnEpisode = Callable[[Any], float]


def through(adapter: str, calls: int, in_an_episode: InAnEpisode) -> float:
    """An agent of this adapter in the world, given that one tool."""
    with ScriptedChatServer(_answer) as server:
        agent = _agent(adapter, server)

        def acting(task: Any, session: Any) -> float:
            async def run() -> None:
                await _once(agent, task, session)
                server.asked.clear()

            return asyncio.run(frameworks.per_call(calls, run, per_run=_per_run(adapter)))

        return in_an_episode(acting)


def alone(adapter: str, calls: int, in_an_episode: InAnEpisode) -> float:
    """The requests of this adapter by the HTTP client alone."""
    import httpx2

    with ScriptedChatServer(_answer) as server:
        agent = _agent(adapter, server)

        def acting(task: Any, session: Any) -> float:
            asyncio.run(_once(agent, task, session))
            return 0.0

        in_an_episode(acting)
        bodies = [(asked.path, json.dumps(asked.body).encode()) for asked in server.asked]

        async def measured() -> float:
            async with httpx2.AsyncClient(base_url=server.root) as client:

                async def run() -> None:
                    server.asked.clear()
                    for path, body in bodies:
                        answer = await client.post(path, content=body, headers=JSON)
                        answer.json()

                return await frameworks.per_call(calls, run, per_run=_per_run(adapter))

        return asyncio.run(measured())


async def _once(agent: Any, task: Any, session: Any) -> None:
    session.memory = None  # each run begins a conversation of its own
    await agent.act(task, session)


def _agent(adapter: str, server: ScriptedChatServer) -> Any:
    from company_lab.agents.resolve import resolve_agent

    options: dict[str, Any] = {"base_url": server.url, "model": "scripted"}
    if adapter == "decision":
        options = {"decider": server.root, "decider_model": "decider"}
        options |= {"writer": server.root + WRITER, "writer_model": "writer"}
    return resolve_agent(adapter, {"test_model": True, "tool": ["crm.get"], **options})


def _per_run(adapter: str) -> int:
    return DECISIONS if adapter == "decision" else frameworks.PER_RUN


def _answer(asked: Asked, number: int) -> Step:
    body = asked.body
    if asked.path.endswith("/systemone"):
        return chooses("respond" if len(body["state"]["history"]) >= DECISIONS else "crm.get")
    if asked.path.startswith(WRITER):
        return says(WRITTEN if "response_format" in body else "done")
    items = body.get("messages") or body["input"]
    done = sum(item.get("role") in _RESULTS or item.get("type") in _RESULTS for item in items)
    if done >= frameworks.PER_RUN:
        return says("done")
    return calls(
        *(call(frameworks.NAME, frameworks.ARGS, id=f"c{done + n}") for n in range(frameworks.AT_ONCE))
    )
