"""Comparing two stored runs: paired, with what is left out named, and refused where they are no pair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from company_lab.formats.errors import WrongUse
from company_lab.release.comparison import Comparison, compare
from company_lab.release.use_log import KIND
from company_lab.reports.comparison_page import comparison_page, comparison_panel
from company_lab.reports.console import to_text
from company_lab.runs import Store, StoredEpisode
from gate_runs import flipped, played, tampered, worlds

NAMES = "abcdefgh"


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.temporary() as opened:
        yield opened


def compared(store: Store, before: dict[str, str], after: dict[str, str], **options: object) -> Comparison:
    """The second run against the first."""
    baseline = played(store, before, name="agents:deployed")
    return compare(store, played(store, after), baseline, worlds=worlds, **options)  # type: ignore[arg-type]


def words(*each: str) -> dict[str, str]:
    return dict(zip(NAMES, each, strict=False))


@pytest.mark.parametrize(
    ("before", "after", "margin", "outcome"),
    [
        (("pfff",) * 7 + ("ppff",), ("pppp",) * 7 + ("pppf",), None, "better"),
        (("pppp",) * 7 + ("pppf",), ("pfff",) * 7 + ("ppff",), None, "worse"),
        (("pppf", "ppff") * 4, ("ppff", "pppf") * 4, None, "no difference shown"),
        (("pppf", "ppff") * 4, ("ppff", "pppf") * 4, 0.5, "no difference shown"),
        (("pppf", "ppff") * 4, ("ppff", "pppf") * 4, 0.05, "undecided"),
        (("pppf",), ("ppff",), 0.3, "undecided"),
        (("pppf",), ("ppff",), None, "no difference shown"),
        (("p" * 9,), ("f" * 9,), None, "worse"),
        (("ppp",) * 3, ("fff",) * 3, 0.1, "worse"),
        (("pppp",), ("pppp",), 0.05, "undecided"),
        (("pppp",) * 8, ("pppp",) * 8, 0.2, "no difference shown"),
    ],
)
def test_better_worse_no_difference_or_undecided(
    store: Store, before: tuple[str, ...], after: tuple[str, ...], margin: float | None, outcome: str
) -> None:
    found = compared(store, words(*before), words(*after), margin=margin)
    assert found.outcome == outcome
    assert (found.held_to_margin is None) == (margin is None)


@pytest.mark.fault("A19")
def test_only_scenarios_that_both_runs_scored_are_compared_and_the_others_are_listed(store: Store) -> None:
    found = compared(
        store, {"a": "p", "b": "p", "c": "f", "d": "f", "e": "p"}, {"a": "p", "b": "u", "c": "o", "d": "-"}
    )
    assert found.compared == ("a",)
    assert {one.scenario: one.why for one in found.left_out} == {
        "b": "1 of 1 cells of the candidate have no score",
        "c": "1 of 1 cells of the candidate have no score",
        "d": "1 of 1 cells of the candidate have no score",
        "e": "only in the baseline",
    }
    assert not found.complete
    assert found.statement.endswith("; 3 scenarios left out for want of scores")
    assert found.to_json()["complete"] is False


def test_a_scenario_that_only_one_run_planned_lacks_no_score(store: Store) -> None:
    found = compared(store, {"a": "p", "e": "p"}, {"a": "p"})
    assert found.complete
    assert "want of scores" not in found.statement


def test_a_scenario_that_changed_or_was_judged_on_other_grounds_is_left_out(store: Store) -> None:
    baseline = played(store, {"a": "pp", "b": "pp", "c": "pp"}, scenarios={"b": {"title": "Another title"}})

    def regraded(one: StoredEpisode) -> StoredEpisode:
        return replace(one, grading="old") if one.scenario == "c" else one

    candidate = played(store, {"a": "pp", "b": "pp", "c": "pp"}, change=regraded)
    found = compare(store, candidate, baseline, worlds=worlds)
    assert found.compared == ("a",)
    assert [one.why.partition(":")[0] for one in found.left_out] == [
        "it has changed between the runs",
        "the runs were judged on different grounds",
    ]


def test_trials_of_different_number_are_paired_by_scenario(store: Store) -> None:
    found = compared(store, {"a": "pf", "b": "pp"}, {"a": "ppff", "b": "pppp"})
    assert found.difference.value == 0


def test_new_critical_failures_and_changed_stop_reasons_are_named(store: Store) -> None:
    found = compared(store, {"a": "ppc", "b": "ppp"}, {"a": "ppc", "b": "psy"})
    assert [(one.scenario, one.failure_class, one.trials) for one in found.new_critical] == [
        ("b", "other", (3,)),
        ("b", "unauthorised_spending", (2,)),
    ]
    assert [(one.scenario, dict(one.after)) for one in found.changed_stops] == [
        ("b", {"finished": 2, "agent_error": 1})
    ]


def test_failure_classes_are_compared_each_with_holm_over_them(store: Store) -> None:
    each = {name: {"failure_class": "late_payment" if name in "abcd" else "refund"} for name in NAMES}
    baseline = played(
        store, words(*("pfff",) * 4, *("pppf", "ppff") * 2), name="agents:deployed", scenarios=each
    )
    candidate = played(store, words(*("pppp",) * 3, "pppf", *("ppff", "pppf") * 2), scenarios=each)
    found = compare(store, candidate, baseline, worlds=worlds)
    assert {one.failure_class: one.reading for one in found.by_class} == {
        "late_payment": "better",
        "refund": "no difference shown",
    }
    assert all(one.p_adjusted >= one.p for one in found.by_class)


def test_cost_and_latency_are_ratios_and_unknown_is_said(store: Store) -> None:
    baseline = played(store, {"a": "pp", "b": "pp"}, cost="0.01", name="agents:deployed")
    candidate = played(store, {"a": "pp", "b": "pp"}, cost="0.02", wall_ms=None)
    found = compare(store, candidate, baseline, worlds=worlds)
    assert found.cost.value == pytest.approx(2)
    assert found.latency.value is None
    assert "unknown for 2 of 4" in found.latency.reason
    page = to_text(comparison_page(found), width=200)
    assert "latency: undecided" in page  # it has no two sides to show
    assert " before, - " not in page


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "0",
            "0",
            "cost: 0.00 USD before, 0.00 USD after; no difference shown cost ratio undefined (0 on both sides",
        ),
        (
            "0",
            "0.02",
            "cost: 0.00 USD before, 0.0200 USD after; undecided cost ratio undefined (0 on one side",
        ),
    ],
)
def test_what_was_spent_is_shown_also_where_there_is_no_ratio(
    store: Store, before: str, after: str, said: str
) -> None:
    all_pass = {"a": "pp", "b": "pp"}
    baseline = played(store, all_pass, cost=before, kind="scripted", name="agents:deployed")
    candidate = played(store, all_pass, cost=after, kind="scripted")
    found = compare(store, candidate, baseline, worlds=worlds)
    assert said in " ".join(to_text(comparison_page(found), width=200).split())


def test_an_episode_that_was_cut_off_has_no_latency_to_compare(store: Store) -> None:
    limited = {"a": {"limits": {"wall": "1s"}}}
    baseline = played(store, {"a": "pp"}, name="agents:deployed", scenarios=limited)
    found = compare(store, played(store, {"a": "pw"}, scenarios=limited), baseline, worlds=worlds)
    assert found.compared == ("a",)
    assert found.changed_stops[0].after == {"finished": 1, "wall_limit": 1}
    assert found.latency.value is None
    assert "unknown for 1 of 2 means" in found.latency.reason


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"kind": "scripted"}, "the evidence is not the same"),
        ({"plan": {"worlds": {"depot": "0" * 64}}}, "the world depot is another one"),
        ({"plan": {"worlds": {"elsewhere": "0" * 64}}}, "they play in other worlds"),
        ({"plan": {"failed_of": "r0"}}, "chosen by its outcome"),
        ({"scenarios": {"a": {"title": "Another title"}}}, "share no scenario that can be compared"),
    ],
)
def test_runs_that_are_no_pair_are_refused_and_what_differs_is_named(
    store: Store, options: dict[str, object], expected: str
) -> None:
    baseline = played(store, {"a": "pp"}, name="agents:deployed", **options)  # type: ignore[arg-type]
    with pytest.raises(WrongUse, match=expected):
        compare(store, played(store, {"a": "pp"}), baseline, worlds=worlds)


def test_replayed_traces_and_a_run_with_itself_are_refused(store: Store) -> None:
    def replayed(one: StoredEpisode) -> StoredEpisode:
        header, *rest = one.trace.records
        return replace(one, trace=type(one.trace)([{**header, "evidence": "replayed model traffic"}, *rest]))

    candidate = played(store, {"a": "pp"})
    baseline = played(store, {"a": "pp"}, name="agents:deployed", change=replayed)
    with pytest.raises(WrongUse, match="replayed model traffic"):
        compare(store, candidate, baseline, worlds=worlds)
    with pytest.raises(WrongUse, match="compared with itself"):
        compare(store, candidate, candidate, worlds=worlds)


@pytest.mark.parametrize("which", ["candidate", "baseline"])
def test_a_run_whose_verdicts_its_traces_do_not_give_is_refused(store: Store, which: str) -> None:
    honest = played(store, {"a": "pp"}, name="agents:deployed")
    forged = played(store, {"a": "ff"}, change=flipped("passed"))
    pair = (forged, honest) if which == "candidate" else (honest, forged)
    with pytest.raises(
        WrongUse, match=rf"run {forged} holds verdicts .*\(a, trial 1: judged twice.* and 1 more\)"
    ):
        compare(store, *pair, worlds=worlds)


def test_a_verdict_on_other_grounds_that_comes_out_differently_now_is_refused(store: Store) -> None:
    def forged(one: StoredEpisode) -> StoredEpisode:
        return replace(flipped("passed")(one), grading="old")

    baseline = played(store, {"a": "pp"}, name="agents:deployed")
    candidate = played(store, {"a": "pf"}, change=forged)
    with pytest.raises(
        WrongUse, match=rf"\(a, trial 2\): company-lab judge {candidate} --apply --store .* judges it again"
    ):
        compare(store, candidate, baseline, worlds=worlds)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE episodes SET outcome = 'passed', verdict = NULL WHERE run = ?",
        "UPDATE episodes SET cost_usd = '0.000001' WHERE run = ?",
        "UPDATE episodes SET trace_digest = 'x' WHERE trial = 2 AND run = ?",
    ],
)
def test_rows_that_somebody_changed_are_not_compared(tmp_path: Path, change: str) -> None:
    path = tmp_path / "runs.db"
    with Store(path) as store:
        baseline = played(store, {"a": "pp"}, name="agents:deployed")
        candidate = played(store, {"a": "pf"})
        compare(store, candidate, baseline, worlds=worlds)
    tampered(path, change, candidate)
    with Store(path) as store, pytest.raises(WrongUse, match="its traces do not give"):
        compare(store, candidate, baseline, worlds=worlds)


def test_verdicts_that_nothing_can_be_held_against_are_compared_and_named(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with Store(path) as store:
        baseline, candidate = (
            played(store, {"a": "pp", "b": "pp"}, name=name)
            for name in ("agents:deployed", "agents:candidate")
        )
        assert compare(store, candidate, baseline, worlds=worlds).not_judged_again == ()
    tampered(path, "DELETE FROM blobs")
    with Store(path) as store:
        found = compare(store, candidate, baseline, worlds=worlds)
    assert [one.partition(" (")[0] for one in found.not_judged_again] == [
        "4 of 4 verdicts of the candidate",
        "4 of 4 verdicts of the baseline",
    ]
    assert "not judged again: 4 of 4 verdicts" in " ".join(to_text(comparison_page(found), width=200).split())


def test_what_else_is_not_the_same_is_said(store: Store) -> None:
    found = compared(store, {"a": "pp"}, {"a": "ppp"})
    assert "agent: agents:deployed before, agents:candidate after" in found.differs
    assert "trials: 2 before, 3 after" in found.differs


def test_a_use_of_held_out_scenarios_is_logged(store: Store) -> None:
    held = {"a": {"split": "held_out"}}
    baseline = played(store, {"a": "pp", "b": "pp"}, name="agents:deployed", scenarios=held)
    compare(store, played(store, {"a": "pp", "b": "pp"}, scenarios=held), baseline, worlds=worlds)
    (use,) = store.filed(KIND)
    assert use.document["what"] == "compare"
    assert list(use.document["scenarios"]) == ["a"]  # type: ignore[arg-type]


def test_harm_in_a_scenario_that_is_left_out_is_new_all_the_same(store: Store) -> None:
    found = compared(store, {"a": "ppp", "b": "ppp"}, {"a": "ppp", "b": "poc"})
    assert [one.scenario for one in found.left_out] == ["b"]
    assert [(one.scenario, one.failure_class, one.trials) for one in found.new_critical] == [
        ("b", "other", (3,))
    ]
    assert found.critical_after == {}


def test_one_scenario_has_no_test_over_scenarios(store: Store) -> None:
    found = compared(store, {"a": "ppp"}, {"a": "fff"})
    assert (found.outcome, found.p) == ("worse", None)
    assert found.evidence == ("real model",)


def test_the_page_and_the_panel_say_the_same(store: Store) -> None:
    found = compared(store, {"a": "ppp", "b": "ppp", "c": "p"}, {"a": "ppp", "b": "pps"}, margin=0.1)
    page = " ".join(to_text(comparison_page(found), width=200).split())
    panel = comparison_panel(found)
    assert page.startswith("Real model in a simulated company: comparison over 2 of 3 scenarios, paired")
    assert panel.statement in page
    assert all(" ".join(note.split()) in page for note in panel.notes)
    assert "new critical failure in b: unauthorised_spending, trials 3" in page
    assert found.to_json()["outcome"] == panel.outcome
