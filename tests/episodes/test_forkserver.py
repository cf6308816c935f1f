"""Processes that start others: quickly, from any thread, and leaving nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from company_lab.episodes.forkserver import Forked, ForkServer, ForkServerLost
from processes import children, eventually, is_alive

Job = Callable[[int], None]


def say(out: int, text: str) -> None:
    os.write(out, text.encode())


def wait_for_ever(out: int) -> None:
    time.sleep(60)


@contextmanager
def serving(**jobs: Job) -> Iterator[ForkServer]:
    """A server whose processes do one of these jobs; each writes to the descriptor it is given."""
    before = children()
    server = ForkServer(lambda job, descriptors: jobs[job](descriptors[0]))
    try:
        yield server
    finally:
        server.close()
        while STARTED:
            STARTED.pop().close()
        assert children() == before


STARTED: list[Forked] = []


def start(server: ForkServer, job: str) -> tuple[Forked, int]:
    """Start a job; its process and the descriptor from which its words can be read."""
    reads, writes = os.pipe()
    try:
        process = server.start(job, [writes])
    finally:
        os.close(writes)
    STARTED.append(process)
    return process, reads


def said(reads: int) -> bytes:
    """Everything a job says until nobody can say more."""
    with open(reads, "rb") as file:
        return file.read()


def test_a_process_gets_its_job_and_its_descriptors_and_how_it_ended_is_told() -> None:
    with serving(speak=lambda out: say(out, "hello")) as server:
        process, reads = start(server, "speak")
        assert said(reads) == b"hello"
        ended = process.wait(5)
        assert ended is not None
        assert (ended.code, str(ended)) == (0, "ended with exit code 0")
        assert process.ended() == ended


@pytest.mark.parametrize(
    ("job", "code", "told"),
    [
        (lambda out: os._exit(7), 7, "ended with exit code 7"),
        (lambda out: sys.exit(3), 1, "ended with exit code 1"),
        (lambda out: os.kill(os.getpid(), signal.SIGTERM), -15, "was ended by SIGTERM"),
    ],
)
def test_every_way_to_end_is_told(job: Job, code: int, told: str) -> None:
    with serving(job=job) as server:
        process, reads = start(server, "job")
        os.close(reads)
        ended = process.wait(5)
        assert ended is not None
        assert (ended.code, str(ended)) == (code, told)


def test_processor_time_is_told() -> None:
    def works(out: int) -> None:
        until = time.process_time() + 0.2
        while time.process_time() < until:
            pass

    with serving(works=works) as server:
        process, reads = start(server, "works")
        os.close(reads)
        ended = process.wait(10)
        assert ended is not None
        assert 0.15 < ended.cpu_s < 1


def test_what_the_asking_process_did_later_is_unknown_to_the_others() -> None:
    told = ["before"]
    with serving(tell=lambda out: say(out, told[0])) as server:
        told[0] = "after"
        process, reads = start(server, "tell")
        assert said(reads) == b"before"
        process.wait(5)


def test_many_threads_start_processes_at_the_same_time() -> None:
    with serving(tell=lambda out: say(out, str(os.getpid()))) as server:
        found: list[tuple[int, bytes]] = []

        def ask() -> None:
            for _ in range(5):
                process, reads = start(server, "tell")
                found.append((process.pid, said(reads)))
                process.close()

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(found) == 40
    assert all(str(pid).encode() == told for pid, told in found)
    assert len(dict(found)) == 40


def forks_children(out: int) -> None:
    for _ in range(3):
        if os.fork() == 0:
            wait_for_ever(out)
        os.write(out, b".")
    os.write(out, b"\n")


def hides_a_daemon(out: int) -> None:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(out, f"{os.getpid()}\n".encode())
            os.closerange(0, 256)
            wait_for_ever(out)
        os._exit(0)
    os.wait()
    time.sleep(0.2)


def test_what_a_process_leaves_behind_ends_with_it() -> None:
    with serving(forks=forks_children) as server:
        process, reads = start(server, "forks")
        assert said(reads) == b"...\n"  # this ends only when all three are gone
        process.wait(5)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process adopt orphans")
def test_what_hides_in_a_session_of_its_own_ends_too() -> None:
    with serving(hides=hides_a_daemon, waits=wait_for_ever) as server:
        other, unused = start(server, "waits")
        os.close(unused)
        process, reads = start(server, "hides")
        with open(reads, "rb") as file:
            daemon = int(file.readline())
        assert is_alive(daemon)
        process.wait(5)
        assert is_alive(daemon)  # whose it is nobody can tell while the other one runs
        other.kill()
        assert eventually(lambda: not is_alive(daemon))


def test_a_process_is_killed_with_its_children() -> None:
    def forks_and_waits(out: int) -> None:
        child = os.fork()
        if child:
            os.write(out, f"{child}\n".encode())
        wait_for_ever(out)

    with serving(job=forks_and_waits) as server:
        process, reads = start(server, "job")
        with open(reads, "rb") as file:
            grandchild = int(file.readline())
        process.kill()
        ended = process.wait(5)
        assert ended is not None
        assert ended.code == -9
        assert eventually(lambda: not is_alive(grandchild))


def test_letting_go_of_a_process_ends_it() -> None:
    with serving(waits=wait_for_ever) as server:
        process, reads = start(server, "waits")
        process.close()
        assert said(reads) == b""


def test_closing_ends_everything() -> None:
    with serving(waits=wait_for_ever) as server:
        started = [start(server, "waits") for _ in range(4)]
        server.close()
        assert not any(is_alive(process.pid) for process, _ in started)
        for _, reads in started:
            os.close(reads)
        with pytest.raises(ForkServerLost):
            server.start("waits", [0])


def test_when_the_server_is_killed_that_is_noticed_and_nothing_is_left() -> None:
    with serving(waits=wait_for_ever) as server:
        process, reads = start(server, "waits")
        os.kill(server._pid, signal.SIGKILL)
        ended = process.wait(5)
        assert ended is not None
        assert ended.code == -9
        assert said(reads) == b""
        with pytest.raises(ForkServerLost):
            server.start("waits", [0])


PARENT = """
import os, sys, time
from company_lab.episodes.forkserver import ForkServer
server = ForkServer(lambda job, descriptors: time.sleep(60))
started = [server.start("", [1]) for _ in range(3)]
print(server._pid, *(process.pid for process in started), flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_everything_ends_with_the_asking_process_however_that_ends(number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, encoding="ascii", start_new_session=True
    ) as parent:
        try:
            assert parent.stdout is not None
            pids = [int(pid) for pid in parent.stdout.readline().split()]
            assert len(pids) == 4
            assert all(map(is_alive, pids))
            if number == signal.SIGKILL:
                parent.kill()
            else:  # to the whole group, as terminals and CI systems do: the server must not be the first to go
                os.killpg(parent.pid, number)
            parent.wait(5)
            assert eventually(lambda: not any(map(is_alive, pids)))
        finally:
            parent.kill()


def test_random_numbers_differ_from_process_to_process() -> None:
    import random

    def draw(out: int) -> None:
        say(out, str(random.random()))

    with serving(draw=draw) as server:
        drawn = set()
        for _ in range(3):
            process, reads = start(server, "draw")
            drawn.add(said(reads))
            process.wait(5)
    assert len(drawn) == 3
