"""What a report says about how sure its figures are."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

import company_lab
from company_lab.evaluation import Failure
from company_lab.evaluation.figures import EpisodeSummary, Figures, figures
from company_lab.reports.assurance import bound_lines, interval_lines
from company_lab.reports.console import to_text
from company_lab.reports.sections import stored_sections
from company_lab.reports.terminal import report_of

CRITICAL = Failure(
    code="false_commitment", severity="critical", failure_class="false_commitment", check="c", message="m"
)


def episodes(name: str, passed: int, failed: int = 0, *, same: bool = False) -> Iterable[EpisodeSummary]:
    for trial in range(1, passed + failed + 1):
        yield EpisodeSummary(
            scenario=name,
            trial=trial,
            outcome="passed" if trial <= passed else "failed",
            stop="finished",
            layer="reasoning",
            evidence="real model",
            failures=() if trial <= passed else (CRITICAL,),
            trajectory="" if same else str(trial),
        )


def run(*counts: tuple[int, int], same: bool = False, planned: int | None = None) -> Figures:
    names = [f"s{index}" for index in range(len(counts))]
    found = [
        one for name, (c, f) in zip(names, counts, strict=True) for one in episodes(name, c, f, same=same)
    ]
    return figures(
        found, {name: planned or sum(pair) for name, pair in zip(names, counts, strict=True)}, (1, 2)
    )


@pytest.mark.fault("A21")
def test_none_in_a_hundred_is_below_three_per_cent_and_never_zero() -> None:
    said = list(bound_lines(run((100, 0))))
    assert said == [
        "each class: rate below 2.95 % at 95 % on average over these scenarios",
        "to claim more, at 95 %: below 1 % takes 299, below 0.1 % takes 2,995 episodes without one",
    ]
    assert "below 0.997 %" in next(bound_lines(run((299, 0))))


def test_a_class_that_failed_is_bounded_apart_from_those_that_did_not() -> None:
    first, second, *_ = bound_lines(run((38, 2)))
    assert first == "false_commitment: 2 of 40 episodes, rate below 14.9 % at 95 %"
    assert second.startswith("every other class: rate below 7.22 % at 95 %")


def test_the_average_says_less_about_one_scenario() -> None:
    said = "\n".join(bound_lines(run(*[(15, 0)] * 20)))
    assert "each class: rate below 0.994 % at 95 %" in said
    assert "one scenario alone is then only known to be below 18.1 %" in said


def test_episodes_without_a_score_count_as_failures_in_the_bound() -> None:
    said = next(bound_lines(run((90, 0), planned=100)))
    assert said.endswith("with 10 episodes without a score counted as failures")
    assert "below 16.4 % at 95 %" in said
    assert list(bound_lines(run((0, 0), planned=3))) == []


def test_trials_that_went_the_same_way_are_not_independent_and_that_is_said() -> None:
    assert (
        "2 scenarios that always went the same way are not"
        in list(bound_lines(run((5, 0), (5, 0), same=True)))[-1]
    )
    assert "independent" not in "\n".join(bound_lines(run((5, 0), (5, 0))))


def test_a_single_trial_is_not_said_to_have_always_gone_the_same_way() -> None:
    said = list(bound_lines(run((1, 0), (5, 0))))
    assert "independent" not in "\n".join(said)
    once = [*episodes("s0", 1), *episodes("s1", 5, same=True)]
    mixed = figures(once, {"s0": 1, "s1": 5}, (1,))
    assert "1 scenario that always went the same way is not" in list(bound_lines(mixed))[-1]


def test_intervals_over_scenarios_are_given_where_they_differ() -> None:
    (said,) = interval_lines(run((4, 0), (2, 2), (3, 1), (1, 3), (4, 0), (2, 2)), (1, 2))
    assert said.startswith("95 % interval for scenarios like these (t over scenarios): pass^1 0.")
    assert ", pass^2 0." in said
    (few,) = interval_lines(run((4, 0), (2, 2)), (1,))
    assert "2 units are few for an interval" in few


def test_where_there_is_no_interval_the_reason_stands() -> None:
    assert list(interval_lines(run((3, 1)), (1,))) == [
        "no interval: one scenario or family says nothing about others (1 scenario): pass^1"
    ]
    assert "every scenario has the same value (2 scenarios)" in next(
        interval_lines(run((3, 1), (3, 1)), (1, 2))
    )
    assert list(interval_lines(run((4, 0), (4, 0)), (1, 2))) == []


SCENARIO = """
id: {id}
{family}
initial:
  contacts: {{C-1: {{name: Ida Holm}}}}
  invoices:
    I-7: {{contact: C-1, total_minor: 900, received_minor: 500, currency: EUR, status: partially_paid}}
stimulus: {{message: "How much is open on I-7?"}}
expected: {{told: {{states: [{{amount_minor: 400, currency: EUR}}]}}}}
reference: [{{do: [], reply: "4.00 EUR are open."}}]
"""


def test_a_stored_run_knows_which_scenarios_belong_together(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    suite.mkdir()
    for id, family in (("a", "family: one"), ("b", "family: one"), ("c", "")):
        (suite / f"{id}.yaml").write_text(SCENARIO.format(id=id, family=family), "utf-8")

    def agent(task: object, session: object) -> str:
        return next(answers)

    answers = iter(["4.00 EUR are open."] * 4 + ["4.00 EUR are open.", "5.00 EUR are open."])
    with company_lab.run(suite, agent=agent, trials=2) as played:
        (section,) = stored_sections(played.store, played.id)
        assert section.figures.mean_pass_k[1].families == {"a": "one", "b": "one"}
        assert played.figures.mean_rate.figure().interval == "t over 2 families"
        text = to_text(report_of(played.store, played.id), width=200)
    assert (
        "95 % interval for scenarios like these (t over 2 families; 2 units are few for an interval)" in text
    )
    assert "distinct trajectories: 4 in 6 episodes" in text
    assert "Not established by a bound: that the risk is 0" in text
