"""Asking a model's host: retried while it is down, never for what it answered; every try stands in the trace."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from company_lab.agents.chat_failures import (
    HostFailure,
    ModelStopped,
    failure_of,
    failure_within,
    record_failure,
)
from company_lab.agents.chat_host import (
    ENCODINGS,
    LONGEST_ANSWER,
    ModelHost,
    bearing,
    check_encoding,
    without_key,
)
from company_lab.agents.chat_streams import BadAnswer, Pieces, read_pieces
from company_lab.agents.protocol import Infrastructure, Session
from company_lab.agents.retry_after import asked_in, seconds_to_wait
from company_lab.formats.canonical import Json, NotJson, boundary, canonical, parse
from company_lab.formats.errors import WrongUse
from company_lab.formats.secrets import hiding

if TYPE_CHECKING:
    import ssl

    import httpx2

    from company_lab.agents.chat_traffic import Traffic

T = TypeVar("T")

_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 30.0
_CONNECT_S = 10.0
"""Where nobody takes a connection for so long, nobody is there; a slow model has nothing to do with it."""
_STREAM = "text/event-stream"


@dataclass(slots=True)
class _Try:
    """One request on its way."""

    host: ModelHost
    path: str
    body: Mapping[str, Json]
    attempt: int
    pieces: Pieces | None
    streams: bool = False
    """Whether the host answers with a stream."""
    begun: bool = False
    """Whether an answer had begun."""


class Asking:
    """Asks hosts on behalf of one turn of one episode."""

    def __init__(
        self, session: Session, client: Callable[[ModelHost], httpx2.AsyncClient], *, keyless: bool = False
    ) -> None:
        self._session = session
        self._client = client
        self._keyless = keyless

    async def post(
        self,
        host: ModelHost,
        path: str,
        body: Mapping[str, Json],
        read: Callable[[Json], T],
        *,
        pieces: Callable[[], Pieces] | None = None,
    ) -> tuple[T, int]:
        """The answer of a host to one request, read by `read`, and the try that brought it.

        With `pieces` the answer may come as a stream; joined it is read as any other.
        `read` raises `BadAnswer` where the answer is not of its format. Raises `Infrastructure` where no try brought
        an answer, and `ModelStopped` where the host says that this conversation can not go on.
        """
        delay = 0.0
        attempt = 0
        while True:
            attempt += 1
            one_try = _Try(host, path, body, attempt, None if pieces is None else pieces())
            failure, answer = await self._once(one_try, delay)
            if failure is None:
                try:
                    return read(answer), attempt
                except BadAnswer as error:
                    failure = _unreadable(error)
            record_failure(self._session, failure, role=host.role, model=host.model, attempt=attempt)
            if failure.agents_own:
                raise ModelStopped(f"the {host.role} can not go on: {failure.what}")
            if not failure.passing or attempt > host.retries:
                raise Infrastructure(
                    f"the {host.role} at {host.name} gave no answer in {_tries(attempt)}: {failure.what}",
                    retry_after=failure.retry_after,
                )
            delay = _pause(attempt, failure.retry_after)

    async def _once(self, one: _Try, delay: float) -> tuple[HostFailure | None, Json]:
        """One try after a pause; the failure or None, and the answer."""
        failure: HostFailure | None = None
        host = one.host
        answer: Json = None
        begun = time.monotonic()
        try:
            async with self._session.pace(host.name, role=host.role, model=host.model, attempt=one.attempt):
                # Others may have made the host wait meanwhile: that counts towards the pause.
                await asyncio.sleep(max(0.0, delay - (time.monotonic() - begun)))
                failure, answer = await self._tried(one)
                if failure is not None and failure.retry_after is not None:
                    raise Infrastructure(retry_after=failure.retry_after)  # everybody leaves the host alone
        except Infrastructure:
            if failure is None:
                raise
        return failure, answer

    async def _tried(self, one: _Try) -> tuple[HostFailure | None, Json]:
        """One try; what breaks off becomes a failure, unless all that the model said had come before."""
        import httpx2

        from company_lab.agents.chat_traffic import NotRecorded

        answer: Json = None
        failure: HostFailure | None
        key = None if self._keyless else one.host.key()
        try:
            async with asyncio.timeout(one.host.timeout_s):
                failure, answer = await self._sent(one, key)
        except TimeoutError:
            failure = HostFailure(what=f"no whole answer within {one.host.timeout_s:g} seconds", charged=True)
        except BadAnswer as error:
            failure = _unreadable(error)
        except NotRecorded as error:
            failure = HostFailure(what=str(error), passing=False, charged=True)
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError) as error:
            failure = HostFailure(what=f"{type(error).__name__}: {error}", charged=one.begun)
        if one.pieces is None or (failure is None and not one.streams):
            return failure, answer
        if failure is None or one.pieces.finished:
            try:
                answer = _joined(one.pieces, key)
            except BadAnswer as error:
                failure = failure or _unreadable(error)
            else:
                failure = _failure_in(answer)
                if failure is None:
                    return None, answer
        partial = _clean(one.pieces.text(), key)
        charged = failure.charged or bool(partial)
        return replace(failure, what=_clean(failure.what, key), partial=partial, charged=charged), None

    async def _sent(self, one: _Try, key: str | None) -> tuple[HostFailure | None, Json]:
        client = self._client(one.host)
        headers = {"content-type": "application/json", "accept-encoding": ENCODINGS, **bearing(key)}
        async with client.stream(
            "POST", one.host.url + one.path, content=_spelled(one.body), headers=headers
        ) as response:
            check_encoding(response.headers)
            one.begun = response.status_code < 300
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if one.begun and kind == _STREAM:
                if one.pieces is None:
                    what = "the host streams its answer, which was not asked for; give --stream"
                    return HostFailure(what=what, passing=False, charged=True), None
                one.streams = True
                return await read_pieces(response, one.pieces, hiding(() if key is None else (key,))), None
            parts, size = [], 0
            async for part in response.aiter_bytes():
                parts.append(part)
                size += len(part)
                if size > LONGEST_ANSWER:
                    what = f"an answer of more than {LONGEST_ANSWER:,} bytes"
                    return HostFailure(what=what, charged=one.begun), None
            retry_after = asked_in(response.headers)
            status = response.status_code
        raw = without_key(b"".join(parts), key)
        try:
            # JSON can spell a key in other ways than the one that was looked for.
            answer: Json | None = hiding(() if key is None else (key,))(boundary(parse(raw)))
        except NotJson as error:
            answer, broken = None, str(error)
        else:
            broken = ""
        text = raw[:500].decode("utf-8", "replace").strip()
        if status >= 300:
            return failure_of(status, answer, text, retry_after), None
        if broken:
            what = f"an answer that is no JSON ({broken}): {text[:200]}"
            return HostFailure(what=what, status=status, charged=True), None
        failure = _failure_in(answer, text)
        return (None if failure is None else replace(failure, retry_after=retry_after)), answer


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
                timeout=httpx2.Timeout(host.timeout_s, connect=min(_CONNECT_S, host.timeout_s)),
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


def _unreadable(error: BadAnswer) -> HostFailure:
    return HostFailure(what=f"the host's answer can not be read: {error}", charged=True)


def _failure_in(answer: Json, text: str = "") -> HostFailure | None:
    """The failure that stands in an answer with a good status: of some gateways, and of responses that failed."""
    return failure_within(answer, text) if isinstance(answer, dict) and answer.get("error") else None


def _joined(pieces: Pieces, key: str | None) -> Json:
    """The answer of a stream, without the key, of which each piece may have held a part."""
    whole = pieces.whole()
    return whole if key is None else parse(without_key(canonical(whole).encode("ascii"), key))


def _clean(text: str, key: str | None) -> str:
    return without_key(text.encode("utf-8", "replace"), key).decode("utf-8")


def _pause(attempt: int, retry_after: str | None) -> float:
    asked = seconds_to_wait(retry_after)
    if asked is not None:
        return asked
    longest: float = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0 ** min(attempt - 1, 10))
    return longest * random.uniform(0.5, 1.0)  # so that many episodes do not come back at the same moment


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
