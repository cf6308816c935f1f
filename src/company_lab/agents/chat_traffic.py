"""Recording of model traffic for development, and replaying it, in cassettes of vcrpy.

A replayed episode says something about the loop around a model, and nothing about the model: the answers are old.
"""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from company_lab.agents.chat_host import LONGEST_ANSWER, without_key
from company_lab.agents.protocol import Infrastructure
from company_lab.formats.errors import WrongUse

if TYPE_CHECKING:
    import ssl

    import httpx2

_KEPT = frozenset({"content-type", "retry-after", "retry-after-ms"})
"""Headers of answers that are kept. Those of requests, which carry keys, are not."""


class Traffic:
    """One cassette, being written or being played.

    A recording that is there already is added to. Playing gives each recorded answer once, in the order of
    recording, to a request with the same address and body.
    """

    def __init__(self, file: Path, mode: Literal["record", "replay"]) -> None:
        try:
            from vcr.persisters.filesystem import CassetteNotFoundError, FilesystemPersister
            from vcr.serializers import yamlserializer
        except ModuleNotFoundError:
            raise WrongUse(
                f"--{mode} uses vcrpy, which is not installed; try: pip install 'company-lab[recording]'"
            ) from None
        self.file = file
        self.mode = mode
        self._lock = threading.Lock()
        self._save: Any = lambda cassette: FilesystemPersister.save_cassette(file, cassette, yamlserializer)
        self._played: list[tuple[Any, Any]] = []
        self._left: list[tuple[Any, Any]] = []
        try:
            requests, responses = FilesystemPersister.load_cassette(file, yamlserializer)
        except CassetteNotFoundError:
            if mode == "replay":
                raise WrongUse(f"--replay {file}: there is no such recording") from None
            return
        except Exception as error:  # noqa: BLE001 - whatever a YAML file may do to vcrpy's reader
            raise WrongUse(f"--{mode} {file}: this is no recording of model traffic ({error})") from None
        kept = list(zip(requests, responses, strict=True))
        if mode == "replay":
            self._left = kept
        else:
            self._played = kept

    @property
    def digest(self) -> str:
        """SHA-256 of the recording that is played."""
        return hashlib.sha256(self.file.read_bytes()).hexdigest()

    def transport(self, tls: ssl.SSLContext) -> httpx2.AsyncBaseTransport:
        """Carries requests to the host and writes down what came, or answers them from the recording."""
        return _transport(self, tls)

    def keep(self, request: Any, response: dict[str, Any]) -> None:
        """Add one exchange and save all of them."""
        with self._lock:
            self._played.append((request, response))
            requests, responses = zip(*self._played, strict=True)
            self._save({"requests": list(requests), "responses": list(responses)})

    def take(self, url: str, body: bytes) -> dict[str, Any]:
        """The next recorded answer to a request. Raises `Infrastructure` where there is none."""
        with self._lock:
            for index, (request, response) in enumerate(self._left):
                if request.uri == url and _as_bytes(request.body) == body:
                    del self._left[index]
                    return response  # type: ignore[no-any-return]
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
