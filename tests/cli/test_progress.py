"""Progress: readable in the log of a long run, whatever agents do."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

import pytest

from company_lab.cli.expecting import told
from company_lab.cli.progress import watching
from company_lab.evaluation import Failure
from company_lab.evaluation.figures import EpisodeSummary
from company_lab.runs import Progress
from company_lab.runs.estimate import Estimate


def progress(done: int, planned: int, *, critical: int = 0, **changes: object) -> Progress:
    failures = tuple(
        Failure(
            code="false_commitment",
            severity="critical",
            failure_class="false_commitment",
            check="expected.told",
            message=f"it \x1b[2K said\nso {number}",
            evidence=(),
            found=None,
            expected=None,
        )
        for number in range(critical)
    )
    latest = EpisodeSummary(
        scenario="send_p1",
        trial=done,
        outcome="failed" if critical else "passed",
        stop="finished",
        layer="runtime",
        evidence="deterministic simulation",
        error=False,
        recovered=False,
        failures=failures,
        cost_usd=Decimal("0.01"),
        simulated_ms=0,
        calls=1,
        turns=1,
        trace_digest="",
        trajectory="",
        fault_kinds=(),
    )
    values: dict[str, object] = {
        "failed": 0,
        "unscored": 0,
        "cost_usd": Decimal("0.10"),
        "unpriced": 0,
        "again": 0,
    }
    return Progress(done=done, planned=planned, latest=latest, **(values | changes))  # type: ignore[arg-type]


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    output = capsys.readouterr().err
    assert all(character.isprintable() or character == "\n" for character in output)
    return output.splitlines()


def test_a_log_has_a_bounded_number_of_lines_however_long_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    with watching(20_000, quiet=False, json_lines=False, every=False, seconds_between=0) as watcher:
        watcher.begin()
        for done in range(1, 20_001):
            watcher(progress(done, 20_000, failed=3, unscored=4, again=2, unpriced=1))
    shown = lines(capsys)
    assert 90 <= len(shown) <= 100
    assert shown[0].startswith(
        "200 of 20000 episodes, 3 failed, 4 without a score, 2 played again after an outage, "
        "0.10 USD and 1 of unknown cost, about "
    )
    assert shown[0].endswith(" left")


def test_lines_come_no_more_often_than_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with watching(1000, quiet=False, json_lines=False, every=False, seconds_between=60) as watcher:
        watcher.begin()
        for done in range(1, 1001):
            watcher(progress(done, 1000))
    assert lines(capsys) == []


def test_what_is_critical_is_named_at_once_and_beyond_a_bound_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with watching(200, quiet=False, json_lines=False, every=False, seconds_between=0) as watcher:
        watcher.begin()
        watcher(progress(1, 200, critical=1))
        assert lines(capsys)[0] == ("CRITICAL send_p1 trial 1: false_commitment: it \\x1b[2K said\\nso 0")
        for done in range(2, 101):
            watcher(progress(done, 200, critical=2, failed=done))
        shown = lines(capsys)
    named = [line for line in shown if line.startswith("CRITICAL")]
    assert len(named) == 19
    assert sum("counted here and named in the report" in line for line in shown) == 1
    assert "100 failed, 179 critical ones more" in shown[-1]


def test_every_episode_has_a_line_where_that_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    with watching(3, quiet=False, json_lines=False, every=True) as watcher:
        watcher.begin()
        for done in (1, 2, 3):
            watcher(progress(done, 3))
    assert lines(capsys) == [f"{done}/3 send_p1 trial {done}: passed" for done in (1, 2, 3)]


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with watching(3, quiet=True, json_lines=False, every=True) as watcher:
        watcher.begin()
        watcher(progress(1, 3, critical=3))
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_json_lines_say_everything(capsys: pytest.CaptureFixture[str]) -> None:
    with watching(3, quiet=False, json_lines=True, every=False) as watcher:
        watcher.begin()
        watcher(progress(1, 3, critical=1, failed=1, again=4))
    captured = capsys.readouterr()
    assert captured.err == ""
    assert json.loads(captured.out) == {
        "kind": "episode",
        "scenario": "send_p1",
        "trial": 1,
        "outcome": "failed",
        "stop": "finished",
        "codes": ["false_commitment"],
        "critical": ["it \x1b[2K said\nso 0"],
        "cost_usd": "0.01",
        "done": 1,
        "planned": 3,
        "failed": 1,
        "repeated": 4,
    }


@pytest.mark.parametrize(
    ("expected", "line"),
    [
        (
            {"known": 0, "rests_on": 0, "wall_s": None, "cost_usd": None},
            "time and cost unknown: this agent has not played these scenarios in this store before",
        ),
        (
            {"known": 100, "rests_on": 40, "wall_s": 83.4, "cost_usd": Decimal("1.20004")},
            "expected from 40 earlier episodes: about 1m23s, about 1.2001 USD",
        ),
        (
            {"known": 60, "rests_on": 1, "wall_s": 4000.0, "cost_usd": None},
            "expected from 1 earlier episode: about 1h7m, an unknown cost for 60 of 100; 40 unknown",
        ),
        (
            {"known": 100, "rests_on": 9, "wall_s": 0.02, "cost_usd": Decimal(0)},
            "expected from 9 earlier episodes: about 1s",
        ),
        (
            {"known": 100, "rests_on": 9, "wall_s": None, "cost_usd": Decimal(3)},
            "expected from 9 earlier episodes: an unknown time, about 3 USD",
        ),
    ],
)
def test_an_estimate_says_what_is_unknown(expected: dict[str, object], line: str) -> None:
    assert told(Estimate(episodes=100, **expected)) == line  # type: ignore[arg-type]


@pytest.mark.parametrize("json_lines", [False, True])
def test_what_was_replayed_is_no_trial_and_nothing_about_it_is_critical(
    capsys: pytest.CaptureFixture[str], json_lines: bool
) -> None:
    for evidence, named in (("replayed model traffic", 0), ("real model", 1)):
        seen = progress(1, 1, critical=1)
        seen = replace(seen, latest=replace(seen.latest, evidence=evidence))
        with watching(1, quiet=False, json_lines=json_lines, every=False) as watcher:
            watcher(seen)
        output = "".join(capsys.readouterr())
        assert output.count("said") == named
