"""Asking a model's host: retried while it is down, never for what it answered; every try stands in the trace."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from company_lab.agents.chat_failures import HostFailure, ModelStopped, failure_of
from company_lab.agents.chat_host import LONGEST_ANSWER, ModelHost, bearing, without_key
from company_lab.agents.protocol import Infrastructure, Session
from company_lab.agents.retry_after import seconds_to_wait
from company_lab.formats.canonical import Json, NotJson, boundary, parse
from company_lab.formats.errors import WrongUse

if TYPE_CHECKING:
    import ssl

    import httpx2

    from company_lab.agents.chat_traffic import Traffic

T = TypeVar("T")

_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 30.0


class BadAnswer(Exception):
    """An answer that is none of its wire format: the host's failure, like a broken line."""


class Asking:
    """Asks hosts on behalf of one turn of one episode."""

    def __init__(
        self, session: Session, client: Callable[[ModelHost], httpx2.AsyncClient], *, keyless: bool = False
    ) -> None:
        self._session = session
        self._client = client
        self._keyless = keyless

    async def post(
        self, host: ModelHost, path: str, body: Mapping[str, Json], read: Callable[[Json], T]
    ) -> tuple[T, int]:
        """The answer of a host to one request, read by `read`, and the try that brought it.

        `read` raises `BadAnswer` where the answer is not of its format. Raises `Infrastructure` where no try brought
        an answer, and `ModelStopped` where the host says that this conversation can not go on.
        """
        delay = 0.0
        attempt = 0
        while True:
            attempt += 1
            failure, answer = await self._once(host, path, body, delay)
            if failure is None:
                try:
                    return read(answer), attempt
                except BadAnswer as error:
                    failure = HostFailure(what=f"the host's answer can not be read: {error}")
            self._session.asked(role=host.role, model=host.model, attempt=attempt, error=failure.document())
            if failure.agents_own:
                raise ModelStopped(f"the {host.role} can not go on: {failure.what}")
            if not failure.passing or attempt > host.retries:
                raise Infrastructure(
                    f"the {host.role} at {host.name} gave no answer in {_tries(attempt)}: {failure.what}",
                    retry_after=failure.retry_after,
                )
            delay = _pause(attempt, failure.retry_after)

    async def _once(
        self, host: ModelHost, path: str, body: Mapping[str, Json], delay: float
    ) -> tuple[HostFailure | None, Json]:
        """One try after a pause; the failure or None, and the answer."""
        import httpx2

        failure: HostFailure | None = None
        answer: Json = None
        begun = time.monotonic()
        try:
            async with self._session.pace(host.name):
                # Others may have made the host wait meanwhile: that counts towards the pause.
                await asyncio.sleep(max(0.0, delay - (time.monotonic() - begun)))
                try:
                    async with asyncio.timeout(host.timeout_s):
                        failure, answer = await self._sent(host, path, body)
                except TimeoutError:
                    failure = HostFailure(what=f"no whole answer within {host.timeout_s:g} seconds")
                except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError) as error:
                    failure = HostFailure(what=f"{type(error).__name__}: {error}")
                if failure is not None and failure.retry_after is not None:
                    raise Infrastructure(retry_after=failure.retry_after)  # everybody leaves the host alone
        except Infrastructure:
            if failure is None:
                raise
        return failure, answer

    async def _sent(
        self, host: ModelHost, path: str, body: Mapping[str, Json]
    ) -> tuple[HostFailure | None, Json]:
        client = self._client(host)
        key = None if self._keyless else host.key()
        headers = {"content-type": "application/json", **bearing(key)}
        async with client.stream(
            "POST", host.url + path, content=_spelled(body), headers=headers
        ) as response:
            parts, size = [], 0
            async for part in response.aiter_bytes():
                parts.append(part)
                size += len(part)
                if size > LONGEST_ANSWER:
                    return HostFailure(what=f"an answer of more than {LONGEST_ANSWER:,} bytes"), None
            retry_after = _retry_after(response.headers)
            status = response.status_code
        raw = without_key(b"".join(parts), key)
        try:
            answer: Json | None = boundary(parse(raw))
        except NotJson as error:
            answer, broken = None, str(error)
        else:
            broken = ""
        text = raw[:500].decode("utf-8", "replace").strip()
        if status >= 300:
            return failure_of(status, answer, text, retry_after), None
        if broken:
            return HostFailure(
                what=f"an answer that is no JSON ({broken}): {text[:200]}", status=status
            ), None
        if isinstance(answer, dict) and answer.get("error"):  # some gateways put a failure under 200
            said = answer["error"]
            code = said.get("code") if isinstance(said, dict) else None
            return failure_of(code if isinstance(code, int) else 500, answer, text, retry_after), None
        return None, answer


@asynccontextmanager
async def asking(session: Session, *, traffic: Traffic | None = None) -> AsyncIterator[Asking]:
    """Connections to hosts for one turn; they are closed with it, so no event loop is left with another's."""
    import httpx2

    clients: dict[str, httpx2.AsyncClient] = {}

    def client(host: ModelHost) -> httpx2.AsyncClient:
        if host.url not in clients:
            clients[host.url] = httpx2.AsyncClient(
                verify=_tls(),
                trust_env=not host.is_here,
                timeout=host.timeout_s,
                follow_redirects=False,
                transport=None if traffic is None else traffic.transport(_tls()),
            )
        return clients[host.url]

    try:
        # Nobody is asked where a recording answers, so no key is needed.
        yield Asking(session, client, keyless=traffic is not None and traffic.mode == "replay")
    finally:
        for opened in clients.values():
            await opened.aclose()


@cache
def _tls() -> ssl.SSLContext:
    """Reading the system's certificates takes longer than a request: once for all."""
    import ssl

    return ssl.create_default_context()


def _spelled(body: Mapping[str, Json]) -> bytes:
    """A request as it is sent. Half a character, as models write it now and then, has no UTF-8: it becomes a `?`."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace")


def _pause(attempt: int, retry_after: str | None) -> float:
    asked = seconds_to_wait(retry_after)
    if asked is not None:
        return asked
    longest: float = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0 ** min(attempt - 1, 10))
    return longest * random.uniform(0.5, 1.0)  # so that many episodes do not come back at the same moment


def _retry_after(headers: Mapping[str, str]) -> str | None:
    milliseconds = headers.get("retry-after-ms")
    if milliseconds is not None:
        try:
            return str(float(milliseconds) / 1000)
        except ValueError:
            pass
    return headers.get("retry-after")


def _tries(attempts: int) -> str:
    return "one try" if attempts == 1 else f"{attempts} tries"


def need_http() -> None:
    """Raise `WrongUse` where the library that speaks HTTP is not installed."""
    try:
        import httpx2  # noqa: F401
    except ModuleNotFoundError:
        raise WrongUse(
            "models are asked through httpx2, which is not installed; try: pip install 'company-lab[openai]'"
        ) from None
