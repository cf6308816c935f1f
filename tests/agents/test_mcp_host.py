"""Worlds served to other processes: over HTTP on loopback and over a local socket."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from company_lab.agents.mcp_bridge import bridge
from company_lab.agents.mcp_desk import Desk
from company_lab.agents.mcp_host import Host
from company_lab.agents.mcp_messages import LONGEST
from company_lab.agents.protocol import Session, Task
from company_lab.formats.errors import WrongUse
from depot import run
from mcp_wire import HELLO, call, path_of, post, spelled, spoken
from processes import eventually

pytestmark = pytest.mark.loopback


@pytest.fixture
def host() -> Iterator[Host]:
    serving = Host()
    yield serving
    serving.close()


def test_two_episodes_at_once_do_not_see_each_other(host: Host) -> None:
    seen: list[object] = []

    def inner(task: Task, session: Session) -> str:
        mine = host.open(Desk(task, session))
        seen.append(post(host, path_of(mine.url), call("depot_ship", {"id": "P-1"}))[0])
        mine.close()
        return ""

    def outer(task: Task, session: Session) -> str:
        mine = host.open(Desk(task, session))
        other = run(inner)
        seen.append(len(list(other.by_kind("effect"))))
        _, answer = post(host, path_of(mine.url), call("depot_get", {"id": "P-1"}))
        seen.append(answer["result"]["structuredContent"]["status"])
        mine.close()
        return ""

    trace = run(outer)
    assert seen == [200, 1, "waiting"]
    assert [record["tool"] for record in trace.by_kind("action")] == ["depot.get"]


def test_only_who_knows_the_address_gets_in_and_only_while_it_is_open(host: Host) -> None:
    statuses: list[int] = []

    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session))
        path = path_of(door.url)
        for tried in (path, "/mcp", "/", path[:10] + "/mcp"):
            statuses.append(post(host, tried, call("depot_get", {"id": "P-1"}))[0])
        door.close()
        door.close()
        statuses.append(post(host, path, call("depot_get", {"id": "P-1"}))[0])
        return ""

    trace = run(agent)
    assert statuses == [200, 404, 404, 404, 404]
    assert len(list(trace.by_kind("action"))) == 1


def test_pages_of_a_browser_are_turned_away(host: Host) -> None:
    statuses: list[int] = []

    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session))
        statuses.append(post(host, path_of(door.url), HELLO, {"host": "evil.example:80"})[0])
        statuses.append(post(host, path_of(door.url), HELLO, {"origin": "https://evil.example"})[0])
        door.close()
        return ""

    run(agent)
    assert statuses == [421, 403]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"jsonrpc": "2.0"}', b"\xff\xfe", b"9" * 5000])
def test_nonsense_is_answered_with_an_error_and_reaches_nothing(host: Host, body: bytes) -> None:
    statuses: list[int] = []

    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session))
        statuses.append(post(host, path_of(door.url), body)[0])
        statuses.append(post(host, path_of(door.url), call("depot_get", {"id": "P-1"}))[0])
        door.close()
        return ""

    trace = run(agent)
    assert 400 <= statuses[0] < 500
    assert statuses[1] == 200
    assert len(list(trace.by_kind("action"))) == 1


def test_the_local_socket_speaks_as_over_stdio(host: Host, tmp_path: Path) -> None:
    answers: list[Any] = []

    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session), socket_path=tmp_path / "s")
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        lines = [HELLO, ready, call("depot_get", {"id": "P-1"}), call("depot_get", '{"id"', 2)]
        answers.extend(spoken(tmp_path / "s", b"nonsense", b"", *map(spelled, lines), answers=4))
        door.close()
        return ""

    trace = run(agent)
    by_id = {answer.get("id"): answer for answer in answers}
    assert by_id[None]["error"]["code"] == -32700
    assert by_id[1]["result"]["structuredContent"]["id"] == "P-1"
    assert by_id[2]["result"]["isError"] is True
    assert len(list(trace.by_kind("action"))) == 2
    assert not (tmp_path / "s").exists()


def test_a_line_that_is_too_long_is_answered_and_nothing_else_happens(host: Host, tmp_path: Path) -> None:
    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session), socket_path=tmp_path / "s")
        refused, hello = spoken(tmp_path / "s", b"x" * (2 * LONGEST + 10), spelled(HELLO), answers=2)
        assert refused["error"]["message"] == f"a message of {2 * LONGEST + 11} bytes; {LONGEST} are allowed"
        assert hello["id"] == 0
        door.close()
        return ""

    assert run(agent).stop == "finished"


def test_the_bridge_carries_both_ways_until_the_lab_closes_it(host: Host, tmp_path: Path) -> None:
    reads, says = os.pipe()
    hears, writes = os.pipe()

    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session), socket_path=tmp_path / "s")
        carrying = threading.Thread(
            target=bridge, args=(str(tmp_path / "s"),), kwargs={"reads": reads, "writes": writes}
        )
        carrying.start()
        os.write(says, json.dumps(HELLO).encode() + b"\n")
        answer = json.loads(os.read(hears, 1 << 16))
        door.close()
        carrying.join(5)
        assert not carrying.is_alive()
        return str(answer["id"])

    assert next(run(agent).by_kind("reply"))["text"] == "0"
    for descriptor in (says, reads, hears, writes):
        os.close(descriptor)


def test_the_bridge_says_where_it_should_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COMPANY_LAB_MCP_SOCKET", raising=False)
    with pytest.raises(WrongUse, match="which episode"):
        bridge()
    with pytest.raises(WrongUse, match="it is over, or was never there"):
        bridge(str(tmp_path / "nothing"))


def test_a_port_that_is_taken_is_wrong_use(host: Host) -> None:
    with pytest.raises(WrongUse, match=f"port {host.port} can not be used"):
        Host(host.port)


def test_a_client_that_does_not_wait_has_attempted_all_the_same(host: Host) -> None:
    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session))
        path = path_of(door.url)
        body = spelled(call("depot_ship", {"id": "P-1"}))
        head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{host.port}\r\ncontent-type: application/json\r\n"
        more = f"accept: application/json, text/event-stream\r\ncontent-length: {len(body)}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", host.port)) as line:
            line.sendall(head.encode() + more.encode() + body)
        arrived = eventually(
            lambda: (
                post(host, path, call("depot_get", {"id": "P-1"}))[1]["result"]["structuredContent"]["status"]
                == "sent"
            )
        )
        door.close()
        return str(arrived)

    trace = run(agent)
    assert next(trace.by_kind("reply"))["text"] == "True"
    assert len(list(trace.by_kind("effect"))) == 1
