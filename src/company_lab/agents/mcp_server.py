"""The world of an episode as an MCP server: one object for clients in this process, over stdio and over HTTP.

Needs the extra `mcp` (tested with version 2.3 of the SDK). Everything a client attempts goes through the session, so it
is recorded, counted and judged like any other attempt; unknown tools and unreadable arguments too, which the SDK
would turn away before anybody saw them.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from company_lab.agents.mcp_answers import EVENTS, TASK, listed, marks_of
from company_lab.agents.mcp_arrivals import Arrivals
from company_lab.agents.mcp_desk import REPLY, Desk
from company_lab.agents.mcp_messages import CALL, call_of
from company_lab.agents.protocol import Session, Task
from company_lab.formats.errors import WrongUse

if TYPE_CHECKING:
    from mcp.server import Server
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

NAME = "company"
_LIST_TTL_MS = 3_600_000
"""A world never changes its tools during an episode."""


@cache
def require_mcp() -> None:
    """Raise `WrongUse` that says what to install, where the SDK is missing or too old to serve with."""
    if importlib.util.find_spec("mcp") is None:
        raise WrongUse("MCP needs its SDK: pip install 'company-lab[mcp]'")
    found = version("mcp")
    if found.split(".")[0] != "2":
        raise WrongUse(
            f"found version {found} of the mcp package, expected 2: pip install 'company-lab[mcp]'"
        )


def world_server(task: Task, session: Session) -> Server[Any]:
    """The world of a turn as a server object, for an MCP client in the agent's own process.

    `mcp.Client(world_server(task, session))` connects to it.
    """
    return serve_desk(Desk(task, session))


_REPLYING = {
    "name": REPLY,
    "description": "Give your final answer to whoever gave you the task. Ends the turn; call it once, at the end.",
    "inputSchema": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": False,
    },
}


def serve_desk(desk: Desk, arrivals: Arrivals | None = None) -> Server[Any]:
    """A server whose clients sit at this desk.

    Calls wait among the `arrivals` until their turn comes, and are made on threads. Without they are made at once, for
    one client in this process.
    """
    require_mcp()
    import mcp_types as types
    from mcp.server import CacheHint, Server
    from mcp.shared.exceptions import MCPError

    tools = [types.Tool.model_validate(tool) for tool in listed(desk.task.tools)]
    if desk.replied is not None:
        tools.append(types.Tool.model_validate(_REPLYING))

    async def attempt(tool: object, args: object, meta: object, request: object) -> types.CallToolResult:
        if arrivals is None:
            text, structured, is_error = desk.call(tool, args, **marks_of(meta, request))
        else:
            arrival = arrivals.found(meta) or arrivals.enter(call_of(tool, args, meta, request))
            text, structured, is_error = await arrivals.carry_out(arrival)
        return types.CallToolResult(
            content=[types.TextContent(text=text)], structured_content=structured, is_error=is_error
        )

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        arguments = {} if params.arguments is None else params.arguments
        return await attempt(params.name, arguments, params.meta, context.request_id)

    async def unreadable_calls(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        params = ctx.params
        if ctx.method == CALL and ctx.request_id is not None and isinstance(params, dict):
            tool, args = params.get("name"), params.get("arguments")
            if not isinstance(tool, str) or not isinstance(args, (dict, type(None))):
                result = await attempt(tool, args, params.get("_meta"), ctx.request_id)
                return result.model_dump(by_alias=True, mode="json", exclude_none=True)
        return await call_next(ctx)

    async def list_tools(context: ServerRequestContext[Any], params: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def list_resources(context: ServerRequestContext[Any], params: object) -> types.ListResourcesResult:
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=TASK, name="task", description="What is to be done.", mime_type="text/plain"
                ),
                types.Resource(
                    uri=EVENTS,
                    name="events",
                    description="What reached the company since the last look; reading it is a look.",
                    mime_type="application/json",
                ),
            ]
        )

    async def read_resource(
        context: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri == TASK:
            text, mime = desk.text, "text/plain"
        elif uri == EVENTS:
            text = desk.events() if arrivals is None else await arrivals.look()
            mime = "application/json"
        else:
            raise MCPError(
                code=types.INVALID_PARAMS, message=f"there is no {uri}; there are {TASK} and {EVENTS}"
            )
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type=mime, text=text)]
        )

    async def list_prompts(context: ServerRequestContext[Any], params: object) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt(name="task", description="What is to be done.")])

    async def get_prompt(
        context: ServerRequestContext[Any], params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        if params.name != "task":
            raise MCPError(
                code=types.INVALID_PARAMS, message=f"there is no prompt {params.name}; there is task"
            )
        return types.GetPromptResult(
            messages=[types.PromptMessage(role="user", content=types.TextContent(text=desk.text))]
        )

    unchanging = CacheHint(ttl_ms=_LIST_TTL_MS, scope="private")
    server: Server[Any] = Server(
        NAME,
        version=version("company-lab"),
        cache_hints=dict.fromkeys(("tools/list", "prompts/list", "resources/list"), unchanging),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )
    server.middleware.append(unreadable_calls)
    return server
