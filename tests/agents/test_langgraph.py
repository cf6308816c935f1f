"""What is LangGraph's own: graphs of any shape, people in the loop, and what can not be evaluated."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import interrupt

from company_lab.agents.langgraph import langgraph_agent
from company_lab.agents.protocol import declare
from company_lab.company import company
from company_lab.episodes import play
from company_lab.formats.errors import WrongUse
from company_lab.traces import Trace
from framework_agents import Says, Wanted, in_langgraph
from model_episode import of_kind, shipped

REFUND = Wanted("payments_refund", {"charge": "ch_9wd", "amount_minor": 1000}, id="r")
DONE = Says(text="done")


class Fake(FakeMessagesListChatModel):
    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self


def played(agent: Any, **given: Any) -> Trace:
    made = agent if hasattr(agent, "act") else langgraph_agent(agent, **given)
    return play(company.prepare(shipped()), made.for_scenario(shipped())).trace


def asking(*messages: AIMessage) -> Fake:
    return Fake(responses=list(messages))


def look(id: str = "a") -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "crm_get", "args": {"id": "C-7715"}, "id": id}])


def test_a_person_in_the_loop_is_the_worlds_guard() -> None:
    gate = HumanInTheLoopMiddleware(interrupt_on={"payments_refund": True})
    trace = played(in_langgraph([Says(calls=(REFUND,)), DONE], middleware=[gate]).agent)
    assert trace.stop == "finished"
    assert len(of_kind(trace, "action")) == 1
    assert len(trace.records[-1]["ledgers"]["payments"]) == 1


def test_a_person_may_be_played_by_a_function() -> None:
    gate = HumanInTheLoopMiddleware(interrupt_on={"payments_refund": True})
    asked: list[Any] = []

    def refuse(what: Any) -> Any:
        asked.append(what)
        return {"decisions": [{"type": "reject", "message": "not today"}]}

    scripted = in_langgraph([Says(calls=(REFUND,)), DONE], middleware=[gate], resume=refuse)
    trace = played(scripted.agent)
    assert trace.stop == "finished"
    assert asked[0]["action_requests"][0]["name"] == "payments_refund"
    assert not of_kind(trace, "action")
    assert (
        of_kind(trace, "model")[0]["answer"]["calls"][0]["name"] == "payments_refund"
    )  # it asked all the same
    assert "not today" in scripted.sent[1]


def graph(tools: Any, node: Any = None) -> Any:
    """A graph drawn by hand, whose model is asked in an ordinary function."""
    model = asking(look(), AIMessage("done"))

    def ask(state: MessagesState) -> Any:
        return {"messages": [model.invoke(state["messages"])]}

    built: Any = StateGraph(MessagesState)
    built.add_node("ask", node or ask)
    built.add_node("tools", ToolNode(tools))
    built.add_edge(START, "ask")
    built.add_conditional_edges("ask", lambda state: "tools" if state["messages"][-1].tool_calls else END)
    built.add_edge("tools", "ask")
    return built.compile()


def test_a_graph_drawn_by_hand_works_as_well() -> None:
    trace = played(graph)
    shape = [one["kind"] for one in trace.records if one["kind"] in ("model", "action", "reply")]
    assert shape == ["model", "action", "model", "reply"]
    assert of_kind(trace, "reply")[0]["text"] == "done"


def test_an_interrupt_nobody_can_answer_is_an_error_of_the_agent_that_says_what_to_do() -> None:
    def ask(state: MessagesState) -> Any:
        return {"messages": [AIMessage(str(interrupt("which colour?")))]}

    trace = played(lambda tools: graph(tools, ask))
    assert trace.stop == "agent_error"
    assert "resume=" in of_kind(trace, "stopped")[0]["detail"]
    trace = played(lambda tools: graph(tools, ask), resume=lambda asked: "blue")
    assert of_kind(trace, "reply")[0]["text"] == "blue"


def test_calls_the_graph_answers_itself_are_no_attempts() -> None:
    from pydantic import BaseModel

    class Answer(BaseModel):
        paid: bool

    said = AIMessage("", tool_calls=[{"name": "Answer", "args": {"paid": True}, "id": "o"}])
    trace = played(lambda tools: create_agent(asking(said), tools, response_format=Answer))
    assert of_kind(trace, "reply")[0]["text"] == '{"paid":true}'
    assert not of_kind(trace, "action")


def test_a_factory_says_what_kind_it_is_and_undeclared_is_no_real_model() -> None:
    def factory(tools: Any) -> Any:
        return create_agent(asking(AIMessage("done")), tools)

    assert langgraph_agent(factory).kind == "undeclared"
    assert langgraph_agent(declare(kind="scripted")(factory)).kind == "scripted"
    made = langgraph_agent(factory, model="gpt-5-mini", base_url="https://api.openai.com/v1")
    assert str(made.prices["gpt-5-mini"]["source"]).startswith("genai-prices")  # type: ignore[call-overload, index]


def test_a_graph_that_is_compiled_already_is_refused_with_what_to_write() -> None:
    with pytest.raises(WrongUse, match=r"def agent\(tools\)"):
        langgraph_agent(graph([]))


def test_a_factory_that_returns_no_graph_is_an_error_of_the_agent() -> None:
    trace = played(lambda tools: 7)
    assert trace.stop == "agent_error"
    assert "returned a int" in of_kind(trace, "stopped")[0]["detail"]


@pytest.mark.fault("D01", "D04")
def test_a_call_the_client_calls_invalid_is_recorded_and_not_carried_out_though_its_arguments_can_be_read() -> (
    None
):
    raw = '{"charge":"ch_9wd","amount_minor":1000}'
    trace = played(in_langgraph([Says(calls=(Wanted("payments_refund", raw, id="x"),)), Says("done")]).agent)
    (action,), (result,) = of_kind(trace, "action"), of_kind(trace, "result")
    assert (action["tool"], action["supplied"], result["outcome"]) == ("payments.refund", raw, "malformed")
    assert trace.records[-1]["ledgers"] == {}


def test_half_a_character_in_a_name_is_recorded_as_it_came() -> None:
    trace = played(in_langgraph([Says(calls=(Wanted("pay\ud83d", {}, id="x"),)), Says("done")]).agent)
    assert (of_kind(trace, "action")[0]["tool"], trace.stop) == ("pay\ud83d", "finished")


class Streams(BaseChatModel):
    """A model that is only ever heard piece by piece."""

    pieces: list[list[AIMessageChunk]]

    @property
    def _llm_type(self) -> str:
        return "streams"

    def _generate(self, *args: Any, **options: Any) -> Any:
        raise AssertionError("nobody waits for the whole answer")

    def _stream(self, *args: Any, **options: Any) -> Any:
        for piece in self.pieces.pop(0):
            yield ChatGenerationChunk(message=piece)


def pieces(*arguments: str) -> list[AIMessageChunk]:
    def chunk(number: int, text: str) -> Any:
        first = number == 0
        return {"name": "crm_get" if first else None, "args": text, "id": "s" if first else None, "index": 0}

    return [AIMessageChunk(content="", tool_call_chunks=[chunk(*one)]) for one in enumerate(arguments)]


def streamed(chunks: list[AIMessageChunk]) -> Trace:
    model = Streams(pieces=[chunks, [AIMessageChunk(content="done")]])

    async def ask(state: MessagesState) -> Any:
        heard: Any = None
        async for piece in model.astream(state["messages"]):
            heard = piece if heard is None else heard + piece
        return {"messages": [heard]}

    return played(lambda tools: graph(tools, ask))


def test_an_answer_that_a_node_streams_is_recorded_whole() -> None:
    trace = streamed(pieces('{"id":', '"C-7715"}'))
    assert [one["kind"] for one in trace.records if one["kind"] in ("model", "action", "reply")] == [
        "model",
        "action",
        "model",
        "reply",
    ]
    assert of_kind(trace, "action")[0]["supplied"] == '{"id":"C-7715"}'
    assert of_kind(trace, "result")[0]["outcome"] == "executed"


@pytest.mark.fault("D01")
@pytest.mark.parametrize(
    "arguments", [('{"id":', '"C-7715'), ('{"id":"C-1",', '"id":"C-7715"}')], ids=["cut", "twice"]
)
def test_streamed_arguments_that_langchain_would_repair_are_malformed(arguments: tuple[str, ...]) -> None:
    trace = streamed(pieces(*arguments))
    (action,), (result,) = of_kind(trace, "action"), of_kind(trace, "result")
    assert (action["supplied"], result["outcome"]) == ("".join(arguments), "malformed")
    assert of_kind(trace, "model")[0]["answer"]["calls"][0]["arguments"] == "".join(arguments)


def test_an_agent_within_a_tool_of_the_graph_is_recorded_and_its_tool_is_no_unknown_one() -> None:
    nobody = AIMessage("", tool_calls=[{"name": "nobody", "args": {}, "id": "i2"}])

    def factory(tools: Any) -> Any:
        inner = create_agent(asking(look("i1"), nobody, AIMessage("found")), tools)

        @tool
        def research(question: str) -> str:
            """Ask a colleague."""
            return str(inner.invoke({"messages": [HumanMessage(question)]})["messages"][-1].text)

        wanted = AIMessage("", tool_calls=[{"name": "research", "args": {"question": "x"}, "id": "o1"}])
        return create_agent(asking(wanted, AIMessage("done")), [*tools, research])

    trace = played(factory)
    assert [(one["tool"], one["hint"]) for one in of_kind(trace, "action")] == [
        ("crm.get", "i1"),
        ("nobody", "i2"),
    ]
    assert len(of_kind(trace, "model")) == 5
    assert len(of_kind(trace, "usage")) == 5


def test_a_graph_within_a_graph_works_in_the_world_too() -> None:
    def factory(tools: Any) -> Any:
        built: Any = StateGraph(MessagesState)
        built.add_node("inner", create_agent(asking(look(), AIMessage("done")), tools))
        built.add_edge(START, "inner")
        built.add_edge("inner", END)
        return built.compile()

    trace = played(factory)
    assert [one["hint"] for one in of_kind(trace, "action")] == ["a"]
    assert of_kind(trace, "reply")[0]["text"] == "done"


def test_a_graph_that_swallows_what_went_wrong_has_attempted_it_all_the_same() -> None:
    def factory(tools: Any) -> Any:
        named = {one.name: one for one in tools}

        async def work(state: MessagesState) -> Any:
            await named["crm_get"].ainvoke({"id": "nobody"})
            return {"messages": [AIMessage("everything is fine")]}

        return graph(tools, work)

    trace = played(factory)
    assert [one["outcome"] for one in of_kind(trace, "result")] == ["failed"]


@pytest.mark.fault("D10")
def test_models_that_name_themselves_are_recorded_and_priced_by_their_names() -> None:
    class Named(Fake):
        model: str

    def said(text: str) -> AIMessage:
        used: Any = {"input_tokens": 1_000_000, "output_tokens": 0, "total_tokens": 1_000_000}
        return AIMessage(text, usage_metadata=used)

    def factory(tools: Any) -> Any:
        first, second = (
            Named(responses=[said("a")], model="small"),
            Named(responses=[said("b")], model="large"),
        )

        def ask(state: MessagesState) -> Any:
            first.invoke(state["messages"])
            return {"messages": [second.invoke(state["messages"])]}

        return graph(tools, ask)

    prices = {"small": "1.00/1.00", "large": "10.00/1.00"}
    trace = played(factory, kind="real_model", prices=prices)
    assert [one["model"] for one in of_kind(trace, "usage")] == ["small", "large"]
    assert trace.records[-1]["cost_usd"] == "11"


@pytest.mark.fault("D03")
def test_two_calls_under_one_id_are_two_attempts() -> None:
    calls = [{"name": "crm_get", "args": {"id": id}, "id": "same"} for id in ("C-7715", "C-NO")]
    trace = played(
        lambda tools: create_agent(asking(AIMessage("", tool_calls=calls), AIMessage("done")), tools)
    )
    assert [(one["hint"], one["args"]["id"]) for one in of_kind(trace, "action")] == [
        ("same", "C-7715"),
        ("same", "C-NO"),
    ]


@pytest.mark.fault("D01", "D03")
def test_of_two_streamed_calls_under_one_id_each_has_its_own_arguments() -> None:
    raws = ['{"id":"C-1","id":"C-7715"}', '{"id":"C-NO"}']

    def chunk(number: int, raw: str) -> AIMessageChunk:
        call: Any = {"name": "crm_get", "args": raw, "id": "same", "index": number}
        return AIMessageChunk(content="", tool_call_chunks=[call])

    trace = streamed([chunk(*one) for one in enumerate(raws)])
    assert [one["arguments"] for one in of_kind(trace, "model")[0]["answer"]["calls"]] == raws
    assert [one["supplied"] for one in of_kind(trace, "action")] == raws
    assert [one["outcome"] for one in of_kind(trace, "result")] == ["malformed", "failed"]
