"""Whatever an agent writes down has an end: looks, reports, names, and answers that there is no room for."""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import EpisodeStopped, Session, Task
from company_lab.episodes.acting import in_place
from company_lab.episodes.captured import Captured
from company_lab.episodes.play import LiveEpisode
from company_lab.episodes.shortened import shortened
from company_lab.episodes.wall_time import WallTime
from company_lab.formats.canonical import canonical
from depot import run, scenario, world

LIMITED = {"output": 20_000, "wall": "30s"}


@pytest.mark.parametrize("kind", ["observation", "usage", "model", "choice", "memory"])
def test_who_never_stops_looking_and_reporting_is_stopped(kind: str) -> None:
    def act(task: Task, session: Session) -> str:
        does: dict[str, Any] = {
            "observation": session.observe,
            "usage": lambda: session.usage(cost_usd="0"),
            "model": lambda: session.asked(role="agent", model="m"),
            "choice": lambda: session.choice(None, None),
            "memory": lambda: setattr(session, "memory", None),
        }
        for _ in itertools.count():
            does[kind]()
        return ""

    trace = run(act, limits=LIMITED)
    assert trace.stop == "output_limit"
    assert 100 < len(list(trace.by_kind(kind))) < 5_000


def test_a_name_is_no_way_around_the_limit_on_output() -> None:
    long = "x" * 1_000_000

    def act(task: Task, session: Session) -> str:
        session.asked(role=long, model=long)
        session.usage(model=long)
        session.attempt("depot.get", {"id": "P-1"}, by=long)
        return "done"

    trace = run(act, limits=LIMITED)
    assert trace.stop == "finished"
    assert len(trace.bytes()) < 20_000
    assert next(trace.by_kind("action"))["by"] == "x" * 200


def test_nothing_is_told_of_what_was_paid_once_an_episode_is_over() -> None:
    sessions: list[Session] = []

    def act(task: Task, session: Session) -> str:
        sessions.append(session)
        session.asked(role="agent", model="m", answer="x" * 30_000)
        return "done"

    live = LiveEpisode(world.prepare(scenario(limits=LIMITED)), function_agent(act), trial=1, seed=0)
    live.run(in_place)
    live.session.close("cancelled")
    with pytest.raises(EpisodeStopped):
        sessions[0].usage(cost_usd="1")
    assert not list(live.trace.by_kind("usage"))


@pytest.mark.parametrize(
    ("value", "room"),
    [
        ({"content": "x" * 1000}, 2),
        ({"a": {"content": "x" * 1000}}, 3),
        ([[]] * 1000, 10),
        ([""] * 1000, 10),
        ([{}] * 1000, 10),
        ([None] * 1000, 10),
        ({"a": [{"b": [[]] * 50}] * 50}, 20),
    ],
)
def test_what_is_shortened_has_little_more_than_there_is_room_for(value: Any, room: int) -> None:
    assert len(canonical(shortened(value, room))) < 10 * room


def test_a_wait_that_is_not_over_has_not_been_waited() -> None:
    wall = WallTime(begun=time.monotonic(), limit_s=1)
    wall.put_off(3600)
    assert wall.left() > 3600
    assert 0 <= wall.paced_s < 60
    wall.put_off(1800)  # at the same time
    assert wall.left() < 3602


def test_what_an_agent_would_have_waited_for_and_did_not_makes_no_episode_quicker() -> None:
    def act(task: Task, session: Any) -> str:
        session.wall.put_off(3600)
        return "done"

    live = LiveEpisode(world.prepare(scenario()), function_agent(act), trial=1, seed=0)
    live.run(in_place)
    assert live.finish().timings["wall_ms"] >= 0


@pytest.mark.parametrize("text", ["ü" * 100, "x" * 3_999 + "ü", "x" * 3_999 + "ü" * 2_000])
def test_what_was_kept_whole_is_shown_whole(text: str) -> None:
    captured = Captured("stdout")
    data = text.encode()
    for start in range(0, len(data), 1000):
        captured.add(data[start : start + 1000])
    assert captured.text() == text


def test_of_what_was_too_much_the_beginning_and_the_end_are_shown() -> None:
    captured = Captured("stdout")
    captured.add(b"a" * 5_000 + b"b" * 5_000)
    assert captured.text() == "a" * 4_000 + "\n… 2,000 bytes left out …\n" + "b" * 4_000
