"""What a host's failure means: an outage that may pass, one that will not, or the agent's own limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from company_lab.agents.protocol import Session
from company_lab.formats.canonical import Json
from company_lab.formats.errors import CompanyLabError

_PASSING = frozenset({408, 409, 425, 429, 529})
"""Besides every 5xx: statuses after which the same request may succeed."""
_USED_UP = ("insufficient_quota", "billing_hard_limit_reached", "credit_balance_too_low")
_TOO_LONG = (
    "context_length_exceeded",
    "exceed_context_size_error",
    "max_tokens_exceeded",
    "request_too_large",
)
_TOO_LONG_WORDS = (
    "maximum context length",
    "context window",
    "context size",
    "context length",
    "prompt is too long",
    "too many tokens",
)
_FILTERED = ("content_filter", "content_policy_violation", "responsibleaipolicyviolation")
_MESSAGE = 500


class ModelStopped(CompanyLabError):
    """The model can not go on with this conversation: it is too long for it, was cut off, or was filtered.

    No outage: the agent as it was set up came to its end.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFailure:
    """Why a request brought no answer."""

    what: str
    """In words, for a person."""
    status: int | None = None
    code: str | None = None
    passing: bool = True
    """Whether the same request may succeed a little later."""
    agents_own: bool = False
    """Whether it is the agent's limit and no outage."""
    retry_after: str | None = None
    charged: bool = False
    """Whether the host was at work on an answer, so that nobody knows what the try has cost."""
    partial: str = ""
    """What had come of an answer that broke off."""

    def document(self) -> dict[str, Json]:
        """As the trace keeps it."""
        parts: dict[str, Json] = {
            "message": self.what,
            "status": self.status,
            "code": self.code,
            "retry_after": self.retry_after,
            "partial": self.partial[:_MESSAGE] or None,
        }
        return {name: part for name, part in parts.items() if part is not None}


def record_failure(
    session: Session, failure: HostFailure, *, role: str, model: str, attempt: int = 1
) -> None:
    """Record a try that brought no answer, and where the host was at work on one, that its cost is unknown."""
    try:
        session.asked(role=role, model=model, attempt=attempt, error=failure.document())
    finally:  # a failure that is told at too great a length ends the episode, and was paid for
        if failure.charged:
            session.usage(model=model)


def failure_of(status: int, body: Json, text: str, retry_after: str | None) -> HostFailure:
    """What an answer with an error status means, in any of the shapes hosts use.

    OpenAI and llama.cpp say `{"error": {"code", "type", "message"}}`, FastAPI `{"detail": [...]}`, System One
    `{"detail": {"error_type", "message"}}`, others `{"error": "text"}`; gateways answer in HTML.
    """
    code, message = _told(body)
    lowered = f"{code or ''} {message}".lower()
    said = f"{status}" + (f" {code}" if code else "")
    what = f"the host answered {said}: {(message or text or 'nothing more')[:_MESSAGE]}"
    if any(name in lowered for name in _TOO_LONG) or (
        status in (400, 413, 422) and any(words in lowered for words in _TOO_LONG_WORDS)
    ):
        return HostFailure(what=what, status=status, code=code, passing=False, agents_own=True)
    if status in (400, 403, 422) and any(name in lowered for name in _FILTERED):
        return HostFailure(what=what, status=status, code=code, passing=False, agents_own=True)
    passing = (status in _PASSING or status >= 500) and status not in (501, 505)
    if any(name in lowered for name in _USED_UP):
        passing = False
    return HostFailure(what=what, status=status, code=code, passing=passing, retry_after=retry_after)


def failure_within(answer: Mapping[str, Json], text: str) -> HostFailure:
    """What a failure means that stands in an answer itself, as some gateways and all streams put it.

    A response whose status is failed had begun, and nobody knows what that has cost.
    """
    said = answer.get("error") or {name: answer.get(name) for name in ("code", "type", "message")}
    code = said.get("code") if isinstance(said, Mapping) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    found = failure_of(status, {"error": said}, text, None)
    return replace(found, charged=answer.get("status") == "failed")


def _told(body: Json) -> tuple[str | None, str]:
    if not isinstance(body, Mapping):
        return None, ""
    found = body.get("error", body.get("detail"))
    if isinstance(found, str):
        return None, found
    if isinstance(found, Mapping):
        words = [found.get(name) for name in ("code", "type", "error_type")]
        code = " ".join(dict.fromkeys(str(word) for word in words if isinstance(word, str) and word))
        message = found.get("message")
        return code[:100] or None, message if isinstance(message, str) else ""
    if isinstance(found, list):
        parts = [item for item in found if isinstance(item, Mapping)]
        return None, "; ".join(f"{_place(item.get('loc'))}: {item.get('msg')}" for item in parts[:3])
    message = body.get("message")
    return None, message if isinstance(message, str) else ""


def _place(loc: Json) -> str:
    return ".".join(str(part) for part in loc) if isinstance(loc, list) else "request"
