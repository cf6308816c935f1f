"""What both models of the decision loop are shown: the request, what was observed, what was done and came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from company_lab.agents.chat_turns import restart_text
from company_lab.agents.protocol import Task
from company_lab.formats.canonical import Json

_NO_MESSAGE = "Nobody wrote; something has happened, see the observation."


class State:
    """The state of one episode. It is JSON throughout, and goes on from turn to turn in the session's memory."""

    def __init__(self, task: Task, memory: Json) -> None:
        earlier = memory.get("history") if isinstance(memory, dict) else None
        self._history: list[Json] = list(earlier) if isinstance(earlier, list) else []
        self._request = task.message or _NO_MESSAGE
        self._observation: dict[str, Json] = {"at": task.at, "events": [dict(event) for event in task.events]}
        if task.restart and (text := restart_text(task.restart)):
            self._observation["restart"] = text
        if task.sender:
            self._observation["from"] = task.sender

    def observe(self, events: Sequence[Mapping[str, Json]]) -> None:
        """Add events that reached the company since the last look."""
        seen = self._observation["events"]
        assert isinstance(seen, list)
        seen += [dict(event) for event in events]

    def record(self, action: str, arguments: Json, result: Mapping[str, Json]) -> None:
        """Add an action, the arguments it was given, and what came of it, failures included."""
        self._history.append({"action": action, "arguments": arguments, "result": dict(result)})

    def replied(self, text: str) -> None:
        """Add the end of a turn: what was asked and what was replied."""
        self._history.append({"request": self._request})
        self._history.append({"action": "respond", "text": text})

    def document(self) -> dict[str, Json]:
        """As the models are shown it."""
        return {
            "request": self._request,
            "observation": dict(self._observation),
            "history": list(self._history),
        }

    def memory(self) -> dict[str, Json]:
        """As the world keeps it for the next turn."""
        return {"history": list(self._history)}
