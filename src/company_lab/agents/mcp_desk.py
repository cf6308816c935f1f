"""The desk: where the clients of a world sit during a turn, whatever carries what they say."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from company_lab.agents.mcp_answers import Reply, Said, called, names_of, over, spelled, told
from company_lab.agents.mcp_messages import SHOWN
from company_lab.agents.protocol import EpisodeStopped, Session, Task
from company_lab.agents.wire import Unreadable
from company_lab.formats.canonical import Json, NotJson
from company_lab.formats.hostile import cut

REPLY = "reply"
"""The tool that ends a turn, where there is one; no tool of a world has a name without a department."""
UNNAMED = "(unnamed)"
"""The tool of an attempt that names none."""


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
        elif tool is None:
            tool = UNNAMED
        if isinstance(args, str):
            # Other agents hand over a model's JSON text. MCP has objects, and no server would look into a text.
            error = NotJson("arguments", "a text where an object is expected")
            args = Unreadable(error, cut(args, SHOWN), len(args))
        try:
            return called(self.session, tool, args, by=by, hint=hint)
        except EpisodeStopped as stopped:
            return over(stopped)
        except BaseException as error:  # noqa: BLE001 - raised again where the turn is played
            return over(self._break(error))

    def tool_of(self, names: Sequence[object]) -> object:
        """The tool that is meant by the names found in a message, of which some may be something else's."""
        tools = {*self._names, *self._names.values()}
        known = (name for name in names if isinstance(name, str) and name in tools)
        return next(known, names[0] if names else None)

    def events(self) -> str:
        """The events that came since the last look, as JSON text. Never raises, as `call`."""
        try:
            return spelled(list[Json](self.session.observe()))
        except EpisodeStopped as stopped:
            return over(stopped)[0]
        except BaseException as error:  # noqa: BLE001 - raised again where the turn is played
            return over(self._break(error))[0]

    def _break(self, error: BaseException) -> EpisodeStopped:
        self.broken = error
        return EpisodeStopped("cancelled")
