"""Confined: the agent's side of an isolated episode, in a process with limits of its own."""

from __future__ import annotations

import faulthandler
import fcntl
import io
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from company_lab.agents import wire
from company_lab.agents.pacing import Paced
from company_lab.agents.protocol import Agent, CostBasis, EpisodeStopped, Task, ToolOffer
from company_lab.episodes.acting import Act, Outcome, in_place, outcome_of
from company_lab.episodes.looping import OwnLoop, is_async
from company_lab.episodes.spending import read_cost, read_details, read_model, read_tokens
from company_lab.episodes.supplied import as_text
from company_lab.formats.canonical import Json, NotJson, boundary

_WATCH_S = 0.1
_READ = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """What an isolated episode may use up; its wall limit is the scenario's."""

    cpu_s: int = 60
    """Processor time of each of its processes, in seconds."""
    memory_bytes: int = 2 << 30
    """Memory that each of its processes may take beyond what it starts with."""
    output_bytes: int = 10_000_000
    """What it may write to standard output and standard error together."""


def confine(confinement: Confinement) -> None:
    """Set the limits of this process; those it starts inherit them."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _limit(resource.RLIMIT_CPU, confinement.cpu_s, reserve=1)
    taken = _data_bytes()
    if taken is None:
        threading.Thread(target=_watch_memory, args=(confinement.memory_bytes,), daemon=True).start()
    else:
        _limit(resource.RLIMIT_DATA, taken + confinement.memory_bytes)


def _limit(what: int, most: int, *, reserve: int = 0) -> None:
    _, hard = resource.getrlimit(what)
    ceiling = most + reserve if hard == resource.RLIM_INFINITY else min(hard, most + reserve)
    resource.setrlimit(what, (min(most, ceiling), ceiling))


def _data_bytes() -> int | None:
    """Private memory of this process, on systems that limit it (Linux); elsewhere None."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmData:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None


def _watch_memory(most: int) -> None:
    """The fallback: look at the highest amount of resident memory again and again, and end the process."""
    begun = _peak_bytes()
    while _peak_bytes() - begun <= most:
        time.sleep(_WATCH_S)
    os.write(2, b"company-lab: more memory was taken than is allowed\n")
    os.kill(os.getpid(), signal.SIGKILL)


def _peak_bytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def use_streams(output: int, errors: int) -> None:
    """Let these descriptors be standard output and standard error; standard input is empty."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for descriptor, place in ((nothing, 0), (output, 1), (errors, 2)):
        os.dup2(descriptor, place)
        os.close(descriptor)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - they live as long as the process
    sys.stdout, sys.stderr = _text(1), _text(2)
    faulthandler.enable(2)  # a crash tells where it was


def _out_of_the_way(descriptor: int) -> int:
    """A descriptor behind the three standard ones, which are free where the lab itself was started without them."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(descriptor)
    return moved


def _text(descriptor: int) -> io.TextIOWrapper:
    stream = open(descriptor, "wb", closefd=False)  # noqa: SIM115 - as above
    return io.TextIOWrapper(stream, encoding="utf-8", errors="backslashreplace", line_buffering=True)


class Line:
    """The line to the lab: one message out, one message in."""

    def __init__(self, hears: int, says: int) -> None:
        self._hears = hears
        self._says = says
        self._lines = wire.Lines(longest=1 << 62)
        self._waiting: list[bytes] = []

    def say(self, message: wire.Message) -> None:
        """Send a message, whole."""
        left = memoryview(wire.spell(message))
        while left:
            left = left[os.write(self._says, left) :]

    def hear(self) -> wire.Message | None:
        """The next message; None where the lab has closed the line."""
        while not self._waiting:
            data = os.read(self._hears, _READ)
            if not data:
                return None
            self._waiting = list(self._lines.feed(data))
        return wire.read_answer(self._waiting.pop(0))


