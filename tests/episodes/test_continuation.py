"""An interrupted episode goes on from a database file in a new process, and is marked as what it is."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import interrupted
from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Session, Task
from company_lab.episodes import Episode, play
from company_lab.episodes.continuation import play_on, play_until_crash
from company_lab.episodes.kept_world import NotKept
from company_lab.evaluation import judge
from company_lab.evaluation.figures import figures
from company_lab.evaluation.summaries import summarise
from company_lab.formats.errors import WrongUse
from company_lab.runs.episode import StoredEpisode
from company_lab.traces import Trace
from company_lab.worlds.fixture import Fixture
from depot import episode, scenario, settled, world

AGENT = function_agent(interrupted.works, name="interrupted:works")


def crash(at: str, **more: Any) -> dict[str, Any]:
    return {"on": "depot.ship", "kind": "crash", "at": at, **more}


def in_a_process(what: str, file: Path, faults: list[dict[str, Any]]) -> str | None:
    """What a process of its own played, or None where it kept the world and ended."""
    ran = subprocess.run(
        [sys.executable, interrupted.__file__, what, str(file), json.dumps(faults)],
        capture_output=True,
        encoding="utf-8",
        timeout=150,
        check=False,
        env={"PYTHONPATH": ":".join(path for path in sys.path if path)},
    )
    assert ran.returncode in (0, 7), ran.stderr
    return ran.stdout if ran.returncode == 0 else None


def fixture(faults: list[dict[str, Any]]) -> Fixture:
    return world.prepare(scenario(**interrupted.keys([*faults])))


def apart_from_its_beginning(trace: Trace) -> list[dict[str, Any]]:
    return trace.records[1:]


@pytest.mark.parametrize("restart", ["task", "transcript", "checkpoint"])
@pytest.mark.parametrize("point", ["before", "after", "answered", "saved"])
def test_going_on_from_the_file_is_as_if_nothing_had_been_in_between(
    point: str, restart: str, tmp_path: Path
) -> None:
    faults = [crash(point, restart=restart)]
    whole = episode(AGENT, trial=3, seed=5, **interrupted.keys([*faults]))
    assert play_until_crash(fixture(faults), AGENT, tmp_path / "kept.db", trial=3, seed=5) is None
    went_on = play_on(tmp_path / "kept.db", fixture(faults), AGENT)
    assert went_on is not None
    assert apart_from_its_beginning(went_on.trace) == apart_from_its_beginning(whole.trace)


def test_another_process_opens_the_file_and_goes_on(tmp_path: Path) -> None:
    file, faults = (
        tmp_path / "kept.db",
        [crash("after"), crash("before", attempt=2), crash("saved", occurrence=2)],
    )
    assert in_a_process("begin", file, faults) is None
    assert in_a_process("on", file, faults) is None
    assert in_a_process("on", file, faults) is None
    text = in_a_process("on", file, faults)
    assert text is not None
    trace = Trace([json.loads(line) for line in text.splitlines()])
    whole = episode(AGENT, trial=3, seed=5, **interrupted.keys([*faults]))
    assert apart_from_its_beginning(trace) == apart_from_its_beginning(whole.trace)
    assert (trace.header["episode"], trace.header["life"]) == ("continuation", 4)
    assert (trace.header["trial"], trace.header["seed"]) == (3, 5)
    assert len(settled(trace)["ledgers"]["carrier"]) == 2


def test_the_file_is_a_database_anybody_can_read(tmp_path: Path) -> None:
    faults = [crash("after", on="depot.ship", occurrence=2)]
    play_until_crash(fixture(faults), AGENT, tmp_path / "kept.db")
    with closing(sqlite3.connect(tmp_path / "kept.db")) as database:
        records = dict(database.execute("SELECT id, record FROM records WHERE \"table\" = 'parcels'"))
        keys = database.execute("SELECT provider, key, since_ms FROM keys ORDER BY since_ms").fetchall()
        ledger = [
            json.loads(entry)["payload"]["parcel"]
            for (entry,) in database.execute("SELECT entry FROM ledger")
        ]
        inbox = database.execute("SELECT due_ms FROM inbox").fetchall()
    assert json.loads(records["P-1"])["status"] == "sent"
    assert [(provider, key) for provider, key, _ in keys] == [
        ("carrier", "ship-P-1"),
        ("carrier", "ship-P-2"),
    ]
    assert 0 < keys[0][2] < keys[1][2]
    assert ledger == ["P-1", "P-2"]
    assert inbox == [(7_200_000,)]


def test_keys_are_as_old_as_they_were(tmp_path: Path) -> None:
    def ships(by: str) -> int:
        faults = [crash("after", by=by)]
        play_until_crash(fixture(faults), AGENT, tmp_path / "kept.db")
        went_on = play_on(tmp_path / "kept.db", fixture(faults), AGENT)
        assert went_on is not None
        return len(settled(went_on.trace)["ledgers"]["carrier"])

    assert (ships("23h"), ships("25h")) == (2, 3)


def test_an_episode_without_a_crash_needs_no_file(tmp_path: Path) -> None:
    played = play_until_crash(fixture([]), AGENT, tmp_path / "kept.db")
    assert played is not None
    assert played.trace.header["episode"] == "fresh"
    assert not (tmp_path / "kept.db").exists()


def test_the_limits_hold_over_all_lives(tmp_path: Path) -> None:
    def asks_much(task: Task, session: Session) -> str:
        for _ in range(3):
            session.call("depot.get", id="P-1")
        session.call("depot.ship", id="P-1", key="k")
        session.call("depot.get", id="P-1")
        return "Done."

    agent = function_agent(asks_much, name="tests:asks_much")
    keys: dict[str, Any] = {"faults": [crash("after")], "limits": {"calls": 7}}
    prepared = world.prepare(scenario(**keys))
    assert play_until_crash(prepared, agent, tmp_path / "kept.db") is None
    went_on = play_on(tmp_path / "kept.db", prepared, agent)
    assert went_on is not None
    assert went_on.trace.stop == "call_limit"


def test_a_call_made_again_after_a_crash_is_no_circle(tmp_path: Path) -> None:
    def asks_much(task: Task, session: Session) -> str:
        for _ in range(4):
            session.call("depot.get", id="P-1")
        session.call("depot.ship", id="P-1", key="k")
        return "Done."

    agent = function_agent(asks_much, name="tests:asks_much")
    keys: dict[str, Any] = {"faults": [crash("after")], "limits": {"repeats": 4}}
    prepared = world.prepare(scenario(**keys))
    assert play_until_crash(prepared, agent, tmp_path / "kept.db") is None
    went_on = play_on(tmp_path / "kept.db", prepared, agent)
    assert went_on is not None
    assert went_on.trace.stop == play(prepared, agent).trace.stop == "finished"


def test_the_conversation_goes_on_where_it_was(tmp_path: Path) -> None:
    def asks_and_ships(task: Task, session: Session) -> str:
        if task.turn == 1:
            return "Which parcel is it?"
        session.call("depot.ship", id="P-1", key="k")
        return f"Which parcel is it? I heard {task.message}"

    follow = [
        {"when": {"asks": "which_parcel"}, "message": "P-1, please."},
        {"when": {"asks": "which_parcel"}, "message": "P-1, I said."},
    ]
    keys: dict[str, Any] = {"faults": [crash("after")], "stimulus": {"message": "Ship it.", "then": follow}}
    agent = function_agent(asks_and_ships, name="tests:asks_and_ships")
    prepared = world.prepare(scenario(**keys))
    assert play_until_crash(prepared, agent, tmp_path / "kept.db") is None
    went_on = play_on(tmp_path / "kept.db", prepared, agent)
    assert went_on is not None
    assert apart_from_its_beginning(went_on.trace) == apart_from_its_beginning(episode(agent, **keys).trace)
    assert [record["message"] for record in went_on.trace.by_kind("turn")] == [
        "Ship it.",
        "P-1, please.",
        "P-1, I said.",
    ]


# Whoever goes on has to be the one that was interrupted


def kept(tmp_path: Path) -> Path:
    play_until_crash(fixture([crash("after")]), AGENT, tmp_path / "kept.db")
    return tmp_path / "kept.db"


def another(task: Task, session: Session) -> str:
    return "I am somebody else."


def test_another_agent_can_not_go_on(tmp_path: Path) -> None:
    with pytest.raises(NotKept, match="another agent"):
        play_on(kept(tmp_path), fixture([crash("after")]), function_agent(another, name="tests:another"))


def test_another_scenario_can_not_go_on(tmp_path: Path) -> None:
    changed = world.prepare(scenario(id="another_one", faults=[crash("after")]))
    with pytest.raises(NotKept, match="kept by an episode of parcel_for_ida, not of another_one"):
        play_on(kept(tmp_path), changed, AGENT)


def test_another_beginning_can_not_go_on(tmp_path: Path) -> None:
    keys: dict[str, Any] = interrupted.keys([crash("after")])
    keys["initial"]["tables"]["parcels"]["P-1"]["weight"] = 7
    with pytest.raises(NotKept, match="another state at the start"):
        play_on(kept(tmp_path), world.prepare(scenario(**keys)), AGENT)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotKept, match="there is no file"):
        play_on(tmp_path / "nothing.db", fixture([]), AGENT)


def spoil(statement: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as database, database:
            database.execute(statement)

    return change


@pytest.mark.parametrize(
    "spoiled",
    [
        lambda path: path.write_bytes(b"no database"),
        lambda path: path.write_bytes(b""),
        spoil("DELETE FROM trace"),
        spoil("DELETE FROM about WHERE name = 'session'"),
        spoil("UPDATE about SET value = '2' WHERE name = 'format'"),
        spoil("UPDATE about SET value = '[]' WHERE name = 'world'"),
        spoil("UPDATE about SET value = '{\"states\":[]}' WHERE name = 'rest'"),
        spoil("UPDATE about SET value = replace(hex(zeroblob(50000)), '0', '[') WHERE name = 'session'"),
        spoil("UPDATE ledger SET entry = 'x'"),
        spoil("UPDATE keys SET entry = 9"),
        spoil("DROP TABLE inbox"),
        spoil("UPDATE records SET tenant = 'elsewhere'"),
        spoil("UPDATE about SET value = '\"never\"' WHERE name = 'life'"),
    ],
)
def test_a_file_that_was_spoiled(spoiled: Callable[[Path], None], tmp_path: Path) -> None:
    path = kept(tmp_path)
    spoiled(path)
    with pytest.raises(NotKept, match=r"kept\.db"):
        play_on(path, fixture([crash("after")]), AGENT)


# Fresh and continuation never mix


def both(tmp_path: Path) -> tuple[Episode, Episode]:
    faults = [crash("after")]
    path = kept(tmp_path)
    continued = play_on(path, fixture(faults), AGENT)
    assert continued is not None
    return episode(AGENT, trial=1, **interrupted.keys([*faults])), continued


def test_they_are_never_added_up_together(tmp_path: Path) -> None:
    told = scenario(**interrupted.keys([crash("after")]))
    fresh, continued = (
        summarise(played.trace, judge(told, world.spec, played.trace)) for played in both(tmp_path)
    )
    assert (fresh.episode, continued.episode) == ("fresh", "continuation")
    assert fresh.outcome == continued.outcome == "passed"
    with pytest.raises(WrongUse, match="is a continuation episode among fresh ones"):
        figures([fresh, continued], {told.id: 2})
    assert figures([continued], {told.id: 1}).scenarios[0].passed == 1


def test_they_are_never_stored_as_each_other(tmp_path: Path) -> None:
    told = scenario(**interrupted.keys([crash("after")]))

    def stored(played: Episode, life: int) -> StoredEpisode:
        verdict = judge(told, world.spec, played.trace)
        return StoredEpisode(
            scenario=told.id, trial=1, trace=played.trace, verdict=verdict, grading="", life=life
        )

    fresh, continued = both(tmp_path)
    assert stored(fresh, 1).life == 1
    assert stored(continued, 2).life == 2
    with pytest.raises(WrongUse, match="a continuation, and its life 1"):
        stored(continued, 1)
    with pytest.raises(WrongUse, match="a fresh episode, and its life 2"):
        stored(fresh, 2)
