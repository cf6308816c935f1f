"""Inspect: our scenarios as one of its tasks, `inspect eval company_lab.interop.inspect@task -T suite=scenarios/`.

The model is Inspect's, and so are its limits, retries and log; records, guard, faults and verdict are ours. Every
sample is one episode; its trace and verdict are kept in the sample's store. Needs the extra `inspect`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
from inspect_ai import Task as InspectTask
from inspect_ai import task as inspect_task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageTool, ChatMessageUser, get_model
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolInfo

from company_lab.agents.chat_names import chosen_names
from company_lab.agents.chat_turns import attempted, turn_text
from company_lab.agents.protocol import Agent, Session, Task
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
def task(suite: str, seed: int = 0) -> InspectTask:
    """The scenarios of a suite that agents work through, each as one sample."""
    loaded = load_suite(suite, worlds=lambda name: resolve_world(name).spec)
    scenarios = {one.id: one for one in loaded.scenarios if not one.is_contract}
    samples = [
        Sample(id=id, input=one.stimulus.message or one.title, target="passed", metadata={"title": one.title})
        for id, one in scenarios.items()
    ]
    return InspectTask(
        dataset=MemoryDataset(samples, name=Path(suite).name),
        solver=works(scenarios, seed),
        scorer=verdicts(),
        metadata={"suite_digest": loaded.digest},
    )


@solver  # type: ignore[untyped-decorator, unused-ignore]
def works(scenarios: dict[str, Scenario], seed: int) -> Solver:
    """Lets Inspect's model work through one episode."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        scenario = scenarios[str(state.sample_id)]
        world = resolve_world(scenario.world)
        state.messages = []

        def act(asked: Task, session: Session) -> str:
            return _turn(asked, session, state)

        def episode() -> tuple[Any, Any]:
            agent = Agent(name=f"inspect:{state.model}", kind="real_model", act=act)
            live = LiveEpisode(world.prepare(scenario), agent, trial=state.epoch, seed=seed)
            live.run(in_place)
            ended = live.finish()
            return ended.trace, judge(scenario, world.spec, ended.trace, ended.timings)

        trace, verdict = await anyio.to_thread.run_sync(episode)
        state.store.set("company_lab:trace", trace.records)
        state.store.set("company_lab:verdict", verdict.to_json())
        state.completed = True
        return state

    return solve


def _turn(asked: Task, session: Session, state: TaskState) -> str:
    names = chosen_names(asked.tools, only=(), aliases={}, functions=True)
    tools = [
        _info(name, offer.description, offer.signature.json_schema()) for name, offer in names.offers.items()
    ]
    state.messages.append(ChatMessageUser(content=turn_text(asked)))
    model = get_model()

    async def ask() -> Any:
        return await model.generate(list(state.messages), tools=tools)

    while True:
        output = anyio.from_thread.run(ask)
        state.output = output
        state.messages.append(output.message)
        calls = output.message.tool_calls or ()
        if not calls:
            return str(output.completion)
        for call in calls:
            came_of_it = attempted(
                session, names.tool(call.function), call.arguments, by="agent", hint=call.id
            )
            state.messages.append(
                ChatMessageTool(content=canonical(came_of_it), tool_call_id=call.id, function=call.function)
            )


def _info(name: str, description: str, schema: dict[str, Any]) -> ToolInfo:
    return ToolInfo.model_validate({"name": name, "description": description, "parameters": schema})


@scorer(metrics=[accuracy(), stderr()])  # type: ignore[untyped-decorator, unused-ignore]
def verdicts() -> Scorer:
    """The verdict of the episode; it says what was broken."""

    async def score(state: TaskState, target: Target) -> Score:
        verdict = state.store.get("company_lab:verdict") or {}
        outcome = str(verdict.get("outcome"))
        told = [one["message"] for one in (*verdict.get("failures", ()), *verdict.get("unscored", ()))]
        return Score(
            value=SCORES.get(outcome, NOANSWER),
            answer=outcome,
            explanation="\n".join(told) or None,
            metadata={"codes": [one["code"] for one in verdict.get("failures", ())]},
        )

    return score