class RemoteSession:
    """Implements `agents.protocol.Session` where the world is in another process."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._lock = threading.RLock()
        self._requests = 0

    def call(self, tool: str, /, **args: Any) -> Any:
        """Use a tool and return its JSON result, or raise `ToolError`."""
        return self.attempt(tool, args)

    def attempt(self, tool: str, args: object, /, *, by: str = "agent", hint: str | None = None) -> Any:
        """Use a tool with arguments as one object or as JSON text, or raise `ToolError`."""
        request: wire.Message = {"tool": as_text(tool), "by": as_text(by)}
        if hint is not None:
            request["hint"] = as_text(hint)
        if isinstance(args, str):
            request["text"] = str.__str__(args)
        else:
            try:
                request["args"] = boundary(args)
            except NotJson as error:
                request["unreadable"] = {"path": error.path, "reason": error.reason, "shown": as_text(args)}
        return self._ask("call", request)

    def observe(self) -> list[dict[str, Json]]:
        """Events that reached the company since the agent last looked."""
        return self._ask("observe", {})  # type: ignore[no-any-return]

    def usage(
        self,
        *,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
        cost_usd: str | None = None,
        model: str | None = None,
        cached_tokens: int | None = None,
        basis: CostBasis | None = None,
    ) -> None:
        """Report what a model call used; cost is a decimal text in USD, None means unknown."""
        cost = read_cost(cost_usd)
        read_tokens(input_tokens)
        read_tokens(output_tokens)
        named = read_model(model)
        report = {"input_tokens": input_tokens, "output_tokens": output_tokens, "cost_usd": cost_usd}
        more = read_details(cached_tokens, input_tokens, basis, cost)
        self._ask(
            "usage", {name: boundary(value) for name, value in report.items()} | {"model": named, **more}
        )

    def asked(
        self, *, role: str, model: str, attempt: int = 1, answer: Json = None, error: Json = None
    ) -> None:
        """Record one request to a model: what came back, or what kept an answer from coming."""
        named: wire.Message = {"role": as_text(role), "model": as_text(model)}
        named["attempt"] = read_tokens(attempt)
        self._ask("asked", {**named, "answer": boundary(answer), "error": boundary(error)})

    def choice(self, request: Json, answer: Json) -> None:
        """Record what a selector was asked and what it answered, raw."""
        self._ask("choice", {"request": boundary(request), "answer": boundary(answer)})

    @property
    def memory(self) -> Json:
        """JSON the world keeps for the agent; assigning it saves."""
        return self._ask("recall", {})  # type: ignore[no-any-return]

    @memory.setter
    def memory(self, value: Json) -> None:
        self._ask("remember", {"value": boundary(value)})

    def pace(self, host: str, *, role: str = "agent", model: str | None = None, attempt: int = 1) -> Paced:
        """To be put around each request to a model's host, with `with` or `async with`."""
        asking: wire.Message = {"role": as_text(role), "attempt": attempt}
        if model is not None:
            asking["model"] = as_text(model)
        return Paced(as_text(host), lambda at: self._reserve(at, asking), self._hold)

    def _reserve(self, host: str, asking: wire.Message) -> float:
        return float(self._ask("pace", {"host": host, **asking}))

    def _hold(self, host: str, seconds: float) -> None:
        self._ask("hold", {"host": host, "seconds": seconds})

    def _ask(self, kind: str, request: wire.Message) -> Any:
        with self._lock:
            self._requests += 1
            try:
                self._line.say({"kind": kind, "id": self._requests, **request})
                answered = self._line.hear()
            except BrokenPipeError:
                answered = None
        if answered is None:
            raise EpisodeStopped("cancelled", "the episode is over")
        return wire.value_of(answered)


def work(
    agent: Agent, tools: Sequence[ToolOffer], descriptors: Sequence[int], confinement: Confinement
) -> None:
    """Be the agent of one episode: take turns until the lab closes the line.

    `descriptors` are: what the lab says, what it hears, standard output, standard error.
    """
    hears, says, output, errors = (_out_of_the_way(descriptor) for descriptor in descriptors)
    use_streams(output, errors)
    _reseed()
    confine(confinement)
    line = Line(hears, says)
    session = RemoteSession(line)
    act = OwnLoop().act if is_async(agent.act) else in_place
    with suppress(BrokenPipeError):
        while (message := line.hear()) is not None:
            outcome = _turn(act, agent, wire.task_of(message, tools), session)
            sys.stdout.flush()
            line.say(_told(outcome))


def _turn(act: Act, agent: Agent, task: Task, session: RemoteSession) -> Outcome:
    try:
        return act(agent, task, session)  # type: ignore[arg-type]
    except (KeyboardInterrupt, SystemExit) as error:  # these two also go through event loops and main threads
        return outcome_of(error)


def _told(outcome: Outcome) -> wire.Message:
    if outcome.reason == "infrastructure_error":
        return {"kind": "outage", "detail": outcome.detail, "retry_after": outcome.retry_after}
    if outcome.reason is not None:
        return {"kind": "failed", "detail": outcome.detail}
    if outcome.reply is not None and not isinstance(outcome.reply, str):
        return {"kind": "reply", "other": type(outcome.reply).__name__}
    return {"kind": "reply", "text": None if outcome.reply is None else str.__str__(outcome.reply)}


def _reseed() -> None:
    """Each forked process would draw the same random numbers; the standard library sees to its own."""
    for module in ("numpy.random", "torch"):
        seed = getattr(sys.modules.get(module), "seed", None)
        if seed is not None:
            seed()
