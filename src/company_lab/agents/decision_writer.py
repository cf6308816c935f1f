"""The writer: a model that writes the arguments of an action somebody else chose, or the reply."""

from __future__ import annotations

from collections.abc import Mapping

from company_lab.agents.chat_asking import Asking
from company_lab.agents.chat_failures import ModelStopped
from company_lab.agents.chat_host import ModelHost
from company_lab.agents.decision_prompt import arguments_text, reply_text
from company_lab.agents.openai_chat import PATH, read_completion
from company_lab.agents.openai_loop import ModelAnswer, record_answer, spoken_name
from company_lab.agents.prices import Price
from company_lab.agents.protocol import Session, ToolOffer
from company_lab.formats.canonical import Json

ARGUMENTS = (
    "Somebody else has chosen the next action. You write its arguments as one JSON object that fits its parameters, "
    "and nothing else. Copy ids, amounts and addresses from the request or from what was observed and done; invent "
    "none. Leave out every parameter that may be left out, unless the request asks for it."
)
"""The default instructions for arguments."""
REPLY = (
    "Write the reply to the person who made the request, in plain words and without headings: the answer to what was "
    "asked, and what was done. Say only what was observed or done: an action whose result is not executed has not "
    "happened."
)
"""The default instructions for the reply."""
MODES = ("schema", "tool")


class Writer:
    """Asks the writer model for one thing at a time."""

    def __init__(
        self,
        host: ModelHost,
        price: Price,
        *,
        mode: str,
        prompts: Mapping[str, str],
        sampling: Mapping[str, Json],
    ) -> None:
        self.host = host
        self._price = price
        self._mode = mode
        self._prompts = prompts
        self._sampling = sampling

    async def arguments(
        self, line: Asking, session: Session, state: Mapping[str, Json], name: str, offer: ToolOffer
    ) -> tuple[Json, str | None]:
        """The arguments for a tool as the model wrote them, unread, and its own id for the call.

        In the mode `schema` the answer is bound to the tool's schema (`response_format`) and is its text; in the mode
        `tool` the tool is the only one the model may call.
        """
        as_schema = self._mode == "schema"
        body = self._body("arguments", arguments_text(state, name, offer, parameters=as_schema))
        if as_schema:
            schema: dict[str, Json] = {"name": "arguments", "schema": offer.parameters}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        else:
            action: dict[str, Json] = {
                "name": spoken_name(name),
                "description": offer.description,
                "parameters": offer.parameters,
            }
            body["tools"] = [{"type": "function", "function": action}]
            body["tool_choice"] = "required"
        answer = await self._asked(line, session, body)
        if answer.calls:
            return answer.calls[0].arguments, answer.calls[0].id
        return answer.text, None

    async def reply(self, line: Asking, session: Session, state: Mapping[str, Json]) -> str:
        """The text of the reply. Raises `ModelStopped` where it is not whole."""
        answer = await self._asked(line, session, self._body("reply", reply_text(state)))
        if answer.cut:
            raise ModelStopped(f"the writer's reply is not whole (finish reason {answer.finish})")
        return answer.text or answer.refusal or ""

    def _body(self, prompt: str, shown: str) -> dict[str, Json]:
        messages: list[Json] = [
            {"role": "system", "content": self._prompts[prompt]},
            {"role": "user", "content": shown},
        ]
        return {"model": self.host.model, "messages": messages, **self._sampling}

    async def _asked(self, line: Asking, session: Session, body: Mapping[str, Json]) -> ModelAnswer:
        answer, attempt = await line.post(self.host, PATH, body, read_completion)
        record_answer(session, self.host, self._price, answer, attempt)
        return answer
