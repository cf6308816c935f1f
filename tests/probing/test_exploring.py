"""The search: deterministic, bounded, resumable, and honest about what says nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Agent, Crashed, Session, Task, declare
from company_lab.episodes import play
from company_lab.episodes.acting import on_a_thread
from company_lab.formats.errors import WrongUse
from company_lab.probing.explore import Bounds, Explored, Kept, Level, Subject, explore, subject
from company_lab.probing.explore.explored import same_faults
from company_lab.probing.explore.kinds import ALL, ESSENTIAL, faults_of_call, read_kinds
from company_lab.probing.explore.playing import begin, play_schedule
from company_lab.probing.explore.row import play_in_a_row
from company_lab.probing.seeded_bugs import BANK, world
from company_lab.scenarios.fault_kinds import KINDS
from company_lab.scenarios.model import Fault
from company_lab.worlds.registry import resolve_world

CRASHES = read_kinds(["crash"])
SMALL = Bounds(kinds=(*CRASHES, "outage"), pair_kinds=(*CRASHES, "outage"))
LOST = Fault(on="bank.pay", kind="lost_ack")


def prepared(name: str, agent: Agent | None = None) -> Subject:
    bug = BANK[name]
    return subject(bug.scenario(), world, agent or bug.agent())


def undeclared(name: str) -> Agent:
    """The same agent, of which nobody has said that it is a script."""
    return replace(BANK[name].agent(), kind="undeclared", model_free=True)


# what is searched


def test_every_kind_is_searched_but_the_one_that_needs_to_be_told_what_changes() -> None:
    assert {kind.partition(":")[0] for kind in ALL} == set(KINDS) - {"foreign_change"}
    assert set(ESSENTIAL) <= set(ALL)


@pytest.mark.parametrize(
    ("word", "said"),
    [("lost_akc", "did you mean lost_ack?"), ("foreign_change", "needs to be told what changes")],
)
def test_a_kind_nobody_searches_for_is_wrong_use(word: str, said: str) -> None:
    with pytest.raises(WrongUse, match=said.replace("?", r"\?")):
        read_kinds([word])


def test_kinds_are_listed_simplest_first_whatever_the_order_of_the_words() -> None:
    assert read_kinds(["outage,lost_ack", "lost_ack"]) == ("lost_ack", "outage")
    assert read_kinds(["all"]) == ALL


def test_each_restart_makes_a_crash_of_its_own() -> None:
    faults = list(
        faults_of_call(
            "bank.pay",
            1,
            1,
            writes=True,
            kinds=["crash:after"],
            restarts=["task", "transcript", "checkpoint"],
        )
    )
    assert [fault.restart for fault in faults] == ["task", "transcript", None]


def test_nothing_happens_to_waiting_and_no_crash_to_a_read() -> None:
    assert not list(faults_of_call("clock.wait", 1, 1, writes=True, kinds=ALL, restarts=["checkpoint"]))
    reads = faults_of_call("bank.list_bills", 1, 1, writes=False, kinds=ALL, restarts=["checkpoint"])
    assert "crash" not in {fault.kind for fault in reads}


def test_the_places_of_the_second_fault_come_from_the_episode_of_the_first() -> None:
    clean = play_schedule(prepared("correct"), ())
    after = play_schedule(prepared("correct"), (LOST,))
    assert (clean.places[1].on, clean.places[1].occurrence, clean.places[1].attempt) == ("bank.pay", 1, 1)
    looked = [place for place in after.places if place.on == "bank.find_transfers"]
    assert looked  # the recovery looks, the clean run never does
    assert "bank.find_transfers" not in {place.on for place in clean.places}
    assert "bank.list_bills" not in {place.on for place in after.places}  # that was before


# what says nothing


def test_a_fault_that_does_not_happen_is_no_evidence_and_nothing_is_built_on_it() -> None:
    never = play_schedule(prepared("correct"), (Fault(on="bank.pay", kind="lost_ack", attempt=7),))
    assert never.outcome == "invalid"
    assert "did not fire" in never.why
    assert never.places == ()


def test_a_stale_read_that_shows_nothing_else_is_no_evidence() -> None:
    stale = play_schedule(prepared("correct"), (Fault(on="bank.list_bills", kind="stale_read"),))
    assert stale.outcome == "invalid"


def test_too_many_crashes_are_a_failure_of_their_own() -> None:
    crashes = tuple(
        Fault(on="bank.pay", kind="crash", at="before", attempt=number) for number in (1, 2, 3, 4)
    )
    explored = play_schedule(prepared("correct"), crashes)
    assert explored.stop == "crash_limit"
    assert "unresolved_after_restart" in {one.invariant.code for one in explored.broken}


def test_who_fails_without_a_fault_is_not_explored() -> None:
    @declare(kind="scripted")
    def silent(task: Task, session: Session) -> str:
        return ""

    found = explore(prepared("correct", function_agent(silent)), Bounds())
    assert found.clean.outcome == "failed"
    assert found.levels == []
    assert not found.complete


def test_a_contract_scenario_has_nobody_who_could_crash() -> None:
    scenario = BANK["correct"].scenario()
    stimulus = scenario.stimulus.model_copy(update={"request": "pay"})
    contract = scenario.model_copy(update={"stimulus": stimulus})
    with pytest.raises(WrongUse, match="nobody can crash"):
        subject(contract, world, BANK["correct"].agent())


# the same state is followed once


def test_what_is_cut_would_have_come_out_like_what_was_followed() -> None:
    """Every schedule that came to a known state, played to its end, breaks what the one before it broke."""
    for name in ("keys_only", "new_key_after_restart", "webhook_memory_only"):
        one, seen = prepared(name), dict[str, tuple[object, ...]]()
        bounds = Bounds(order=1, kinds=CRASHES)
        cut = 0

        def look(
            level: Level, explored: Explored, one: Subject = one, seen: dict[str, tuple[object, ...]] = seen
        ) -> None:
            nonlocal cut
            assert explored.state is not None or explored.outcome == "invalid"
            if explored.state is None:
                return
            broken = tuple(each.invariant for each in play_schedule(one, explored.schedule).broken)
            cut += explored.cut
            assert seen.setdefault(explored.state, broken) == broken

        explore(one, bounds, progress=look)
        assert cut or name != "keys_only"


def test_a_crash_before_a_call_is_the_crash_after_the_last_save() -> None:
    found = explore(prepared("keys_only"), Bounds(order=1, kinds=CRASHES))
    assert found.levels[0].cut == 3  # four bills: before the second, third and fourth
    assert (
        explore(prepared("correct"), Bounds(order=1, kinds=CRASHES)).levels[0].cut == 0
    )  # it saves in between


def test_nobody_is_cut_short_who_may_do_something_else_next_time() -> None:
    found = explore(prepared("keys_only", undeclared("keys_only")), Bounds(order=1, kinds=CRASHES))
    assert found.levels[0].cut == 0


def test_an_episode_of_the_explorer_is_the_episode_anybody_plays() -> None:
    one = prepared("new_key_after_restart")
    schedule = (
        Fault(on="bank.pay", kind="crash", at="after"),
        Fault(on="bank.pay", kind="lost_ack", occurrence=2),
    )
    live = begin(one, schedule, trial=1)
    ended = live.run(on_a_thread, until_crash=True)
    while not ended:
        ended = live.go_on(on_a_thread, until_crash=True)
    assert live.finish().trace.bytes() == play(one.fixture, one.agent, schedule=schedule).trace.bytes()


# bounded, resumable, the same each time


def test_the_same_search_finds_the_same() -> None:
    first, second = (explore(prepared("marks_done_first"), SMALL) for _ in range(2))
    assert first.failing == second.failing
    assert first.levels == second.levels


def test_a_bound_leaves_a_search_incomplete_and_says_how_much_is_left() -> None:
    found = explore(prepared("correct"), replace(SMALL, max_episodes=11))
    assert found.episodes == 11
    assert [level.left for level in found.levels] == [found.levels[0].planned - 10, found.levels[1].planned]
    assert not found.complete


def test_triples_are_drawn_by_the_seed() -> None:
    bounds = replace(
        SMALL, order=3, sample=12, kinds=("lost_ack", "crash:before"), pair_kinds=("lost_ack", "crash:before")
    )
    drawn = []
    for seed in (1, 1, 2):
        played: list[str] = []

        def note(level: Level, explored: Explored, played: list[str] = played) -> None:
            if level.order == 3:
                played.append(same_faults(explored.schedule))

        found = explore(replace(prepared("correct"), seed=seed), bounds, progress=note)
        assert found.levels[2].planned == 12
        drawn.append(played)
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(len(set(one)) == 12 for one in drawn)


def test_no_set_of_faults_is_played_twice() -> None:
    played: list[str] = []
    explore(
        prepared("correct_events"),
        replace(
            SMALL, kinds=("reorder", "duplicate", "lost_ack"), pair_kinds=("reorder", "duplicate", "lost_ack")
        ),
        progress=lambda level, explored: played.append(same_faults(explored.schedule)),
    )
    assert len(played) == len(set(played)) > 50


ABOUT = {"scenario": "s", "agent": "a"}


def test_what_a_file_knows_is_not_played_again(tmp_path: Path) -> None:
    file = tmp_path / "kept" / "state.jsonl"
    whole = explore(prepared("keys_only"), SMALL)
    kept = Kept(file, ABOUT)
    explore(prepared("keys_only"), replace(SMALL, max_episodes=30), kept=kept)
    kept.close()
    with file.open("ab") as out:
        out.write(b'{"trial":1,"schedule":[{"on":"ba')  # killed while it wrote
    again = Kept(file, ABOUT)
    assert again.from_file == 30
    asked: list[tuple[Fault, ...]] = []

    def count(schedules: Iterator[tuple[Fault, ...]], states: object) -> Iterator[Explored]:
        def counted() -> Iterator[tuple[Fault, ...]]:
            for schedule in schedules:
                asked.append(schedule)
                yield schedule

        return play_in_a_row(prepared("keys_only"), counted(), ())

    resumed = explore(prepared("keys_only"), SMALL, kept=again, play_many=count)
    again.close()
    assert resumed.failing == whole.failing
    assert resumed.levels == whole.levels
    planned = sum(level.planned for level in whole.levels)
    assert len(asked) == planned - 29  # and the one without a fault
    final = Kept(file, ABOUT)
    assert final.from_file == planned + 1
    final.close()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"agent":"b","format":1,"kind":"exploration","scenario":"s"}\n', "with another agent"),
        (b"id,name\n", "no file of an exploration"),
        (b'{"mine": 1}', "no file of an exploration"),
        (b'{"agent":"a","format":1,"kind":"exploration","scenario":"s"}\n{"trial":1}\n', "does not hold"),
    ],
)
def test_a_file_of_something_else_is_refused_and_left_alone(
    tmp_path: Path, content: bytes, said: str
) -> None:
    file = tmp_path / "state.jsonl"
    file.write_bytes(content)
    with pytest.raises(WrongUse, match=said):
        Kept(file, ABOUT)
    assert file.read_bytes() == content


def test_a_first_line_that_was_being_written_when_the_process_was_killed_is_written_anew(
    tmp_path: Path,
) -> None:
    file = tmp_path / "state.jsonl"
    Kept(file, ABOUT).close()
    whole = file.read_bytes()
    file.write_bytes(whole[:20])
    Kept(file, ABOUT).close()
    assert file.read_bytes() == whole


def test_two_explorations_do_not_write_to_one_file(tmp_path: Path) -> None:
    first = Kept(tmp_path / "state.jsonl", ABOUT)
    with pytest.raises(WrongUse, match="another exploration is writing"):
        Kept(tmp_path / "state.jsonl", ABOUT)
    first.close()


def test_what_was_explored_survives_saving_and_loading() -> None:
    explored = play_schedule(prepared("no_keys"), (LOST,))
    assert explored.broken
    assert Explored.from_json(explored.to_json()) == explored


@pytest.mark.parametrize(("place", "word"), [(0, "looked_odd"), (3, "catastrophic")])
def test_a_code_or_severity_that_does_not_exist_is_refused(place: int, word: str) -> None:
    document = play_schedule(prepared("no_keys"), (LOST,)).to_json()
    document["broken"][0][place] = word  # type: ignore[index]
    with pytest.raises(ValueError, match=f"'{word}' is none of"):
        Explored.from_json(document)


# agents that do not behave


@pytest.mark.wall_time
def test_an_agent_that_holds_on_after_its_crash_is_left_behind() -> None:
    @declare(kind="scripted")
    def stubborn(task: Task, session: Session) -> str:
        for bill in ("B-1", "B-2"):
            try:
                session.call("bank.pay", bill=bill, key=f"pay-{bill}")
            except Crashed:
                deadline = time.monotonic() + 60
                while time.monotonic() < deadline:
                    sum(range(100))
        return "B-1 is paid. B-2 is paid. B-3 and B-4 I left."

    one = prepared("correct", function_agent(stubborn))
    schedules = [(Fault(on="bank.pay", kind="crash", at="after"),), (LOST,)]
    begun = time.monotonic()
    ended = list(play_in_a_row(one, iter(schedules), ()))
    assert time.monotonic() - begun < 20
    assert [explored.schedule for explored in ended] == schedules
    assert ended[0].outcome == play_schedule(one, schedules[0]).outcome


def test_the_world_is_found_by_the_name_its_scenarios_give() -> None:
    assert resolve_world(BANK["correct"].scenario().world) is world


def test_a_search_of_four_writes_is_quick() -> None:
    """About 300 episodes a second on a free processor; here only that nothing is slower by far."""
    one = prepared("correct")
    explore(one, Bounds(order=1))
    begun = time.process_time()
    found = explore(one, Bounds())
    assert found.episodes > 300
    assert time.process_time() - begun < 4
