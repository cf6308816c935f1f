"""An agent of pydantic-ai with its own MCP client; its model follows a conduct. Usage as of node/sdk_client.mjs."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel


def read(path: str) -> Any:
    return json.loads(Path(path).read_text(encoding="utf-8"))


TASK = read(os.environ["COMPANY_LAB_TASK"])
BEGINS = TASK["conversation"][0]["message"] if TASK["conversation"] else TASK["message"]
TURN = read(sys.argv[1])[BEGINS][TASK["turn"] - 1]
((_, SERVER),) = read(os.environ["COMPANY_LAB_MCP_CONFIG"])["mcpServers"].items()


def heard(part: ToolReturnPart | RetryPromptPart) -> str:
    if isinstance(part, ToolReturnPart):
        return "done"
    text = str(part.content)
    return text.split(":")[0] if ":" in text else text


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    answers = [
        part
        for message in messages
        for part in message.parts
        if isinstance(part, (ToolReturnPart, RetryPromptPart))
    ]
    if len(answers) == len(TURN["do"]):
        told = f" [{', '.join(map(heard, answers))}]" if TURN.get("tells") else ""
        return ModelResponse(parts=[TextPart(f"{TURN['reply']}{told}")])
    step = TURN["do"][len(answers)]
    if step["tool"] == "die":
        os._exit(step["args"]["code"])
    return ModelResponse(parts=[ToolCallPart(step["tool"], step["args"])])


async def main() -> None:
    where = SERVER["url"] if "url" in SERVER else StdioTransport(SERVER["command"], SERVER["args"])
    async with Agent(FunctionModel(model), toolsets=[MCPToolset(where)], retries=9) as agent:
        sys.stdout.write((await agent.run(sys.stdin.read())).output)


if __name__ == "__main__":
    asyncio.run(main())
