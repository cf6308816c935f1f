"""The scripted server of these tests, read by the openai library itself: it speaks the wire formats."""

from __future__ import annotations

import asyncio
import json

import openai
import pytest

from chat_server import ScriptedChatServer, Step, call, calls, fails, says

pytestmark = pytest.mark.loopback


def ask(server: ScriptedChatServer) -> openai.types.chat.ChatCompletion:
    with openai.OpenAI(base_url=server.url, api_key="none", max_retries=0) as client:
        return client.chat.completions.create(model="m", messages=[{"role": "user", "content": "?"}])


def test_the_library_reads_its_chat_completions() -> None:
    with ScriptedChatServer([calls(call("orders_get", {"id": "A"}, id="c1")), says("hi")]) as server:
        first, second = ask(server), ask(server)
    (asked,) = first.choices[0].message.tool_calls or []
    assert asked.type == "function"
    assert (asked.id, asked.function.name, json.loads(asked.function.arguments)) == (
        "c1",
        "orders_get",
        {"id": "A"},
    )
    assert second.choices[0].message.content == "hi"
    assert second.usage is not None
    assert second.usage.prompt_tokens == 100


def test_the_library_reads_its_responses() -> None:
    with (
        ScriptedChatServer([calls(call("f", {"a": 1}, id="c1"), text="so")]) as server,
        openai.OpenAI(base_url=server.url, api_key="none", max_retries=0) as client,
    ):
        answer = client.responses.create(model="m", input="?")
    assert answer.output_text == "so"
    assert answer.output[1].type == "function_call"
    assert answer.usage is not None
    assert answer.usage.output_tokens == 20


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (fails(429), openai.RateLimitError),
        (fails(500), openai.InternalServerError),
        (Step(hang_up=True), openai.APIConnectionError),
    ],
)
def test_the_library_meets_the_errors_it_knows(step: Step, error: type[Exception]) -> None:
    with ScriptedChatServer([step]) as server, pytest.raises(error):
        ask(server)


def test_it_answers_many_at_the_same_time() -> None:
    async def everybody(url: str) -> None:
        async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
            asking = [
                client.chat.completions.create(model="m", messages=[{"role": "user", "content": "?"}])
                for _ in range(20)
            ]
            await asyncio.gather(*asking)

    with ScriptedChatServer(lambda asked, number: says("hi", delay_s=0.3)) as server:
        asyncio.run(everybody(server.url))
    assert server.most_at_once == 20
