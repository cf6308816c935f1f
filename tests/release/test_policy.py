"""Release policies: everything that is wrong with one is said at once, with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from company_lab.formats.errors import Problems, WrongUse
from company_lab.formats.yaml import read_yaml
from company_lab.release.enough import least_trials
from company_lab.release.policy import policy_schema
from company_lab.release.policy_reading import MINIMAL, load_policy, read_policy

LEAST = """
format: 1
use: unattended
evidence: real model
trials: 5
pass_k: {k: 3, across: 0.8}
"""


def said(text: str) -> list[str]:
    with pytest.raises(Problems) as caught:
        read_policy(text, file="release.yaml")
    return [str(problem) for problem in caught.value.problems]


def test_the_least_policy_asks_for_an_audit_a_whole_suite_every_cell_and_no_critical_failure() -> None:
    policy = read_policy(LEAST)
    assert policy.audit.required
    assert policy.whole_suite
    assert policy.critical.of("other").allowed == policy.complete.lost == 0
    assert policy.pass_k is not None
    assert policy.pass_k.measure == "lower_bound"


def test_a_digest_is_of_the_meaning() -> None:
    spelled = LEAST + "audit: {required: true}\ncritical: {every: {allowed: 0}}\n"
    assert read_policy(spelled).digest == read_policy(LEAST).digest
    assert read_policy(LEAST + "attempts: 2\n").digest != read_policy(LEAST).digest


@pytest.mark.fault("G04", "G05")
def test_all_that_is_wrong_is_said_at_once_with_its_place() -> None:
    problems = said(
        """use: unatended
evidence: real modle
trial: 5
critical: {every: {belw: 0.01, allowed: true}, other: {allowed: -1, below: 1.5}}
pass_k: {k: 3.5, across: .nan}
latency: {p95: 20}
cost: {mean_usd: 0.05, most_usd: "NaN"}
faults: {lost_akc: 1}
coverage: {a: 0, b: {episods: 2}}
"""
    )
    expected = [
        ":1:1: the key trials is missing",
        ":1:6: use: a wrong value; found 'unatended'; expected one of supervised_draft, unattended; did you mean",
        ":2:11: evidence: real modle is no kind of evidence",
        ":3:1: trial: unknown key trial",
        ":4:20: critical.every.belw: unknown key belw; expected one of allowed, below, confidence; did you mean below?",
        ":4:41: critical.every.allowed: a wrong type; found true, read as a boolean; expected a whole number",
        ":4:65: critical.other.allowed: the number is out of range; found -1",
        ":4:76: critical.other.below: the number is out of range; found 1.5",
        ":5:13: pass_k.k: a wrong type; found 3.5",
        ":5:26: pass_k.across: not a finite number; found .nan",
        ":6:16: latency.p95: a wrong type; found 20, read as the number 20; expected a duration such as 20s",
        ":7:18: cost.mean_usd: an amount in USD is a decimal text; found 0.05",
        ":7:34: cost.most_usd: an amount in USD is a decimal text; found 'NaN'",
        ":8:10: faults.lost_akc: there is no kind of fault lost_akc",
        ":9:15: coverage.a: the number is out of range; found 0",
        ":9:22: coverage.b.episods: unknown key episods; expected one of scenarios, episodes; did you mean episodes?",
    ]
    assert len(problems) == len(expected)
    for problem, wanted in zip(problems, expected, strict=True):
        assert problem.startswith(f"release.yaml{wanted}")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            {"pass_k: {k: 3, across: 0.8}": "pass_at_k: {k: 3, across: 0.8}"},
            "pass@k says that one of k drafts is right",
        ),
        (
            {"pass_k: {k: 3, across: 0.8}": ""},
            "unattended needs a floor of reliability; expected the key pass_k",
        ),
        ({"across: 0.8": ""}, "pass_k asks for nothing"),
        ({"k: 3": "k: 6"}, "6 in a row needs 6 trials"),
        ({"across: 0.8": "each: 1"}, "no number of trials shows that every one comes right"),
        ({"across: 0.8": "across: 1.0"}, "no number of trials shows that every one comes right"),
        ({"across: 0.8": "across: 0.8, held_out: 0.5"}, "no held-out scenarios are asked for"),
        ({"real model": "replayed model traffic"}, "no kind of evidence a policy can ask for"),
        ({"real model": "recorded elsewhere"}, "no kind of evidence a policy can ask for"),
        ({"real model": "[]"}, "an empty list"),
        ({"trials: 5": "trials: 5\ncritical:"}, "found nothing (null); expected a mapping"),
        (
            {"unattended": "supervised_draft", "pass_k: {k: 3, across: 0.8}": ""},
            "supervised_draft needs a floor",
        ),
        ({"format: 1": "format: 2"}, "expected one of 1"),
        ({"trials: 5": "trials: 5\ncritical: {every: {below: 1.0e-12}}"}, "expected at least 1e-06"),
        ({"across: 0.8": "across: 0, measure: estimate"}, "every candidate reaches a floor of 0"),
        ({"across: 0.8": "across: 0.8, each: 0.0"}, "every candidate reaches a floor of 0"),
        ({"trials: 5": "trials: 5\ncost: {}"}, "cost asks for nothing"),
        ({"trials: 5": "trials: 5\nlatency: {confidence: 0.9}"}, "latency asks for nothing"),
        ({"trials: 5": "trials: 5\ncoverage: {}"}, "coverage asks for nothing"),
        ({"trials: 5": "trials: 5\nfaults: {}"}, "faults asks for nothing"),
        ({"trials: 5": "trials: 5\naudit: {required: false, killed: 0.9}"}, "nobody would look at this"),
        ({"trials: 5": "trials: 5\nbaseline: {margin: 1.0}"}, "no candidate is worse by more than that"),
        ({"trials: 5": "trials: 5\ncritical: {other: {allowed: 9}}"}, "9 of how many?"),
    ],
)
def test_what_no_run_could_satisfy_and_what_would_ask_for_nothing_is_refused(
    change: dict[str, str], expected: str
) -> None:
    text = LEAST
    for old, new in change.items():
        assert old in text
        text = text.replace(old, new)
    assert any(expected in problem for problem in said(text))


@pytest.mark.parametrize("text", ["", "- a\n", "a: 1\n---\nb: 2\n", "a: [\n"])
def test_what_is_no_policy_at_all_is_refused(text: str) -> None:
    assert said(text)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match=r"release\.yaml can not be read.*docs/release\.md") as caught:
        load_policy(tmp_path / "release.yaml")
    assert MINIMAL in str(caught.value)
    assert read_policy(MINIMAL).use == "unattended"
    with pytest.raises(WrongUse, match="can not be read: Is a directory"):
        load_policy(tmp_path)


def test_the_schema_takes_what_the_reader_takes() -> None:
    validator = Draft202012Validator(policy_schema())
    good = (
        LEAST
        + 'coverage: {a: 1, b: {scenarios: 2}}\nlatency: {p95: 20s}\ncost: {mean_usd: "0.05"}\nlayer: reasoning\n'
    )
    assert not list(validator.iter_errors(read_yaml(good)[0].value))
    assert list(validator.iter_errors(read_yaml(LEAST + "attemps: 2\n")[0].value))


@pytest.mark.parametrize(("k", "floor", "trials"), [(1, 0.9, 35), (1, 0.0, 1), (3, 0.5, 15), (4, 0.01, 4)])
def test_the_fewest_trials_whose_bound_reaches_a_floor(k: int, floor: float, trials: int) -> None:
    assert least_trials(k=k, floor=floor, confidence=0.95) == trials
