"""Pacing: how often a model's host is asked, over all threads and processes of a run.

A gate lets requests through evenly spaced. Its state lies in memory that forked processes share, behind a lock that
the system takes back from a process that dies. Processes that were not forked from this one know nothing of it.
"""

from __future__ import annotations

import asyncio
import fcntl
import mmap
import re
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from company_lab.agents.protocol import Infrastructure
from company_lab.agents.retry_after import seconds_to_wait
from company_lab.formats.errors import WrongUse

_RATE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)/(s|m|h)", re.ASCII)
_UNITS = {"s": 1, "m": 60, "h": 3600}
_STATE = struct.Struct("dQ")


@dataclass(frozen=True, slots=True)
class Rate:
    """So many requests a second, evenly spaced."""

    per_second: float

    @property
    def seconds_between(self) -> float:
        """From one request to the next."""
        return 1 / self.per_second


def parse_rate(text: str) -> Rate:
    """The rate of a text such as `5/s`, `90/m` or `1000/h`. Raises `WrongUse`."""
    match = _RATE.fullmatch(text)
    number = float(match[1]) / _UNITS[match[2]] if match else 0.0
    if not number:
        raise WrongUse(f"{text!r} is no rate such as 5/s, 90/m or 1000/h")
    return Rate(number)


class Gate:
    """The way to one host. Without a rate it lets everything through, unless the host asked for a pause."""

    def __init__(self, rate: Rate | None) -> None:
        import tempfile

        self._between = rate.seconds_between if rate else 0.0
        self._shared = mmap.mmap(-1, mmap.PAGESIZE)
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the gate, see `close`
        self._lock = threading.Lock()
        _STATE.pack_into(self._shared, 0, time.monotonic(), 0)

    def reserve(self) -> float:
        """Take the next place; seconds until its time comes."""
        with self._alone():
            free, asked = _STATE.unpack_from(self._shared)
            now = time.monotonic()
            place = max(now, free)
            _STATE.pack_into(self._shared, 0, place + self._between if self._between else free, asked + 1)
        return float(place - now)

    def hold(self, seconds: float) -> None:
        """Let nobody through for so many seconds."""
        with self._alone():
            free, asked = _STATE.unpack_from(self._shared)
            _STATE.pack_into(self._shared, 0, max(free, time.monotonic() + seconds), asked)

    @property
    def asked(self) -> int:
        """How many requests were announced, by all threads and processes."""
        return int(_STATE.unpack_from(self._shared)[1])

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with self._lock:
            fcntl.lockf(self._file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Give back memory and file."""
        self._file.close()
        self._shared.close()


_gates: dict[str, Gate] = {}


@contextmanager
def paced(hosts: Iterable[str], rates: Mapping[str, Rate]) -> Iterator[Mapping[str, Gate]]:
    """Inside the block requests to these hosts go through gates; a host without a rate is only held back.

    A limit belongs to the host and not to a run, so gates hold for everything in this process and in those
    forked from it inside the block.
    """
    made = {host: Gate(rates.get(host)) for host in {*hosts, *rates} if host not in _gates}
    _gates.update(made)
    try:
        yield made
    finally:
        for host, gate in made.items():
            del _gates[host]
            gate.close()


def reserve(host: str) -> float:
    """Take the next place at a host; seconds until its time comes. 0 where nothing limits it."""
    gate = _gates.get(host)
    return 0.0 if gate is None else gate.reserve()


def hold(host: str, seconds: float) -> None:
    """Let nobody ask a host for so many seconds."""
    gate = _gates.get(host)
    if gate is not None:
        gate.hold(seconds)


class Paced:
    """What `session.pace(host)` returns: `with` or `async with` it around a request.

    Entering waits for the request's turn. Where `Infrastructure` with a `retry_after` leaves the block, the host is
    left alone for that time, by everybody.
    """

    def __init__(
        self, host: str, reserve: Callable[[str], float], hold: Callable[[str, float], object]
    ) -> None:
        self._host = host
        self._reserve = reserve
        self._hold = hold

    def __enter__(self) -> Self:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            raise WrongUse(
                "in an async agent write `async with session.pace(host)`: others wait for the same loop"
            )
        time.sleep(self._reserve(self._host))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Infrastructure):
            seconds = seconds_to_wait(error.retry_after)
            if seconds:
                self._hold(self._host, seconds)

    async def __aenter__(self) -> Self:
        await asyncio.sleep(self._reserve(self._host))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)
