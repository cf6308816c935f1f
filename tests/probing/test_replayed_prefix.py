"""A recorded episode repeated up to a crash: the agent is asked only afterwards, and no figure counts it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Agent, Session, Task, declare
from company_lab.episodes import play
from company_lab.evaluation import judge
from company_lab.evaluation.figures import figures
from company_lab.evaluation.summaries import summarise
from company_lab.formats.errors import WrongUse
from company_lab.probing.explore import Subject, play_schedule, subject
from company_lab.probing.explore.prefix import play_from_prefix
from company_lab.probing.seeded_bugs import BANK, world
from company_lab.runs.episode import StoredEpisode
from company_lab.scenarios.model import Fault
from company_lab.traces.record import Trace

CRASH = (Fault(on="bank.pay", kind="crash", at="after", occurrence=3),)


def counting(name: str) -> tuple[Agent, list[str]]:
    """An agent of the bank that counts how often it is asked for a call, as a model would be."""
    asked: list[str] = []

    class Counting:
        def __init__(self, session: Session) -> None:
            self._session = session

        def call(self, tool: str, /, **args: object) -> object:
            asked.append(tool)
            return self._session.call(tool, **args)

        @property
        def memory(self) -> object:
            return self._session.memory

        @memory.setter
        def memory(self, value: object) -> None:
            self._session.memory = value  # type: ignore[assignment]

    act: Callable[[Task, Session], str] = BANK[name].act

    @declare(kind="scripted")
    def counted(task: Task, session: Session) -> str:
        return act(task, Counting(session))  # type: ignore[arg-type]

    return function_agent(counted), asked


def recorded(name: str) -> tuple[Subject, Trace, list[str]]:
    agent, asked = counting(name)
    prepared = subject(BANK[name].scenario(), world, agent)
    trace = play(prepared.fixture, agent).trace
    asked.clear()
    return prepared, trace, asked


@pytest.mark.parametrize("name", ["correct", "new_key_after_restart", "marks_done_first"])
@pytest.mark.parametrize("at", ["before", "after", "answered", "saved"])
def test_it_comes_out_as_if_the_agent_had_been_asked(name: str, at: str) -> None:
    prepared, trace, asked = recorded(name)
    crash = (Fault.model_validate({"on": "bank.pay", "kind": "crash", "at": at, "occurrence": 3}),)
    explored, episode = play_from_prefix(prepared, trace, crash)
    with_recording = len(asked)
    whole = play_schedule(prepared, crash)
    without = len(asked) - with_recording
    assert explored.outcome == whole.outcome
    assert explored.broken == whole.broken
    plain = play(prepared.fixture, prepared.agent, schedule=crash).trace
    assert episode.trace.records[1:] == plain.records[1:]
    assert explored.replayed_calls == 4  # the list and three bills
    assert without - with_recording == 4


def test_what_follows_the_crash_may_have_faults_of_its_own() -> None:
    prepared, trace, _ = recorded("journal_without_look_up")
    schedule = (
        *CRASH,
        Fault.model_validate(
            {"on": "bank.pay", "kind": "outage", "by": "25h", "occurrence": 3, "attempt": 2}
        ),
    )
    explored, _ = play_from_prefix(prepared, trace, schedule)
    assert "duplicate_effect" in {one.invariant.code for one in explored.broken}


def test_it_is_marked_as_a_continuation_with_a_replayed_prefix() -> None:
    prepared, trace, _ = recorded("correct")
    _, episode = play_from_prefix(prepared, trace, CRASH)
    header = episode.trace.header
    assert header["episode"] == "continuation"
    assert header["replayed_prefix"] == {"trace": trace.digest, "calls": 4, "diverged": False}


def test_it_enters_neither_pass_k_nor_fresh_figures() -> None:
    prepared, trace, _ = recorded("correct")
    scenario, spec = prepared.scenario, world.spec
    _, replayed = play_from_prefix(prepared, trace, CRASH)
    verdict = judge(scenario, spec, replayed.trace)
    assert verdict.outcome == "passed"
    summary = summarise(replayed.trace, verdict)
    assert summary.outcome == "unscored"
    alone = figures([summary], {scenario.id: 1}).scenarios[0]
    assert alone.n == 0
    bounds = alone.pass_k[1]
    assert bounds is not None
    assert [bounds.low, bounds.high] == [0, 1]  # nothing is known: it was never tried
    fresh = summarise(trace, judge(scenario, spec, trace))
    with pytest.raises(WrongUse, match="continuations"):
        figures([fresh, summary], {scenario.id: 2})


def test_a_store_does_not_take_it_for_a_fresh_episode_so_no_comparison_can() -> None:
    prepared, trace, _ = recorded("correct")
    _, replayed = play_from_prefix(prepared, trace, CRASH)
    verdict = judge(prepared.scenario, world.spec, replayed.trace)
    with pytest.raises(WrongUse, match="is a continuation"):
        StoredEpisode(
            scenario=prepared.scenario.id, trial=1, trace=replayed.trace, verdict=verdict, grading="g"
        )


def test_a_crash_that_the_recording_does_not_come_to_is_no_evidence() -> None:
    prepared, trace, asked = recorded("correct")
    never = (Fault(on="bank.pay", kind="crash", at="after", occurrence=3, attempt=5),)
    explored, _ = play_from_prefix(prepared, trace, never)
    assert explored.outcome == "invalid"
    assert asked == []


def test_a_world_that_answers_otherwise_makes_it_invalid() -> None:
    prepared, trace, _ = recorded("correct")
    changed = [dict(record) for record in trace.records]
    listed = next(record for record in changed if record["kind"] == "result")
    listed["value"] = {"count": 1, "bills": []}
    explored, episode = play_from_prefix(prepared, Trace(changed), CRASH)
    assert explored.outcome == "invalid"
    assert "otherwise than it was recorded" in explored.why
    assert episode.trace.header["replayed_prefix"]["diverged"]


def test_only_what_comes_before_a_crash_can_be_replayed() -> None:
    prepared, trace, _ = recorded("correct")
    with pytest.raises(WrongUse, match="has to begin with one"):
        play_from_prefix(prepared, trace, (Fault(on="bank.pay", kind="lost_ack"),))
    other = subject(BANK["correct_events"].scenario(), world, BANK["correct_events"].agent())
    with pytest.raises(WrongUse, match="another state"):
        play_from_prefix(other, trace, CRASH)
