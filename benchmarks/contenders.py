"""The contenders of `overhead.py`: five calls on a fresh small state, then a look at what is left behind."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Session, Task, declare
from company_lab.episodes import Episode
from company_lab.episodes.player import Job, play_each
from company_lab.evaluation import judge
from company_lab.scenarios.loader import load_scenarios
from company_lab.worlds import TARGET, Context, Department, Json, Ref, Table, World

STATE = {
    "orders": {"O-1": {"status": "open", "total_minor": 2500}, "O-2": {"status": "open", "total_minor": 900}}
}
WANTED = {
    "orders": {
        "O-1": {"status": "closed", "total_minor": 2500},
        "O-2": {"status": "open", "total_minor": 900},
    }
}


class Order(TypedDict):
    """A row of the benchmark's only table."""

    status: str
    total_minor: int
    note: NotRequired[str]


orders = Department("orders", tables={"orders": Table(record=Order, singular="order")})


@orders.tool(permission="orders.read")
def get(ctx: Context, id: Annotated[str, Ref("orders"), TARGET]) -> Json:
    """One order."""
    return ctx.show("orders", id)


@orders.tool(permission="orders.write", writes=True)
def close(ctx: Context, id: Annotated[str, Ref("orders"), TARGET]) -> Json:
    """Close an order."""
    ctx.update("orders", id, status="closed")
    return ctx.show("orders", id)


shop = World("shop", [orders])

SCENARIO = """
id: close_the_order
world: shop
role: {tenant: main, permissions: [orders.read, orders.write]}
initial:
  orders: {O-1: {status: open, total_minor: 2500}, O-2: {status: open, total_minor: 900}}
people: {lead: {}}
stimulus: {from: lead, message: "Close O-1."}
expected:
  state: {orders: {O-1: {status: closed}}}
  actions: [{tool: orders.close, args: {id: O-1}, times: 1}]
  forbidden: [{tool: orders.close, args: {id: O-2}}]
reference:
  - do: [{tool: orders.close, args: {id: O-1}}]
    reply: "Closed."
"""


@declare(kind="scripted")
def five_calls(task: Task, session: Session) -> str:
    """Look, look, write, look, look."""
    session.call("orders.get", id="O-1")
    session.call("orders.get", id="O-2")
    session.call("orders.close", id="O-1")
    session.call("orders.get", id="O-1")
    session.call("orders.get", id="O-2")
    return "Closed."


def _bare_get(state: dict[str, Any], id: str) -> dict[str, Any]:
    return {"id": id, **state["orders"][id]}


def _bare_close(state: dict[str, Any], id: str) -> dict[str, Any]:
    state["orders"][id]["status"] = "closed"
    return {"id": id, **state["orders"][id]}


def _bare_episode() -> bool:
    state = {"orders": {id: dict(order) for id, order in STATE["orders"].items()}}
    _bare_get(state, "O-1")
    _bare_get(state, "O-2")
    _bare_close(state, "O-1")
    _bare_get(state, "O-1")
    _bare_get(state, "O-2")
    return state == WANTED


def bare() -> Callable[[int], None]:
    """Plain function calls on a dict and a comparison; keeps no record."""

    def run(episodes: int) -> None:
        for _ in range(episodes):
            if not _bare_episode():
                raise AssertionError("the bare loop went wrong")

    return run


def in_memory() -> Callable[[int], None]:
    """Full trace and verdict, nothing stored."""
    scenario = load_scenarios(SCENARIO, file="benchmark.yaml", worlds=lambda name: shop.spec)[0]
    fixture = shop.prepare(scenario)
    agent = function_agent(five_calls)

    def judged(job: Job[None], episode: Episode) -> None:
        verdict = judge(scenario, shop.spec, episode.trace, episode.timings)
        if verdict.outcome != "passed":
            raise AssertionError(verdict)

    def run(episodes: int) -> None:
        play_each(
            (Job(tag=None, fixture=fixture, agent=agent, trial=trial, seed=1) for trial in range(episodes)),
            judged,
        )

    return run


def stored(folder: Path) -> Callable[[int], None]:
    """As in memory, with every episode stored in SQLite, one transaction each."""
    from company_lab.runs import Store, begin, cast, execute, plan_run

    scenario = load_scenarios(SCENARIO, file="benchmark.yaml", worlds=lambda name: shop.spec)[0]
    agent = function_agent(five_calls)
    castings = cast([scenario], agent=agent, worlds=lambda name: shop)

    def run(episodes: int) -> None:
        store = Store(folder / f"{episodes}.db")
        plan = plan_run(castings, suite=folder, suite_digest="", agent=agent, trials=episodes, seed=1)
        begin(plan, castings, store)
        execute(plan, castings, store)
        if store.entry(plan.run).outcomes != {"passed": episodes}:
            raise AssertionError("not everything was stored")
        store.close()

    return run


