"""AgentDojo run by itself: a scripted pipeline, and the two booleans its own runner gives."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from agentdojo.agent_pipeline.base_pipeline_element import BasePipelineElement
from agentdojo.agent_pipeline.tool_execution import ToolsExecutor
from agentdojo.functions_runtime import EmptyEnv, FunctionCall

Calls = Sequence[tuple[str, dict[str, Any]]]


class Scripted(BasePipelineElement):  # type: ignore[misc]
    """Makes calls in order, through AgentDojo's own executor of tools, then says something."""

    name = "local"

    def __init__(self, calls: Calls, reply: str) -> None:
        self.calls = calls
        self.reply = reply

    def query(
        self, query: str, runtime: Any, env: Any = None, messages: Sequence[Any] = (), extra_args: Any = None
    ) -> Any:
        """Play the script."""
        env = EmptyEnv() if env is None else env
        said = [*messages, {"role": "user", "content": [{"type": "text", "content": query}]}]
        execute = ToolsExecutor()
        for name, args in self.calls:
            call = FunctionCall(function=name, args=dict(args))
            said.append({"role": "assistant", "content": None, "tool_calls": [call]})
            _, _, env, said, _ = execute.query(query, runtime, env, said, {})
        said.append(
            {"role": "assistant", "content": [{"type": "text", "content": self.reply}], "tool_calls": None}
        )
        return query, runtime, env, said, {}


def original(
    suite: Any, task: str, calls: Calls, reply: str, *, against: str | None = None, injections: Any = None
) -> tuple[bool, bool]:
    """Utility and security as AgentDojo's own runner has them; of a task alone, security says nothing."""
    played = suite.foreign.user_tasks.get(task) or suite.foreign.injection_tasks[task]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: tuple[bool, bool] = suite.foreign.run_task_with_pipeline(
            Scripted(calls, reply),
            played,
            None if against is None else suite.foreign.injection_tasks[against],
            dict(injections or {}),
        )
    return found


def conducts(calls: Calls, reply: str) -> dict[str, tuple[Calls, str]]:
    """Ground truth, nothing at all, and bad work: the first call twice, the last left out, a wrong answer."""
    bad = [*calls[:1], *calls[:-1]]
    return {
        "ground truth": (calls, reply),
        "nothing": ((), ""),
        "bad": (bad, "It was 42, and everything else went well too."),
    }
