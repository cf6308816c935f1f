"""An agent in a process of its own: whatever becomes of it, what it did until then is judged, and nothing stays."""

from __future__ import annotations

import asyncio
import ctypes
import os
import selectors
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from company_lab.agents import wire
from company_lab.agents.conducts import reference
from company_lab.agents.functions import function_agent
from company_lab.agents.hostile import hostile
from company_lab.agents.pacing import Rate, paced
from company_lab.agents.protocol import Agent, Infrastructure, Session, Task, ToolError
from company_lab.company import SUITE
from company_lab.episodes import play
from company_lab.episodes.confined import Confinement, work
from company_lab.episodes.forkserver import ForkServer
from company_lab.episodes.isolated import play_isolated
from company_lab.episodes.play import tool_offers
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite
from company_lab.traces import Trace
from company_lab.worlds.registry import resolve_world
from depot import episode, results, settled
from isolation import TIGHT, isolated
from processes import children


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    before = children()
    descriptors = len(os.listdir("/dev/fd"))
    yield
    assert children() == before
    assert len(os.listdir("/dev/fd")) == descriptors


def stopped(trace: Trace) -> tuple[str, str]:
    (record,) = trace.by_kind("stopped")
    return record["reason"], record["detail"]


def says(session: Any, data: bytes) -> None:
    """Write on the line to the lab past the session."""
    os.write(session._line._says, data)


