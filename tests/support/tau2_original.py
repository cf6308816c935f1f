"""tau2's own evaluators over an episode that was played here: what its reward would have been."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from company_lab.interop.hosting.tau2 import USER
from company_lab.interop.hosting.tau2_domain import Tau2Domain


def rewarded(domain: Tau2Domain, task: str, records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the product of the components of a task's reward is 1, as tau2's evaluators reckon each of them.

    None of the components may be one that a model decides.
    """
    from tau2.data_model.tasks import RewardType
    from tau2.evaluator.evaluator_action import ActionEvaluator
    from tau2.evaluator.evaluator_communicate import CommunicateEvaluator
    from tau2.evaluator.evaluator_env import EnvironmentEvaluator

    asked = domain.tasks[task]
    basis = {RewardType(one) for one in domain.basis(task)}
    assert RewardType.NL_ASSERTION not in basis
    messages = list(messages_of(records))
    reward = 1.0
    if basis & {RewardType.DB, RewardType.ENV_ASSERTION}:
        reward *= EnvironmentEvaluator.calculate_reward(
            environment_constructor=domain.module.get_environment, task=asked, full_trajectory=messages
        ).reward
    if RewardType.ACTION in basis:
        reward *= ActionEvaluator.calculate_reward(task=asked, full_trajectory=messages).reward
    if RewardType.COMMUNICATE in basis:
        reward *= CommunicateEvaluator.calculate_reward(task=asked, full_trajectory=messages).reward
    return reward == 1.0


def messages_of(records: Sequence[Mapping[str, Any]]) -> Iterator[Any]:
    """The conversation of an episode, as messages of tau2."""
    from tau2.data_model.message import AssistantMessage, ToolCall, ToolMessage, UserMessage

    results = {record["call"]: record for record in records if record["kind"] == "result"}
    for record in records:
        if record["kind"] == "action":
            department, _, name = str(record["tool"]).partition(".")
            who = USER if department == USER else "assistant"
            call = ToolCall(id=record["call"], name=name, arguments=record["args"], requestor=who)
            speaker = UserMessage if who == USER else AssistantMessage
            yield speaker(role="user" if who == USER else "assistant", tool_calls=[call])
            result = results[record["call"]]
            error = result.get("error")
            answer = result["value"] if error is None else error["message"]
            yield ToolMessage(
                id=record["call"], role="tool", content=answer, requestor=who, error=error is not None
            )
        elif record["kind"] == "reply":
            yield AssistantMessage(role="assistant", content=record["text"])
