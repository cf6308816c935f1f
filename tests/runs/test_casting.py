from __future__ import annotations

from collections.abc import Sequence

import pytest

from company_lab.formats.errors import WrongUse
from company_lab.runs import cast, select
from depot import world
from played_run import scenario

FIRST = scenario("first", tags=["slow", "mail"], failure_class="late_parcel", family="parcels")
SECOND = scenario("second", tags=["mail"], split="held_out")
THIRD = scenario("third")
ALL = (FIRST, SECOND, THIRD)


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        ([], ["first", "third"]),
        (["second"], ["second"]),
        (["mail"], ["first"]),
        (["mail", "held_out"], ["first", "second"]),
        (["late_parcel"], ["first"]),
        (["parcels"], ["first"]),
        (["held_out"], ["second"]),
        (["third", "slow"], ["first", "third"]),
    ],
)
def test_scenarios_are_chosen_by_what_they_are_called(words: Sequence[str], chosen: list[str]) -> None:
    assert [scenario.id for scenario in select(ALL, words)] == chosen


@pytest.mark.parametrize("words", [[], ["mail"]])
def test_what_is_held_out_is_never_played_by_chance(words: Sequence[str]) -> None:
    with pytest.raises(WrongUse, match="held out; --only held_out plays it on purpose"):
        select([SECOND], words)


def test_a_word_that_names_nothing_is_refused_even_beside_one_that_does() -> None:
    with pytest.raises(WrongUse, match=r"--only mial: .*did you mean mail"):
        select(ALL, ["first", "mial"])


def test_without_an_agent_references_are_cast() -> None:
    castings = cast(ALL, agent=None, worlds=lambda _: world)
    assert [casting.scenario.id for casting in castings] == ["first", "second", "third"]
    assert all(casting.agent is not None and casting.agent.kind == "conduct" for casting in castings)


def test_the_grading_digest_follows_the_scenario_and_nothing_else() -> None:
    same, other = scenario("first"), scenario("first", severity="minor")
    gradings = [casting.grading for casting in cast([same, same, other], agent=None, worlds=lambda _: world)]
    assert gradings[0] == gradings[1] != gradings[2]
