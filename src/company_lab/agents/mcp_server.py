"""The world of an episode as an MCP server: one object for clients in this process, over stdio and over HTTP.

Needs the extra `mcp` (tested with version 2.3 of the SDK). Everything a client attempts goes through the session, so it
is recorded, counted and judged like any other attempt; unknown tools and unreadable arguments too, which the SDK
would turn away before anybody saw them.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from company_lab.agents.mcp_answers import (
    EVENTS,
    TASK,
    Reply,
    called,
    listed,
    marks_of,
    names_of,
    over,
    spelled,
    told,
)
from company_lab.agents.protocol import EpisodeStopped, Session, Task
from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse

if TYPE_CHECKING:
    from mcp.server import Server
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

Said = tuple[str | None, str, str]
"""An earlier turn: the sender, the message, and the reply."""
NAME = "company"
REPLY = "reply"
"""The tool that ends a turn, where there is one; no tool of a world has a name without a department."""
_LIST_TTL_MS = 3_600_000
"""A world never changes its tools during an episode."""


class Desk:
    """Where a client sits: the task of a turn, the session behind it, and what came of using it.

    A world that serves several turns over one connection (see `sit`) exchanges the task.
    """

    def __init__(self, task: Task, session: Session, conversation: Sequence[Said] = ()) -> None:
        self.session = session
        self._names = names_of(task.tools)
        self.replied: Callable[[str], str] | None = None
        """Where the reply comes through a tool of its own: takes it, and gives what the client hears next."""
        self.broken: BaseException | None = None
        """What ended the agent's work from within a call, if anything did."""
        self.sit(task, conversation)

    def sit(self, task: Task, conversation: Sequence[Said] = ()) -> None:
        """Begin a turn."""
        self.task = task
        self.text = told(task, conversation)

    def call(self, tool: object, args: object, *, by: str = "agent", hint: str | None = None) -> Reply:
        """One attempt. Never raises: whoever plays the turn asks for `broken`."""
        if self.replied is not None and tool == REPLY:
            text = args.get("text") if isinstance(args, dict) else None
            if not isinstance(text, str):
                return "reply takes one argument, text", {"code": "bad_arguments"}, True
            return self.replied(text), None, False
        if isinstance(tool, str):
            tool = self._names.get(tool, tool)
        try:
            return called(self.session, tool, args, by=by, hint=hint)
        except EpisodeStopped as stopped:
            return over(stopped)
        except BaseException as error:  # noqa: BLE001 - raised again where the turn is played
            self.broken = error
            return over(EpisodeStopped("cancelled"))

    def events(self) -> str:
        """The events that came since the last look, as JSON text."""
        try:
            return spelled(list[Json](self.session.observe()))
        except EpisodeStopped as stopped:
            return over(stopped)[0]


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
    return serve_desk(Desk(task, session), waits=False)


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


def serve_desk(desk: Desk, *, waits: bool = True) -> Server[Any]:
    """A server whose clients sit at this desk.

    `waits`: calls are made on threads, so that one that does not come back holds up nobody else on the event loop.
    """
    require_mcp()
    import mcp_types as types
    from mcp.server import CacheHint, Server
    from mcp.shared.exceptions import MCPError

    under_way: set[asyncio.Future[Reply]] = set()
    one_by_one = asyncio.Lock()
    """Attempts are carried out in order of arrival, whichever connection they came on."""
    tools = [types.Tool.model_validate(tool) for tool in listed(desk.task.tools)]
    if desk.replied is not None:
        tools.append(types.Tool.model_validate(_REPLYING))

    async def attempt(tool: object, args: object, meta: object, request: object) -> types.CallToolResult:
        marks = marks_of(meta, request)

        async def carried_out() -> Reply:
            async with one_by_one:
                return await asyncio.to_thread(desk.call, tool, args, **marks)

        if waits:
            # What has arrived is carried out, though nobody may wait for the answer any more: as it would be outside.
            work = asyncio.ensure_future(carried_out())
            under_way.add(work)
            work.add_done_callback(under_way.discard)
            text, structured, is_error = await asyncio.shield(work)
        else:
            text, structured, is_error = desk.call(tool, args, **marks)
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
        if ctx.method == "tools/call" and ctx.request_id is not None and isinstance(params, dict):
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
            async with one_by_one:
                text, mime = await asyncio.to_thread(desk.events), "application/json"
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
