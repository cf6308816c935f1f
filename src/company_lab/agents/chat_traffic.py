"""Recording of model traffic for development, and replaying it, in cassettes of vcrpy.

A replayed episode says something about the loop around a model, and nothing about the model: the answers are old.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from company_lab.agents.cassette import Cassette
from company_lab.agents.chat_host import LONGEST_ANSWER, check_encoding, without_key
from company_lab.agents.protocol import Infrastructure
from company_lab.formats.errors import WrongUse

if TYPE_CHECKING:
    import ssl

    import httpx2

_KEPT = frozenset({"content-type", "retry-after", "retry-after-ms"})
"""Headers of answers that are kept. Those of requests, which carry keys, are not."""


class NotRecorded(Exception):
    """An answer came, and was paid for, that could not be added to the recording: asking again would pay again."""


class Traffic:
    """One cassette, being written or being played.

    A recording that is there already is added to. Playing gives each recorded answer once, in the order of
    recording, to a request with the same address and body.
    """

    def __init__(self, file: Path, mode: Literal["record", "replay"]) -> None:
        self.file = file
        self.mode = mode
        self._cassette = Cassette(file, option=f"--{mode}")
        self._lock = threading.Lock()
        kept = self._cassette.exchanges()
        if mode == "replay" and kept is None:
            raise WrongUse(f"--replay {file}: there is no such recording")
        self._left: dict[tuple[str, bytes], deque[dict[str, Any]]] = defaultdict(deque)
        for request, response in kept or ():
            self._left[request.uri, _as_bytes(request.body)].append(response)

    @property
    def digest(self) -> str:
        """SHA-256 of the recording that is played."""
        return self._cassette.digest

    def transport(self, tls: ssl.SSLContext) -> httpx2.AsyncBaseTransport:
        """Carries requests to the host and writes down what came, or answers them from the recording."""
        return _transport(self, tls)

    def keep(self, request: Any, response: dict[str, Any]) -> None:
        """Add one exchange to the recording. Raises `NotRecorded`."""
        try:
            self._cassette.add(request, response)
        except OSError as error:
            raise NotRecorded(
                f"the recording {self.file} could not be written ({error.strerror or error})"
            ) from None

    def take(self, url: str, body: bytes) -> dict[str, Any]:
        """The next recorded answer to a request. Raises `Infrastructure` where there is none."""
        with self._lock:
            if left := self._left.get((url, body)):
                return left.popleft()
        raise Infrastructure(
            f"the recording {self.file} has no answer (left) to this request: what is asked has changed since"
        )


def _transport(traffic: Traffic, tls: ssl.SSLContext) -> httpx2.AsyncBaseTransport:
    import httpx2
    from vcr.request import Request as Recorded

    class Recording(httpx2.AsyncBaseTransport):
        def __init__(self) -> None:
            self._real = httpx2.AsyncHTTPTransport(verify=tls)

        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            body = await request.aread()
            url = str(request.url)
            if traffic.mode == "replay":
                found = traffic.take(url, body)
                headers = [(name, value) for name, values in found["headers"].items() for value in values]
                content = _as_bytes(found["body"]["string"])
                return httpx2.Response(found["status"]["code"], headers=headers, content=content)
            response = await self._real.handle_async_request(request)
            parts, size = [], 0
            try:
                check_encoding(response.headers)
                async for part in response.aiter_bytes():
                    parts.append(part)
                    size += len(part)
                    if size > LONGEST_ANSWER:
                        break  # whoever asked says so; what came is kept
            finally:
                await response.aclose()
            raw = without_key(
                b"".join(parts), request.headers.get("authorization", "").removeprefix("Bearer ")
            )
            kept = {name: value for name, value in response.headers.items() if name in _KEPT}
            traffic.keep(
                Recorded(request.method, url, body, {}),
                {
                    "status": {"code": response.status_code, "message": response.reason_phrase},
                    "headers": {name: [value] for name, value in kept.items()},
                    "body": {"string": raw},
                },
            )
            return httpx2.Response(response.status_code, headers=kept, content=raw)

        async def aclose(self) -> None:
            await self._real.aclose()

    return Recording()


def _as_bytes(body: object) -> bytes:
    return body if isinstance(body, bytes) else str(body or "").encode("utf-8")
