"""System One: asking a decision model one `choice` question, over `POST /v1/systemone` or a path of its shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from company_lab.agents.chat_host import base_url
from company_lab.agents.chat_streams import BadAnswer
from company_lab.agents.chat_usage import Used, read_usage
from company_lab.formats.canonical import Json

QUESTION = "next_action"
"""The id of the one question that is asked."""
MOST_OPTIONS = 255
_PATHS = ("/systemone", "/decisions")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a decision model answered to the question."""

    choice: str
    answer: Json
    """The whole answer, as it came, with its probabilities where the host gave some."""
    used: Used


def question(*, model: str, state: Json, instructions: str, criteria: Mapping[str, str]) -> dict[str, Json]:
    """The body of a request with one `choice` question. Criteria go by option, in the order they are given."""
    return {
        "model": model,
        "state": state,
        "questions": {
            QUESTION: {"type": "choice", "instructions": instructions, "criteria": dict(criteria)},
        },
    }


def read_decision(answer: Json) -> Decision:
    """The choice in an answer. Raises `BadAnswer` where there is none.

    The choice is taken as the host gives it, also where it is none of the options.
    """
    answers = answer.get("answers") if isinstance(answer, dict) else None
    found = answers.get(QUESTION) if isinstance(answers, dict) else None
    choice = found.get("choice") if isinstance(found, dict) else None
    if not isinstance(choice, str):
        raise BadAnswer(f'it has no answers["{QUESTION}"]["choice"]')
    assert isinstance(answer, dict)
    return Decision(choice=choice, answer=answer, used=read_usage(answer.get("usage")))


def decider_url(text: str, *, option: str = "--decider") -> tuple[str, str]:
    """Base URL and path of a decider: `/v1/systemone` behind a bare host, its own path where it has one."""
    url = base_url(text, option=option)
    for path in _PATHS:
        if url.endswith(path):
            return url.removesuffix(path), path
    return (url, "/systemone") if urlsplit(url).path else (url, "/v1/systemone")
