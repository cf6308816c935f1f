"""What an adapter costs by itself: calls a second through each, beside its floor.

The world's own part of a call is the same for all and stands in the first row. Each row is one function of the
number of calls that returns the seconds they took, without starting anything; a row whose library is not installed
is left out and named. Run `python benchmarks/adapters.py`, perhaps with names of rows.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import adapter_frameworks as frameworks
import adapter_models as models

from company_lab.agents.functions import function_agent
from company_lab.company import company
from company_lab.episodes import play
from company_lab.scenarios.loader import load_scenarios

HERE = Path(__file__).parent
CALLS = 1000
ROUNDS = 3

Row = Callable[[int], float]
"""Makes so many calls of one tool and returns the seconds they took."""

(SCENARIO,) = load_scenarios(
    """
    id: reads_again_and_again
    initial:
      contacts: {C-1: {name: Ida Holm, email: ida@holm.example.test}}
    stimulus: {message: Read C-1.}
    expected: {told: {states: [{literal: done}]}}
    limits: {calls: 1000000, repeats: 1000000, wall: 10m, output: 1000000000, simulated: 300d}
    reference: [{do: [], reply: done}]
    wrong: [{id: silent, codes: [missing_reply], do: [], reply: nothing}]
    """,
    worlds=lambda name: company.spec,
)
FIXTURE = company.prepare(SCENARIO)
ARGS = {"id": "C-1"}


def in_an_episode(agent: Callable[[Any, Any], float]) -> float:
    """Play an agent that returns how long its calls took."""
    took: list[float] = []

    def act(task: Any, session: Any) -> str:
        took.append(agent(task, session))
        return "done"

    episode = play(FIXTURE, function_agent(act))
    assert episode.trace.stop == "finished", next(episode.trace.by_kind("stopped"))
    return took[0]


async def timed(calls: int, call: Callable[[], Any]) -> float:
    """Seconds that so many awaited calls take, after one to warm up."""
    await call()
    started = frameworks.now()
    for _ in range(calls):
        await call()
    return frameworks.now() - started


def function(calls: int) -> float:
    """A plain function: `session.call`, the world's own part."""

    def agent(task: Any, session: Any) -> float:
        started = frameworks.now()
        for _ in range(calls):
            session.call("crm.get", **ARGS)
        return frameworks.now() - started

    return in_an_episode(agent)


def lines_program(calls: int) -> float:
    """A program that speaks our lines, in a process of its own."""
    return in_a_program("lines", calls, speaks="lines")


def mcp_floor(calls: int) -> float:
    """The SDK alone, in process: a server whose tool returns a constant."""
    import mcp_types as types
    from mcp import Client
    from mcp.server import Server

    answer = types.CallToolResult(content=[types.TextContent(text="{}")], structured_content={})
    tool = types.Tool(name="crm_get", input_schema={"type": "object"})

    async def called(context: Any, params: Any) -> types.CallToolResult:
        return answer

    async def listed(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool])

    async def run() -> float:
        async with Client(Server("floor", on_list_tools=listed, on_call_tool=called)) as client:
            return await timed(calls, lambda: client.call_tool("crm_get", ARGS))

    return asyncio.run(run())


def mcp_in_process(calls: int) -> float:
    """MCP in process: a client of the SDK on our server object."""
    from mcp import Client

    from company_lab.agents.mcp_server import world_server

    def agent(task: Any, session: Any) -> float:
        async def run() -> float:
            async with Client(world_server(task, session)) as client:
                return await timed(calls, lambda: client.call_tool("crm_get", ARGS))

        return asyncio.run(run())

    return in_an_episode(agent)


def mcp_http(calls: int) -> float:
    """MCP over HTTP on loopback: a program with a client written by hand, which costs next to nothing itself."""
    return in_a_program("http", calls, speaks="mcp-http")


def mcp_stdio(calls: int) -> float:
    """MCP over stdio: the same through `company-lab mcp-connect`."""
    return in_a_program("stdio", calls, speaks="mcp-stdio")