def loading() -> Callable[[int], None]:
    """Reading one scenario of typical size, checked against its world."""

    def run(times: int) -> None:
        for _ in range(times):
            load_scenarios(SCENARIO, file="benchmark.yaml", worlds=lambda name: shop.spec)

    return run


def pydantic_evals() -> Callable[[int], None]:
    """The same five functions as a pydantic-evals task with a custom evaluator; it keeps no record of the calls."""
    from dataclasses import dataclass

    from pydantic_evals import Case, Dataset
    from pydantic_evals.evaluators import Evaluator, EvaluatorContext

    @dataclass
    class FinalState(Evaluator[Any, Any, Any]):
        """Compares the state left behind."""

        def evaluate(self, ctx: EvaluatorContext[Any, Any, Any]) -> bool:
            return bool(ctx.output == WANTED)

    async def task(number: int) -> dict[str, Any]:
        state = {"orders": {id: dict(order) for id, order in STATE["orders"].items()}}
        _bare_get(state, "O-1")
        _bare_get(state, "O-2")
        _bare_close(state, "O-1")
        _bare_get(state, "O-1")
        _bare_get(state, "O-2")
        return state

    def run(episodes: int) -> None:
        dataset = Dataset(
            name="overhead",
            cases=[Case(name=f"c{number}", inputs=number) for number in range(episodes)],
            evaluators=[FinalState()],
        )
        report = asyncio.run(dataset.evaluate(task, progress=False, max_concurrency=1))
        if len(report.cases) != episodes or report.failures:
            raise AssertionError("pydantic-evals went wrong")

    return run


def inspect() -> Callable[[int], None]:
    """The same five functions as an Inspect task with its mock model and a scorer of our own."""
    os.environ["INSPECT_DISPLAY"] = "none"
    from inspect_ai import Task as InspectTask
    from inspect_ai import eval as inspect_eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import Score, Target, accuracy, scorer
    from inspect_ai.solver import TaskState, generate, use_tools
    from inspect_ai.tool import Tool, tool
    from inspect_ai.util import store

    def state() -> dict[str, Any]:
        kept = store().get("state")
        if kept is None:
            kept = {"orders": {id: dict(order) for id, order in STATE["orders"].items()}}
            store().set("state", kept)
        return dict(kept)

    @tool
    def get() -> Tool:
        async def execute(id: str) -> str:
            """One order.

            Args:
                id: Its id.
            """
            return str(_bare_get(state(), id))

        return execute

    @tool
    def close() -> Tool:
        async def execute(id: str) -> str:
            """Close an order.

            Args:
                id: Its id.
            """
            return str(_bare_close(state(), id))

        return execute

    @scorer(metrics=[accuracy()])
    def final_state() -> Any:
        async def score(task: TaskState, target: Target) -> Score:
            return Score(value=int(task.store.get("state") == WANTED))

        return score

    calls = (("get", "O-1"), ("get", "O-2"), ("close", "O-1"), ("get", "O-1"), ("get", "O-2"))

    def run(episodes: int) -> None:
        outputs = []
        for _ in range(episodes):
            outputs += [ModelOutput.for_tool_call("mockllm/model", name, {"id": id}) for name, id in calls]
            outputs.append(ModelOutput.from_content("mockllm/model", "Closed."))
        for output in outputs:  # without usage the mock model counts tokens, which needs a download
            output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        with tempfile.TemporaryDirectory() as folder:
            (log,) = inspect_eval(
                InspectTask(
                    dataset=[Sample(input="Close O-1.", id=number) for number in range(episodes)],
                    solver=[use_tools(get(), close()), generate()],
                    scorer=final_state(),
                ),
                model=get_model("mockllm/model", custom_outputs=outputs),
                log_dir=folder,
                display="none",
                max_samples=1,
            )
        if log.status != "success" or log.results.scores[0].metrics["accuracy"].value != 1:
            raise AssertionError("Inspect went wrong")

    return run


def all_contenders(folder: Path) -> Iterator[tuple[str, Callable[[], Callable[[int], None]], float]]:
    """Name, maker, and the share of the episodes it gets, for what is installed."""
    yield "bare Python", bare, 5.0
    yield "company-lab, in memory", in_memory, 1.0
    yield "company-lab, stored in SQLite", lambda: stored(folder), 2.0  # the run itself costs something once
    if importlib.util.find_spec("pydantic_evals"):
        yield "pydantic-evals, custom evaluator", pydantic_evals, 0.2
    if importlib.util.find_spec("inspect_ai"):
        yield "Inspect, mock model", inspect, 0.01
