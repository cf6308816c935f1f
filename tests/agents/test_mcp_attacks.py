"""Clients that flood, stall, hold on and leave: the world goes on for everybody else."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from company_lab.agents.mcp_connections import MOST
from company_lab.agents.mcp_desk import Desk
from company_lab.agents.mcp_host import Host
from company_lab.agents.protocol import Session, Task
from depot import run
from mcp_wire import HELLO, call, path_of, post, spelled, spoken
from processes import eventually

pytestmark = pytest.mark.loopback
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
READ = call("depot_get", {"id": "P-2"}, id=99)


@pytest.fixture
def host() -> Iterator[Host]:
    serving = Host()
    yield serving
    serving.close()


def works(host: Host, url: str, path: Path | None = None) -> bool:
    """Whether a client that behaves gets its answer, quickly."""
    begun = time.monotonic()
    _, answer = post(host, path_of(url), READ)
    good = answer["result"]["structuredContent"]["id"] == "P-2"
    if path is not None:
        *_, last = spoken(path, *map(spelled, (HELLO, READY, READ)), until=99)
        good = good and last["result"]["structuredContent"]["id"] == "P-2"
    return bool(good and time.monotonic() - begun < 10)


def local(path: Path) -> socket.socket:
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(10)
    line.connect(str(path))
    return line


@pytest.mark.fault("D04")
def test_thousands_of_calls_at_once_are_carried_out_in_order_and_answered_each(
    host: Host, tmp_path: Path
) -> None:
    many = 500
    heard: list[Any] = []

    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session), socket_path=tmp_path / "s")
        calls = (spelled(call("depot_get", {"id": f"P-{1 + n % 3}"}, id=n)) for n in range(1, many + 1))
        heard.extend(spoken(tmp_path / "s", spelled(HELLO), spelled(READY), *calls, answers=many + 1))
        door.close()
        return ""

    trace = run(agent, limits={"calls": many, "repeats": many, "output": 10_000_000})
    assert [record["hint"] for record in trace.by_kind("action")] == [str(n) for n in range(1, many + 1)]
    assert sorted(answer["id"] for answer in heard) == list(range(many + 1))


def test_calls_after_the_last_that_is_allowed_are_told_so_and_not_recorded(
    host: Host, tmp_path: Path
) -> None:
    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session), socket_path=tmp_path / "s")
        calls = [spelled(call("depot_get", {"id": f"P-{n}"}, id=n)) for n in range(1, 400)]
        answers = spoken(tmp_path / "s", spelled(HELLO), spelled(READY), *calls, answers=400)
        door.close()
        return str(sum('"call_limit"' in json.dumps(answer) for answer in answers))

    trace = run(agent, limits={"calls": 10})
    assert trace.stop == "call_limit"
    assert len(list(trace.by_kind("action"))) == 10


def test_clients_that_connect_and_say_nothing_keep_nobody_out(host: Host, tmp_path: Path) -> None:
    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session), socket_path=tmp_path / "s")
        with ExitStack() as silent:
            lines = [
                silent.enter_context(socket.create_connection(("127.0.0.1", host.port)))
                for _ in range(MOST + 50)
            ]
            half = f"POST {path_of(door.url)} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 500\r\n\r\n{{".encode()
            for line in lines[60:]:
                line.sendall(half)
            for _ in range(20):
                silent.enter_context(closing(local(tmp_path / "s")))
            answered = works(host, door.url, tmp_path / "s")
            lines[0].settimeout(5)
            cut_off = lines[0].recv(1) == b""
            door.close()
        return f"{answered} {cut_off}"

    trace = run(agent)
    assert next(trace.by_kind("reply"))["text"] == "True True"


@pytest.mark.wall_time
def test_a_client_that_reads_nothing_holds_up_itself_alone(host: Host, tmp_path: Path) -> None:
    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session), socket_path=tmp_path / "s")
        with closing(local(tmp_path / "s")) as deaf:
            deaf.settimeout(0.3)
            deaf.sendall(spelled(HELLO) + b"\n" + spelled(READY) + b"\n")
            listing = spelled({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}) + b"\n"
            with pytest.raises(TimeoutError):  # it is not listened to for ever
                deaf.sendall(listing * 500_000)
            answered = works(host, door.url, tmp_path / "s")
            begun = time.monotonic()
            door.close()
        return f"{answered} {time.monotonic() - begun < 5}"

    trace = run(agent)
    assert next(trace.by_kind("reply"))["text"] == "True True"


@pytest.mark.wall_time
def test_a_client_that_never_closes_is_cut_off_when_the_door_is_closed(host: Host, tmp_path: Path) -> None:
    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session), socket_path=tmp_path / "s")
        with closing(local(tmp_path / "s")) as line:
            line.sendall(spelled(HELLO) + b"\n")
            line.recv(1 << 16)
            begun = time.monotonic()
            door.close()
            return f"{line.recv(1 << 16)!r} {time.monotonic() - begun < 5}"

    assert next(run(agent).by_kind("reply"))["text"] == "b'' True"


def test_clients_beyond_the_most_of_a_world_are_turned_away(host: Host, tmp_path: Path) -> None:
    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session), socket_path=tmp_path / "s")
        with ExitStack() as open_lines:
            lines = [open_lines.enter_context(closing(local(tmp_path / "s"))) for _ in range(40)]
            told = [line.recv(1) for line in lines[32:]]
            others = works(host, door.url)
            door.close()
        return f"{told == [b''] * 8} {others}"

    assert next(run(agent).by_kind("reply"))["text"] == "True True"


def test_two_clients_at_once_share_one_world(host: Host, tmp_path: Path) -> None:
    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session), socket_path=tmp_path / "s")
        with closing(local(tmp_path / "s")) as one, closing(local(tmp_path / "s")) as other:
            for line in (one, other):
                line.sendall(spelled(HELLO) + b"\n" + spelled(READY) + b"\n")
                line.recv(1 << 16)
            one.sendall(spelled(call("depot_ship", {"id": "P-1"}, id=1)) + b"\n")
            shipped = json.loads(one.recv(1 << 16))["result"]["structuredContent"]["status"]
            other.sendall(spelled(call("depot_get", {"id": "P-1"}, id=1)) + b"\n")
            seen = json.loads(other.recv(1 << 16))["result"]["structuredContent"]["status"]
        door.close()
        return f"{shipped} {seen}"

    trace = run(agent)
    assert next(trace.by_kind("reply"))["text"].endswith(" sent")
    assert [record["tool"] for record in trace.by_kind("action")] == ["depot.ship", "depot.get"]


@pytest.mark.parametrize("requests", [100, 101])
def test_a_client_is_heard_again_when_one_of_a_hundred_requests_is_answered(
    host: Host, tmp_path: Path, requests: int
) -> None:
    goes_on = threading.Event()

    class Waits:
        def attempt(self, *_: object, **__: object) -> dict[str, str]:
            goes_on.wait(10)
            return {}

    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, Waits()), socket_path=tmp_path / "s")  # type: ignore[arg-type]
        with closing(local(tmp_path / "s")) as line:
            line.sendall(spelled(HELLO) + b"\n" + spelled(READY) + b"\n")
            line.recv(1 << 16)
            reads = [
                spelled(call("depot_get", {"id": "P-2"}, id=id)) + b"\n" for id in range(1, requests + 1)
            ]
            line.sendall(b"".join(reads) + b"no JSON\n")
            line.settimeout(5 if requests == 100 else 0.5)
            try:
                first = line.recv(1 << 16)
            except TimeoutError:
                first = b""
            goes_on.set()
            line.settimeout(10)
            heard = first
            while heard.count(b"\n") < requests + 1:
                heard += line.recv(1 << 16)
        door.close()
        return f"{b'-32700' in first} {b'-32700' in heard}"

    assert next(run(agent).by_kind("reply"))["text"] == f"{requests == 100} True"


def test_calls_that_do_not_come_back_hold_up_no_other_world(host: Host) -> None:
    stuck = threading.Semaphore(0)

    class Stuck:
        def attempt(self, *_: object, **__: object) -> None:
            stuck.release()
            threading.Event().wait()

    def agent(task: Task, session: Session) -> str:
        for _ in range(40):  # more than any pool of threads has
            door = host.open(Desk(task, Stuck()))  # type: ignore[arg-type]
            threading.Thread(target=post, args=(host, path_of(door.url), READ), daemon=True).start()
        assert all(stuck.acquire(timeout=10) for _ in range(40))
        assert works(host, host.open(Desk(task, session)).url)
        host._open.clear()  # closing them properly waits for what they still do
        return ""

    assert run(agent).stop == "finished"


def test_whoever_looks_for_events_after_a_crash_is_told_that_it_is_over() -> None:
    seen: list[str] = []

    def agent(task: Task, session: Session) -> str:
        desk = Desk(task, session)
        desk.call("depot_get", {"id": "P-1"})
        seen.append(desk.events())
        if desk.broken is not None:
            raise desk.broken
        return ""

    crash = {"on": "depot.get", "kind": "crash", "at": "answered", "restart": "task"}
    assert run(agent, faults=[crash]).stop == "finished"
    assert seen == ["stopped: the episode is over (cancelled)", "[]"]


def test_a_socket_that_can_not_be_made_leaves_nothing_open(host: Host, tmp_path: Path) -> None:
    def agent(task: Task, session: Session) -> str:
        for _ in range(3):
            with pytest.raises(FileNotFoundError):
                host.open(Desk(task, session), socket_path=tmp_path / "none" / "mcp.sock")
        return ""

    assert run(agent).stop == "finished"
    left = [task for task in asyncio.all_tasks(host._loop) if "_serve" in repr(task) and not task.done()]
    assert eventually(lambda: all(task.done() for task in left))
