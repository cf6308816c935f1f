"""Cassette: a recording of model traffic in the format of vcrpy, which several processes may write to at once."""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from company_lab.formats.errors import WrongUse

_HEAD = b"interactions:\n"
_ENTRY = b"- request:"
_TAIL = b"version: 1\n"

Exchange = tuple[Any, Any]
"""A request and a response, as vcrpy has them."""


class Cassette:
    """The file of a recording.

    Exchanges are added at its end, each whole, under a lock that other processes respect; nothing that was written
    before is written again. Raises `WrongUse` where vcrpy is missing, named by `option`.
    """

    def __init__(self, file: Path, *, option: str) -> None:
        try:
            from vcr.serialize import deserialize, serialize
            from vcr.serializers import yamlserializer
        except ModuleNotFoundError:
            raise WrongUse(
                f"{option} uses vcrpy, which is not installed; try: pip install 'company-lab[recording]'"
            ) from None
        self.file = file
        self._option = option
        self._read: Any = lambda text: deserialize(text, yamlserializer)
        self._spell: Any = lambda cassette: serialize(cassette, yamlserializer)

    @property
    def digest(self) -> str:
        """SHA-256 of the file."""
        return hashlib.sha256(self.file.read_bytes()).hexdigest()

    def exchanges(self) -> list[Exchange] | None:
        """Everything that was recorded, in order; None where nothing is. Raises `WrongUse` for any other file."""
        try:
            with _locked(self.file, "rb", fcntl.LOCK_SH) as opened:
                return self._exchanges(opened.read())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise WrongUse(f"{self._option} {self.file}: {error.strerror}") from None

    def add(self, request: Any, response: dict[str, Any]) -> None:
        """Add one exchange."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.touch()
        with _locked(self.file, "r+b", fcntl.LOCK_EX) as opened:
            end = opened.seek(0, 2)
            opened.seek(max(0, end - len(_TAIL)))
            if end and opened.read() != _TAIL:  # its last writer was killed, or it was written by hand
                opened.seek(0)
                kept = self._exchanges(opened.read()) or []
                opened.seek(0)
                opened.truncate()
                opened.write(_HEAD + b"".join(map(self._entry, kept)) + _TAIL)
                end = opened.tell()
            opened.seek(max(0, end - len(_TAIL)))
            opened.truncate()
            opened.write((b"" if end else _HEAD) + self._entry((request, response)) + _TAIL)

    def _entry(self, exchange: Exchange) -> bytes:
        request, response = exchange
        text: str = self._spell({"requests": [request], "responses": [response]})
        return text.encode("utf-8").removeprefix(_HEAD).removesuffix(_TAIL)

    def _exchanges(self, text: bytes) -> list[Exchange] | None:
        if not text.strip():
            return None
        reasons: list[Exception] = []
        for candidate in (text, *_mended(text)):
            try:
                requests, responses = self._read(candidate.decode("utf-8"))
                for response in responses:
                    response["status"]["message"]  # the last that is written of an exchange
            except Exception as error:  # noqa: BLE001 - whatever a YAML file may do to vcrpy's reader
                reasons.append(error)
            else:
                return list(zip(requests, responses, strict=True))
        raise WrongUse(
            f"{self._option} {self.file}: this is no recording of model traffic ({reasons[0]})"
        ) from None


def _mended(text: bytes) -> Iterator[bytes]:
    """What a recording may have been before its writer was killed: with its last exchange, or without."""
    if not text.startswith(_HEAD) or text.endswith(_TAIL):
        return
    whole, _, rest = text.rpartition(b"\n")
    if _ENTRY.startswith(rest) or _TAIL.startswith(rest):
        yield whole + b"\n" + _TAIL
    before, found, _ = text.rpartition(b"\n" + _ENTRY)
    yield (before + b"\n" if found else _HEAD) + _TAIL


@contextmanager
def _locked(file: Path, mode: str, lock: int) -> Iterator[BinaryIO]:
    with file.open(mode) as opened:
        fcntl.flock(opened, lock)  # it goes with the file's closing
        yield opened  # type: ignore[misc]
