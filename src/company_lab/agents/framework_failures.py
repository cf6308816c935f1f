"""What an exception of a model's client means, whichever library raised it: an outage, or the agent's own limit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from company_lab.agents.chat_failures import HostFailure, failure_of
from company_lab.agents.retry_after import asked_in
from company_lab.formats.canonical import Json, NotJson, boundary
from company_lab.formats.secrets import conceal

_HTTP = ("httpx", "httpx2", "httpcore", "httpcore2", "aiohttp", "urllib3", "requests", "botocore")
_LOST = (
    "Connection",
    "Timeout",
    "Unavailable",
    "Overloaded",
    "ServerError",
    "RateLimit",
    "QuotaExceeded",
    "Throttl",
)
_NOT_SENT = frozenset(["ConnectTimeout", "PoolTimeout"])
"""What a client says that waited for a connection and sent nothing."""
_CLIENTS = (
    "anthropic",
    "boto3",
    "cohere",
    "google",
    "groq",
    "huggingface_hub",
    "mistralai",
    "ollama",
    "openai",
    "pydantic_ai",
)
"""Packages whose errors with such a name are their hosts'."""


def failure_behind(error: BaseException) -> HostFailure | None:
    """Why the request to a model failed, or None where the exception is no failure of a host.

    Clients of hosted models are generated much alike: an error with a status carries `status_code` and perhaps
    `body` or `response`; a lost connection says so in its class's name, or is one of the HTTP library's own. What looks
    like a key in what it says is left out: hosts quote the one they refuse. One that took the request and did not
    answer in time was at work on it, and nobody knows what that has cost.
    """
    failure = _failure_behind(error)
    return None if failure is None else replace(failure, what=conceal(failure.what))


def _failure_behind(error: BaseException) -> HostFailure | None:
    for found in _chain(error):
        status = getattr(found, "status_code", None)
        if isinstance(status, int) and not isinstance(status, bool) and status >= 400:
            return _with_status(found, status)
    for found in _chain(error):
        if _is_lost(found):
            after = getattr(found, "retry_after", None)
            return HostFailure(
                what=f"{type(found).__name__}: {found}"[:500],
                retry_after=None if after is None else str(after),
                charged=_took_too_long(error),
            )
    return None


def _took_too_long(error: BaseException) -> bool:
    names = [type(found).__name__ for found in _chain(error)]
    return any("Timeout" in name for name in names) and not _NOT_SENT.intersection(names)


def _with_status(error: BaseException, status: int) -> HostFailure:
    body = _json(getattr(error, "body", None))
    if isinstance(body, Mapping) and "error" not in body and "detail" not in body:
        body = {"error": dict(body)}
    after = getattr(error, "retry_after", None)
    if after is None:
        headers: Any = getattr(getattr(error, "response", None), "headers", None)
        after = asked_in(headers) if hasattr(headers, "get") else None
    return failure_of(status, body, str(error)[:500], None if after is None else str(after))


def _json(value: object) -> Json:
    try:
        return boundary(value)
    except NotJson:
        return None


def _is_lost(error: BaseException) -> bool:
    if isinstance(error, (ConnectionError, TimeoutError)):
        return True
    kinds = type(error).__mro__
    if any(kind.__module__.split(".")[0] in _HTTP for kind in kinds):
        return True
    named = any(kind.__module__.split(".")[0] in _CLIENTS for kind in kinds)
    return named and any(word in kind.__name__ for kind in kinds for word in _LOST)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The exception, those it is a group of, and those it was raised from."""
    seen: set[int] = set()
    left: list[BaseException] = [error]
    while left:
        found = left.pop(0)
        if id(found) in seen:
            continue
        seen.add(id(found))
        yield found
        if isinstance(found, BaseExceptionGroup):
            left += found.exceptions
        if found.__cause__ is not None:
            left.append(found.__cause__)
