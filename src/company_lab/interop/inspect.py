"""Inspect: our scenarios as one of its tasks, `inspect eval company_lab/scenarios -T suite=scenarios/`.

The model is Inspect's, and so are its limits, retries and log; records, guard, faults and verdict are ours. Every
sample is one episode; its trace and verdict are kept in the sample's store. Where the model gives no answer, be it an
outage or a limit of Inspect's, the episode ends as one that says nothing about the agent, and Inspect then does with
the sample what it does with any other. Needs the extra `inspect`.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import anyio
from inspect_ai import Task as InspectTask
from inspect_ai import task as inspect_task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageTool, ChatMessageUser, ModelUsage, get_model
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolInfo

from company_lab.agents.chat_names import chosen_names
from company_lab.agents.chat_turns import attempted, turn_text
from company_lab.agents.protocol import Agent, Infrastructure, Session, Task
from company_lab.episodes.acting import in_place
from company_lab.episodes.play import LiveEpisode
from company_lab.evaluation import judge
from company_lab.formats.canonical import canonical
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite
from company_lab.worlds.registry import resolve_world

SCORES = {"passed": CORRECT, "failed": INCORRECT}
"""What is undecided or void is no answer."""


@inspect_task  # type: ignore[untyped-decorator, unused-ignore]
def scenarios(suite: str, seed: int = 0) -> InspectTask:
    """The scenarios of a suite that agents work through, each as one sample."""
    loaded = load_suite(suite, worlds=lambda name: resolve_world(name).spec)
    known = {one.id: one for one in loaded.scenarios if not one.is_contract}
    samples = [
        Sample(id=id, input=one.stimulus.message or one.title, target="passed", metadata={"title": one.title})
        for id, one in known.items()
    ]
    return InspectTask(
        dataset=MemoryDataset(samples, name=Path(suite).name),
        solver=works(known, seed),
        scorer=verdicts(),
        metadata={"suite_digest": loaded.digest},
    )


@solver  # type: ignore[untyped-decorator, unused-ignore]
def works(known: dict[str, Scenario], seed: int) -> Solver:
    """Lets Inspect's model work through one episode."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        scenario = known[str(state.sample_id)]
        world = resolve_world(scenario.world)
        state.messages = []
        unanswered: list[Exception] = []

        def act(asked: Task, session: Session) -> str:
            return _turn(asked, session, state, unanswered)

        def episode() -> tuple[Any, Any]:
            agent = Agent(name=f"inspect:{state.model}", kind=_kind(state), act=act)
            live = LiveEpisode(world.prepare(scenario), agent, trial=state.epoch, seed=seed)
            live.run(in_place)
            ended = live.finish()
            return ended.trace, judge(scenario, world.spec, ended.trace, ended.timings)

        trace, verdict = await anyio.to_thread.run_sync(episode)
        state.store.set("company_lab:trace", trace.records)
        state.store.set("company_lab:verdict", verdict.to_json())
        state.completed = True
        if unanswered:
            raise unanswered[0]
        return state

    return solve


def _kind(state: TaskState) -> Literal["test_model", "real_model"]:
    return "test_model" if state.model.api == "mockllm" else "real_model"


def _turn(asked: Task, session: Session, state: TaskState, unanswered: list[Exception]) -> str:
    names = chosen_names(asked.tools, only=(), aliases={}, functions=True)
    tools = [
        _info(name, offer.description, offer.signature.json_schema()) for name, offer in names.offers.items()
    ]
    state.messages.append(ChatMessageUser(content=turn_text(asked)))
    model = get_model()

    async def ask() -> Any:
        return await model.generate(list(state.messages), tools=tools)

    while True:
        try:
            output = anyio.from_thread.run(ask)
        except Exception as error:  # whatever keeps Inspect's model from answering is Inspect's to report
            unanswered.append(error)
            raise Infrastructure(
                f"Inspect's model gave no answer: {type(error).__name__}: {error}"
            ) from error
        _report(session, output.usage, str(state.model), free=_kind(state) == "test_model")
        state.output = output
        state.messages.append(output.message)
        calls = output.message.tool_calls or ()
        if not calls:
            return str(output.completion)
        for call in calls:
            came_of_it = attempted(
                session, names.tool(call.function), _arguments(call), by="agent", hint=call.id
            )
            state.messages.append(
                ChatMessageTool(content=canonical(came_of_it), tool_call_id=call.id, function=call.function)
            )


def _arguments(call: ToolCall) -> object:
    """As the model gave them: those that could not be read come as a text, which no tool takes."""
    return call.parse_error or call.arguments


def _report(session: Session, usage: ModelUsage | None, model: str, *, free: bool) -> None:
    if usage is None:
        session.usage(model=model, cost_usd="0" if free else None)
        return
    cost = "0" if free else None if usage.total_cost is None else format(Decimal(str(usage.total_cost)), "f")
    cached = usage.input_tokens_cache_read or 0
    session.usage(
        input_tokens=usage.input_tokens + cached + (usage.input_tokens_cache_write or 0),
        output_tokens=usage.output_tokens,
        cached_tokens=cached,
        cost_usd=cost,
        basis=None if cost is None else "observed" if free else "estimated",
        model=model,
    )


def _info(name: str, description: str, schema: dict[str, Any]) -> ToolInfo:
    return ToolInfo.model_validate({"name": name, "description": description, "parameters": schema})


@scorer(metrics=[accuracy(), stderr()])  # type: ignore[untyped-decorator, unused-ignore]
def verdicts() -> Scorer:
    """The verdict of the episode; it says what was broken."""

    async def score(state: TaskState, target: Target) -> Score:
        verdict = state.store.get("company_lab:verdict") or {}
        outcome = str(verdict.get("outcome"))
        told = [
            one["message"] for said in ("failures", "unscored", "invalid") for one in verdict.get(said, ())
        ]
        return Score(
            value=SCORES.get(outcome, NOANSWER),
            answer=outcome,
            explanation="\n".join(told) or None,
            metadata={"codes": [one["code"] for one in verdict.get("failures", ())]},
        )

    return score