def in_a_program(how: str, calls: int, *, speaks: str) -> float:
    """Play this file as a program, which prints how long its calls took."""
    from company_lab.episodes.programs import program_agent

    command = [sys.executable, str(HERE / "adapter_programs.py"), how, str(calls), json.dumps(ARGS)]
    started = frameworks.now()
    trace = play(FIXTURE, program_agent(command, speaks=speaks)).trace
    took = frameworks.now() - started
    assert trace.stop == "finished", next(trace.by_kind("stopped"))
    told = float(next(trace.by_kind("reply"))["text"])
    return took if frameworks.Clock.read is time.process_time else told


def asking_rows(adapter: str) -> dict[str, tuple[Row, str | None, str | None]]:
    """The two rows of an agent that asks models at a host."""
    floor = f"HTTP alone, as {adapter}"
    return {
        floor: (partial(models.alone, adapter, in_an_episode=in_an_episode), None, "httpx2"),
        adapter: (partial(models.through, adapter, in_an_episode=in_an_episode), floor, "httpx2"),
    }


ROWS: dict[str, tuple[Row, str | None, str | None]] = {
    "function": (function, None, None),
    "lines program": (lines_program, "function", None),
    "MCP SDK alone, in process": (mcp_floor, None, "mcp"),
    "MCP in process": (mcp_in_process, "MCP SDK alone, in process", "mcp"),
    "MCP over HTTP": (mcp_http, "MCP SDK alone, in process", "mcp"),
    "MCP over stdio": (mcp_stdio, "MCP SDK alone, in process", "mcp"),
    "pydantic-ai alone": (frameworks.pydantic_alone, None, "pydantic_ai"),
    "pydantic-ai": (
        partial(frameworks.pydantic_through, in_an_episode=in_an_episode),
        "pydantic-ai alone",
        "pydantic_ai",
    ),
    "OpenAI Agents SDK alone": (frameworks.sdk_alone, None, "agents"),
    "OpenAI Agents SDK": (
        partial(frameworks.sdk_through, in_an_episode=in_an_episode),
        "OpenAI Agents SDK alone",
        "agents",
    ),
    "LangGraph alone": (frameworks.graph_alone, None, "langgraph"),
    "LangGraph": (
        partial(frameworks.graph_through, in_an_episode=in_an_episode),
        "LangGraph alone",
        "langgraph",
    ),
    **asking_rows("openai-chat"),
    **asking_rows("openai-responses"),
    **asking_rows("decision"),
}
"""Name of a row: its function, the row that is its floor, and the package it needs."""


def main() -> None:
    """Measure the rows and print them as a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}; all without")
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, help="the best counts, since load only ever adds"
    )
    parser.add_argument(
        "--processor",
        action="store_true",
        help="processor time of this process instead of wall time: what to read on a machine that is busy; of a "
        "program's row it is the lab's part",
    )
    given = parser.parse_args()
    if given.processor:
        frameworks.Clock.read = time.process_time
    unknown = sorted(set(given.rows) - set(ROWS))
    if unknown:
        parser.error(f"there is no row {', '.join(unknown)} (known: {', '.join(ROWS)})")
    micros: dict[str, float] = {}
    print("| through | calls/s | µs a call | above its floor |")
    print("|---|--:|--:|---|")
    for name, (row, floor, package) in ROWS.items():
        if given.rows and name not in given.rows:
            continue
        if package is not None and importlib.util.find_spec(package) is None:
            print(f"| {name} | {package} is not installed | | |")
            continue
        micros[name] = min(row(given.calls) for _ in range(given.rounds)) / given.calls * 1e6
        above = f"{micros[name] - micros[floor]:,.0f} µs above {floor}" if floor in micros else ""
        print(f"| {name} | {1e6 / micros[name]:,.0f} | {micros[name]:,.1f} | {above} |", flush=True)


if __name__ == "__main__":
    main()
