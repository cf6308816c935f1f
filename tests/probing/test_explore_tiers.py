"""Tiers: their numbers of episodes, and what they play."""

from __future__ import annotations

from collections import Counter

import pytest

from company_lab.agents.conducts import reference
from company_lab.probing.explore import Kept, Place, subject
from company_lab.probing.explore.explored import same_faults
from company_lab.probing.explore.tiers import (
    DRAWS,
    TierName,
    crash_points,
    draws,
    plan_tier,
    play_rate,
    play_tier,
    reference_places,
    schedules_of,
    writes_of,
)
from company_lab.probing.seeded_bugs import BANK, world

FOUR = tuple(Place(on="bank.pay", occurrence=number, writes=True) for number in (1, 2, 3, 4))


@pytest.mark.parametrize(
    ("tier", "episodes"), [("nightly", 26), ("release", 185), ("rate", 299), ("commit", None)]
)
def test_four_writes_take_as_many_episodes_as_the_method_says(tier: TierName, episodes: int | None) -> None:
    assert plan_tier(tier, 4).episodes == episodes


@pytest.mark.parametrize(("tier", "schedules"), [("nightly", 12), ("release", 36)])
def test_the_schedules_are_as_many_as_planned_and_all_different(tier: TierName, schedules: int) -> None:
    chosen = schedules_of(
        tier, (*FOUR, Place(on="bank.list_bills"), Place(on="bank.pay", attempt=2, writes=True))
    )
    assert len(chosen) == len({same_faults(one) for one in chosen}) == schedules


def test_the_reference_shows_how_often_is_written_without_asking_anybody() -> None:
    scenario = BANK["correct"].scenario()
    assert len(writes_of(reference_places(world.prepare(scenario), reference(scenario)))) == 4


@pytest.mark.parametrize("name", ["keys_only", "one_retry", "new_key_after_restart"])
def test_the_targeted_pairs_find_what_no_single_fault_shows(name: str) -> None:
    prepared = subject(BANK[name].scenario(), world, BANK[name].agent())
    ended = play_tier(prepared, "release", kept=Kept(None, {}), trials=1)
    assert len(ended) == 37
    assert any(one.failed for one in ended)
    nightly = play_tier(prepared, "nightly", kept=Kept(None, {}), trials=1)
    assert any(one.failed for one in nightly) == (BANK[name].found_by == "single")


def test_each_schedule_says_in_how_many_trials_it_failed() -> None:
    prepared = subject(BANK["marks_done_first"].scenario(), world, BANK["marks_done_first"].agent())
    ended = play_tier(prepared, "nightly", kept=Kept(None, {}), trials=3)
    assert {len(one.ended) for one in ended} == {3}
    assert Counter((one.failed, one.scored) for one in ended) == {(3, 3): 4, (0, 3): 9}


def test_a_replayed_prefix_gives_the_same_with_fewer_calls() -> None:
    prepared = subject(BANK["marks_done_first"].scenario(), world, BANK["marks_done_first"].agent())
    asked = play_tier(prepared, "nightly", kept=Kept(None, {}), trials=1)
    replayed = play_tier(prepared, "nightly", kept=Kept(None, {}), trials=1, replay_prefix=True)
    assert [(one.schedule, one.failed) for one in asked] == [(one.schedule, one.failed) for one in replayed]
    assert [one.ended[0].replayed_calls is not None for one in replayed] == [False, *[True] * 12]


def test_a_tier_goes_on_where_it_was() -> None:
    prepared, kept = subject(BANK["correct"].scenario(), world, BANK["correct"].agent()), Kept(None, {})
    play_tier(prepared, "nightly", kept=kept, max_episodes=5)
    counted = 0

    def count(explored: object) -> None:
        nonlocal counted
        counted += 1

    ended = play_tier(prepared, "nightly", kept=kept, progress=count)
    assert counted == 26 == sum(len(one.ended) for one in ended)


def test_draws_are_even_over_scenarios_and_points_and_the_same_for_a_seed() -> None:
    points = [[one for write in FOUR[:count] for one in crash_points(write)] for count in (1, 0, 4)]
    drawn = [one for one, _ in zip(draws(points, 7), range(48), strict=False)]
    again = [one for one, _ in zip(draws(points, 7), range(48), strict=False)]
    assert drawn == again
    assert Counter(index for index, _ in drawn) == {0: 24, 2: 24}
    assert set(Counter(same_faults(schedule) for index, schedule in drawn if index == 2).values()) == {2}
    assert drawn != [one for one, _ in zip(draws(points, 8), range(48), strict=False)]
    assert list(draws([[], []], 7)) == []


def test_a_rate_is_claimed_from_crashes_that_happened() -> None:
    """This one never saves, so a crash after a save does not happen, and another one is drawn."""
    bug = BANK["correct"]
    prepared = subject(bug.scenario(), world, bug.agent())
    points = [
        list(crash_points(FOUR[0])),
        list(crash_points(Place(on="bank.pay", occurrence=9, writes=True))),
    ]
    ended = list(play_rate([prepared, prepared], points, wanted=6))
    assert sum(explored.outcome in ("passed", "failed") for _, explored in ended) == 6
    assert any(explored.outcome == "invalid" for _, explored in ended)
    assert len(ended) <= 12
    assert DRAWS == 299