def ships(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    return "It is on its way."


# The same bytes as in this process


def reads_oddly(task: Task, session: Session) -> str:
    """Uses everything a session offers, well and badly."""
    told: list[object] = [str(task), task.sender, task.turn, task.at, task.events]
    told += [(tool.name, tool.writes, tool.parameters) for tool in task.tools]
    supplied: list[tuple[Any, object]] = [
        ("depot.get", {"id": "P-1"}),
        ("depot.get", {"id": "P-9"}),
        ("depot.get", {"z": 1, "a": 2}),
        ("depot.get", {"id": float("nan")}),
        ("depot.get", {"id": object}),
        ("depot.get", {1: 2}),
        ("depot.get", [1]),
        ("depot.get", '{"id": "P-1"}'),
        ("depot.get", '{"id": "P-1"'),
        ("depot.get", '{"id": NaN}'),
        ("depot.get", "\ud800"),
        ("depot.label", {"size": "s", "copies": 2.0, "anything": {"z": [1.5, None], "a": "\u2028é"}}),
        ("depot.ship", {"id": "P-2"}),
        ("depot.ship", {"id": "P-3"}),
        ("depot.nothing", {}),
        (7, {}),
        (None, 10**40),
    ]
    for tool, args in supplied:
        try:
            told.append(session.attempt(tool, args, by="writer", hint=tool))
        except ToolError as error:
            told.append((error.code, error.reason, str(error), error.detail))
    session.memory = {"seen": [task.turn, 2.0]}
    bad: list[Callable[[], object]] = [
        lambda: session.usage(cost_usd=Decimal(1)),  # type: ignore[arg-type]
        lambda: session.usage(input_tokens=-1),
        lambda: session.usage(model=object()),  # type: ignore[arg-type]
        lambda: session.choice(object(), 1),  # type: ignore[arg-type]
        lambda: setattr(session, "memory", {1}),
    ]
    for wrong in bad:
        try:
            wrong()
        except Exception as error:  # noqa: BLE001 - what is raised is what is compared
            told.append((type(error).__name__, str(error)))
    session.usage(input_tokens=3, output_tokens=4, cost_usd="0.0010", model="m-1")
    session.choice({"options": ["a", "b"]}, {"choice": "a", "p": 0.25})
    told += [session.memory, session.observe()]
    return repr(told)


async def waits_and_gathers(task: Task, session: Session) -> str:
    async def label(number: int) -> Any:
        await asyncio.sleep(0)
        return session.call("depot.label", size="s", anything=number)

    return repr(await asyncio.gather(*(label(number) for number in range(3))))


def raises(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    raise ValueError("no idea")


def interrupts(task: Task, session: Session) -> str:
    raise KeyboardInterrupt


async def exits_async(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    raise SystemExit(3)


def goes_on_after_the_limit(task: Task, session: Session) -> str:
    for number in range(30):
        try:
            session.call("depot.label", size="s", anything=number)
        except BaseException:  # noqa: BLE001 - it does not take an end for an end
            continue
    return "done"


def is_down(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    raise Infrastructure("503 from the model's host", retry_after="2")


def no_text(task: Task, session: Session) -> Any:
    return {"answer": 1}


def nothing(task: Task, session: Session) -> None:
    return None


@pytest.mark.parametrize(
    "act",
    [
        ships,
        reads_oddly,
        waits_and_gathers,
        raises,
        interrupts,
        exits_async,
        goes_on_after_the_limit,
        is_down,
        no_text,
        nothing,
    ],
)
def test_an_agent_leaves_the_same_trace_as_in_this_process(act: Any) -> None:
    event = {"at": "+1h", "id": "e1", "type": "parcel.arrived", "data": {"parcel": "P-9", "receiver": "x"}}
    keys: dict[str, Any] = {
        "events": [{**event, "wakes": True}],
        "limits": {"calls": 25},
        "stimulus": {"message": "Please\u2028see to it.", "from": "ida"},
        "people": {"ida": {}},
    }
    alone, apart = episode(act, trial=3, seed=5, **keys), isolated(act, trial=3, seed=5, **keys)
    assert apart.trace.text() == alone.trace.text()
    assert apart.timings.get("retry_after_s") == alone.timings.get("retry_after_s")


def by_reference(scenario: Scenario) -> Agent:
    act = reference(scenario).act if scenario.reference else hostile("idle").act
    return Agent(name="tests:agent", kind="scripted", act=act)


def test_the_shipped_suite_gives_the_same_traces() -> None:
    suite = load_suite(SUITE, worlds=lambda name: resolve_world(name).spec)
    chosen = suite.scenarios[::15]
    assert len(chosen) >= 15
    agents = {scenario.id: by_reference(scenario) for scenario in chosen}
    offers = tool_offers(resolve_world("company"))
    server = ForkServer(lambda job, descriptors: work(agents[job], offers, descriptors, Confinement()))
    try:
        for scenario in chosen:
            fixture, agent = resolve_world(scenario.world).prepare(scenario), agents[scenario.id]
            apart = play_isolated(
                fixture, agent, server, scenario.id, trial=2, seed=3, confinement=Confinement()
            )
            assert apart.trace.text() == play(fixture, agent, trial=2, seed=3).trace.text()
    finally:
        server.close()


# What goes wrong


def takes_memory(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    taken = []
    while True:
        taken.append(bytearray(10 << 20))


def swallows_memory_errors(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    taken = []
    for _ in range(100):
        try:
            taken.append(bytearray(10 << 20))
        except MemoryError:
            return f"{len(taken)}"
    return "as much as it wanted"


def computes(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    while True:
        pass


def exits(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    os._exit(3)


def crashes(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    ctypes.pythonapi.abort()
    return "never"


def kills_itself(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


def closes_its_pipes(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    os.closerange(3, 256)
    os._exit(0)


def floods_output(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    for _ in range(100):
        sys.stdout.write("x" * (1 << 20))
    return "done"


def floods_errors(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    for _ in range(100):
        os.write(2, b"y" * (1 << 20))
    return "done"


def sends_garbage(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    says(session, b"Traceback (most recent call last):\n")
    time.sleep(30)
    return "never"


def sends_half_a_line(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    says(session, b'{"kind":"call","id":5,"too')
    os._exit(0)


def never_ends_a_line(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    while True:
        says(session, b"x" * (1 << 16))


def hangs(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    time.sleep(30)
    return "never"


def hangs_in_c(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
    os.read(os.pipe()[0], 1)
    return "never"


def stops_itself(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    os.kill(os.getpid(), signal.SIGSTOP)
    return "never"


def says_half_a_line_and_hangs(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    says(session, b'{"kind":')
    time.sleep(30)
    return "never"


def asks_and_never_listens(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    request = wire.spell({"kind": "recall", "id": 1})
    while True:
        says(session, request)


@pytest.mark.wall_time
@pytest.mark.parametrize(
    ("act", "reason", "detail"),
    [
        (takes_memory, "agent_error", "MemoryError"),
        (computes, "agent_error", "its process used more than 1 s of processor time"),
        (exits, "agent_error", "its process ended with exit code 3"),
        (crashes, "agent_error", "its process was ended by SIGABRT"),
        (kills_itself, "agent_error", "its process was ended by SIGKILL"),
        (closes_its_pipes, "agent_error", "its process ended with exit code 0"),
        (floods_output, "output_limit", "more than 1000000 bytes were written"),
        (floods_errors, "output_limit", "more than 1000000 bytes were written"),
        (sends_garbage, "agent_error", "it begins 'Traceback (most recent call last):'"),
        (sends_half_a_line, "agent_error", "ended with exit code 0 in the middle of a message"),
        (never_ends_a_line, "output_limit", "sent in one line"),
        (hangs, "wall_limit", "its process was ended"),
        (hangs_in_c, "wall_limit", "its process was ended"),
        (stops_itself, "wall_limit", "its process was ended"),
        (says_half_a_line_and_hangs, "wall_limit", "its process was ended"),
        (asks_and_never_listens, "wall_limit", "its process was ended"),
    ],
)
def test_what_an_agent_did_stands_whatever_becomes_of_its_process(act: Any, reason: str, detail: str) -> None:
    limits: dict[str, Any] = {"limits": {"wall": "500ms"}} if reason == "wall_limit" else {}
    started = time.monotonic()
    trace = isolated(act, **limits).trace
    assert time.monotonic() - started < 20
    assert stopped(trace)[0] == reason, stopped(trace)
    assert detail in stopped(trace)[1]
    assert results(trace) == [("executed", "")]
    assert len(settled(trace)["ledgers"]["carrier"]) == 1
    if reason != "wall_limit":
        assert trace.text() == isolated(act, **limits).trace.text()


def test_a_crash_tells_where_it_was() -> None:
    assert "in crashes" in isolated(crashes).timings["stderr"]


def test_where_the_system_limits_no_memory_the_process_watches_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("company_lab.episodes.confined._data_bytes", lambda: None)

    def takes_memory_slowly(task: Task, session: Session) -> str:
        session.call("depot.ship", id="P-1")
        taken = []
        while True:
            taken.append(b"x" * (20 << 20))
            time.sleep(0.02)

    apart = isolated(takes_memory_slowly)
    assert stopped(apart.trace) == ("agent_error", "its process was ended by SIGKILL")
    assert "more memory was taken" in apart.timings["stderr"]
    assert results(apart.trace) == [("executed", "")]


def test_memory_is_refused_and_not_only_counted() -> None:
    reply = next(isolated(swallows_memory_errors).trace.by_kind("reply"))["text"]
    assert 3 <= int(reply) <= 40  # 10 MiB at a time, until a bound that the interpreter itself counts in


def test_a_call_that_was_sent_before_the_end_is_carried_out() -> None:
    def last_words(task: Task, session: Session) -> str:
        says(session, wire.spell({"kind": "call", "id": 1, "tool": "depot.ship", "args": {"id": "P-1"}}))
        os.kill(os.getpid(), signal.SIGKILL)
        return "never"

    assert results(isolated(last_words).trace) == [("executed", "")]


def test_a_flood_of_calls_ends_at_the_limit_of_calls() -> None:
    def pipelines(task: Task, session: Session) -> str:
        for number in range(1000):
            call: wire.Message = {"kind": "call", "id": number, "tool": "depot.label"}
            says(session, wire.spell({**call, "args": {"size": "s", "anything": number}}))
        return "done"

    trace = isolated(pipelines, limits={"calls": 30}).trace
    assert (trace.stop, settled(trace)["calls"]) == ("call_limit", 30)


def test_what_is_printed_is_kept_beside_the_trace_and_cut() -> None:
    def prints(task: Task, session: Session) -> str:
        sys.stdout.write("begin" + "x" * 50_000 + "end\n")
        sys.stderr.write("careful \udcff\n")
        return ships(task, session)

    apart = isolated(prints)
    assert apart.trace.stop == "finished"
    assert "begin" not in apart.trace.text()
    text = apart.timings["stdout"]
    assert text.startswith("beginxxx")
    assert text.endswith("xxxend\n")
    assert "bytes left out" in text
    assert len(text) < 9000
    assert apart.timings["stderr"] == "careful \\udcff\n"
    assert apart.timings["agent_cpu_ms"] > 0


def test_what_is_printed_is_kept_without_secrets() -> None:
    def prints(task: Task, session: Session) -> str:
        sys.stdout.write("the key is hush-hush-123\n")
        return ships(task, session)

    agent = function_agent(prints)
    assert isolated(agent).timings["stdout"] == "the key is hush-hush-123\n"
    kept = isolated(replace(agent, secrets=("hush-hush-123",)))
    assert kept.timings["stdout"] == "the key is (secret)\n"


def test_an_agent_that_reads_standard_input_finds_nothing() -> None:
    def asks(task: Task, session: Session) -> str:
        return repr(sys.stdin.read())

    assert next(isolated(asks).trace.by_kind("reply"))["text"] == "''"


def test_an_agent_that_crashes_leaves_its_traceback_in_standard_error() -> None:
    def breaks_the_session(task: Task, session: Any) -> str:
        session._line = None
        os.write(2, b"Fatal: out of luck\n")
        os._exit(9)

    assert "out of luck" in isolated(breaks_the_session).timings["stderr"]


def test_turns_share_a_process_and_episodes_do_not() -> None:
    kept: list[int] = []

    def remembers(task: Task, session: Session) -> str:
        kept.append(task.turn)
        return repr(kept)

    event = {"at": "+1h", "id": "e1", "type": "memo.written", "data": {"text": "x"}, "wakes": True}
    trace = isolated(remembers, events=[event]).trace
    assert [record["text"] for record in trace.by_kind("reply")] == ["[1]", "[1, 2]"]
    assert kept == []


def test_an_event_loop_lasts_from_turn_to_turn() -> None:
    loops: list[int] = []

    async def remembers(task: Task, session: Session) -> str:
        loops.append(id(asyncio.get_running_loop()))
        return str(len(set(loops)))

    event = {"at": "+1h", "id": "e1", "type": "memo.written", "data": {"text": "x"}, "wakes": True}
    trace = isolated(remembers, events=[event]).trace
    assert [record["text"] for record in trace.by_kind("reply")] == ["1", "1"]


def test_threads_of_an_agent_may_call_at_the_same_time() -> None:
    def many(task: Task, session: Session) -> str:
        def label(number: int) -> None:
            assert session.call("depot.label", size="s", anything=number)["anything"] == number

        threads = [threading.Thread(target=label, args=(number,)) for number in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return "done"

    trace = isolated(many, confinement=Confinement()).trace  # the stacks of threads count as memory
    assert (trace.stop, len(results(trace))) == ("finished", 20)


@pytest.mark.wall_time
def test_waiting_for_a_host_counts_for_no_limit() -> None:
    def asks_often(task: Task, session: Session) -> str:
        for _ in range(4):
            with session.pace("api.example.test"):
                pass
        return ships(task, session)

    with paced((), {"api.example.test": Rate(3)}):
        apart = isolated(asks_often, limits={"wall": "600ms"})
    assert apart.trace.stop == "finished"
    assert apart.timings["paced_ms"] == pytest.approx(1000, abs=300)
    assert apart.timings["wall_ms"] < 600


class ProcessFirst(selectors.PollSelector):
    """Tells of everything that has happened meanwhile at once, and of the youngest descriptor first."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        time.sleep(0.3)
        return sorted(super().select(timeout), key=lambda found: -found[0].fd)


def test_an_end_that_is_told_before_the_last_words_loses_none_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def leaves(task: Task, session: Session) -> str:
        session.call("depot.get", id="P-1")
        says(session, wire.spell({"kind": "call", "id": 9, "tool": "depot.ship", "args": {"id": "P-1"}}))
        os._exit(3)

    monkeypatch.setattr("company_lab.episodes.isolated.selectors.DefaultSelector", ProcessFirst)
    trace = isolated(leaves).trace
    assert stopped(trace) == ("agent_error", "its process ended with exit code 3")
    assert results(trace) == [("executed", ""), ("executed", "")]


def test_what_a_process_prints_of_its_agents_secrets_is_not_kept() -> None:
    def prints(task: Task, session: Session) -> str:
        sys.stdout.write("using hush-hush-123")
        return "done"

    agent = replace(function_agent(prints), secrets=("hush-hush-123",))
    assert isolated(agent).timings["stdout"] == "using (secret)"


COMMAND = """
import json, sys
for line in sys.stdin:
    task = json.loads(line)
    names = [tool["name"] for tool in task.get("tools", [])]
    print(json.dumps({"kind": "call", "id": "a", "tool": "depot.ship", "args": {"id": "P-1"}}), flush=True)
    print("working", file=sys.stderr)
    answer = json.loads(sys.stdin.readline())
    print(json.dumps({"kind": "reply", "text": f"{answer['kind']} {'depot.ship' in names}"}), flush=True)
"""


def test_any_program_that_speaks_the_protocol_can_be_an_agent() -> None:
    def become_command(job: str, descriptors: list[int]) -> None:
        hears, speaks, _, errors = descriptors
        for descriptor, place in ((hears, 0), (speaks, 1), (errors, 2)):
            os.dup2(descriptor, place)
        os.execv(sys.executable, [sys.executable, "-I", "-c", COMMAND])

    apart = isolated(ships, body=become_command, confinement=TIGHT)
    assert next(apart.trace.by_kind("reply"))["text"] == "result True"
    assert results(apart.trace) == [("executed", "")]
    assert apart.timings["stderr"] == "working\n"
