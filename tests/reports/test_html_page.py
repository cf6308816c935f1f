"""The HTML report as a file: what stands in it, what is left out, and what hostile text comes to."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from company_lab.evaluation import Verdict
from company_lab.formats.errors import WrongUse
from company_lab.reports.html import ComparisonPanel, ComparisonRow, write_html
from company_lab.runs import Store
from report_pages import (
    BIDI,
    ESCAPE,
    FORMULA,
    HOSTILE,
    NAME,
    episode,
    fill,
    page_of,
    plan_of,
    timelines,
    with_fault,
)


class Reader(HTMLParser):
    """Tags, attributes and visible text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._hidden = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._hidden += tag in ("script", "style", "title")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style", "title")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.text += data

    @property
    def words(self) -> str:
        return " ".join(self.text.split())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


def sample(store: Store, *, trials: int = 4, lost: int = 0) -> str:
    plan = plan_of(["pays_late", "pays_twice"], trials)
    episodes = (
        episode(cell.scenario, cell.trial, failed=cell.scenario == "pays_late" and cell.trial % 2 == 0)
        for cell in plan.cells
        if cell.scenario == "pays_late" or cell.trial <= trials - lost
    )
    return fill(store, plan, episodes)


def test_it_begins_with_what_the_figures_are_evidence_of(store: Store) -> None:
    words = Reader(page_of(store, sample(store))).words
    start = words.removeprefix("Skip to the results ")
    assert start.startswith("Deterministic simulation; no model inference: 8 of 8 planned episodes scored")
    assert start.index("What was tested") < start.index("How reliable") < start.index("What blocks")


def test_every_part_of_the_report_is_there(store: Store) -> None:
    reader = Reader(page_of(store, sample(store)))
    for heading in (
        "Critical failures",
        "Reliability per scenario",
        "Every trial",
        "What went wrong",
        "Failure classes of the suite",
        "Recovery",
        "Why episodes stopped",
        "Planned and played",
        "Cost and latency",
        "Rules of the company",
        "Failed episodes",
        "What this does not say",
    ):
        assert heading in reader.words
    assert "2 failed critically" in reader.words
    assert "6 passed" in reader.words
    assert "true rate below 31.2 % at 95 % confidence" in reader.words  # none in 8


def test_no_failure_seen_is_never_printed_as_zero_risk(store: Store) -> None:
    plan = plan_of(["s"], 100)
    run = fill(store, plan, (episode("s", trial, failed=False) for trial in range(1, 101)))
    words = Reader(page_of(store, run)).words
    assert (
        "No failure seen Every planned episode passed. No critical failure was seen either, but that does not prove "
        "that there is none. For each class of them: true rate below 2.95 % at 95 % confidence." in words
    )
    assert "no repeated reliability: all trials went the same way" in words


def test_planned_episodes_that_are_lost_turn_figures_into_bounds(store: Store) -> None:
    words = Reader(page_of(store, sample(store, lost=3))).words
    assert "5 of 8 planned episodes have a score" in words
    assert "3 lost: bounds, not figures" in words
    assert "37.5 % to 75 %" in words
    assert "pays_twice, trial 2: lost, no episode is stored" in words


def test_a_timeline_tells_records_before_and_after_and_what_broke_beside_the_event(store: Store) -> None:
    told = timelines(page_of(store, sample(store)))
    assert len(told) == 2
    words = Reader(told["e0"]).words
    assert "changed: invoices I-400" in words
    assert "<del>open</del></td><td><ins>paid</ins>" in told["e0"]
    action, broken = words.index("attempts invoices.mark_paid"), words.index("Broken: forbidden_action")
    assert action < broken < words.index("attempts email.send")
    assert words.index("What never happened") < words.index("Broken: missing_action")


def test_failed_episodes_without_room_are_named_and_not_linked(store: Store) -> None:
    run = sample(store, trials=8)
    whole = page_of(store, run)
    assert len(timelines(whole)) == 4
    size = max(len(one.encode()) for one in timelines(whole).values())
    page = page_of(store, run, episode_bytes=2 * size + 1)
    words = Reader(page).words
    assert len(timelines(page)) == 2
    assert "2 failed episodes of 4 in full" in words
    assert "No room for 2 failed episodes" in words
    assert "pays_late, trials 6, 8" in words
    links = {attributes.get("href") for tag, attributes in Reader(page).tags if tag == "a"}
    assert {link for link in links if link and re.fullmatch(r"#e\d+", link)} == {"#e0", "#e1"}


def test_one_episode_larger_than_all_room_does_not_keep_others_out(store: Store) -> None:
    plan = plan_of(["s"], 3)
    lengthy = "word " * 700
    run = fill(
        store,
        plan,
        [
            episode("s", 1, failed=True, said=lengthy),
            episode("s", 2, failed=True),
            episode("s", 3, failed=False),
        ],
    )
    small = len(timelines(page_of(store, run))["e1"].encode())
    page = page_of(store, run, episode_bytes=2 * small)
    assert len(timelines(page)) == 1
    assert "s, trials 1" in Reader(page).words


@pytest.mark.fault("E20")
def test_hostile_text_is_text_wherever_it_stands(store: Store) -> None:
    plan = plan_of([NAME], 2, note=HOSTILE, suite=HOSTILE)
    run = fill(store, plan, [episode(NAME, trial, failed=True, said=HOSTILE) for trial in (1, 2)])
    page = page_of(store, run)
    ours = Reader(page_of(store, sample_of_two(store)))
    for text in (page, *timelines(page).values()):
        reader = Reader(text)
        assert not [tag for tag, _ in reader.tags if tag in ("img", "iframe", "object", "embed", "link")]
        assert not [name for _, found in reader.tags for name in found if name.startswith("on")]
        assert BIDI not in text
        assert ESCAPE not in text
        assert "\\u202e" in text
        assert "\\x1b" in text
        assert "\\ud800" in text
    assert FORMULA in Reader(page).text
    scripts = [attributes for tag, attributes in Reader(page).tags if tag == "script"]
    assert len(scripts) == len([1 for tag, _ in ours.tags if tag == "script"])


def sample_of_two(store: Store) -> str:
    plan = plan_of(["s"], 2, run="20260305-090000-000-bcdefghj")
    return fill(store, plan, [episode("s", trial, failed=True) for trial in (1, 2)])


def test_a_text_of_fifty_megabytes_is_cut_and_says_so(store: Store) -> None:
    plan = plan_of(["s"], 1)
    run = fill(store, plan, [episode("s", 1, failed=True, reply="<b>" * 17_000_000)])
    page = page_of(store, run)
    assert len(page) < 300_000
    assert "more characters" in Reader(timelines(page)["e0"]).words


def test_it_asks_for_nothing_outside_itself(store: Store) -> None:
    page = page_of(store, sample(store))
    reader = Reader(page)
    for tag, attributes in reader.tags:
        assert tag not in ("link", "img", "iframe")
        assert not attributes.get("src")
        assert (attributes.get("href") or "#").startswith("#")
        assert "style" not in attributes  # the policy allows no style but the sheet
    policy = next(found["content"] for tag, found in reader.tags if "http-equiv" in found)
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "@import" not in page
    assert "url(" not in re.sub(r"url\(#", "", page)


def test_the_same_run_gives_the_same_page(store: Store) -> None:
    run = sample(store)
    assert page_of(store, run) == page_of(store, run)


def test_a_comparison_has_its_place(store: Store) -> None:
    run = sample(store)
    assert "Comparison" not in Reader(page_of(store, run)).words
    panel = ComparisonPanel(
        before="r1",
        after="r2",
        outcome="undecided",
        statement="the difference may be on either side of the margin <b>0.05</b>",
        rows=(
            ComparisonRow(
                measure="success rate",
                before="0.70",
                after="0.75",
                difference="0.05 (-0.02 to 0.12)",
                reading="undecided",
            ),
        ),
        notes=("2 scenarios left out: their digests differ",),
    )
    words = Reader(page_of(store, run, comparison=panel)).words
    assert "undecided: the difference may be on either side of the margin <b>0.05</b>" in words
    assert "2 scenarios left out" in words


def test_recovery_tells_how_often_a_fault_occurred_and_how_often_a_call_failed_under_it(store: Store) -> None:
    run = fill(
        store,
        plan_of(["s"], 3),
        (with_fault(episode("s", trial, failed=trial == 3), "late_answer") for trial in (1, 2, 3)),
    )
    table = page_of(store, run).partition("By kind of fault")[2].partition("</table>")[0]
    heads = re.findall(r"<th scope=\"col\"[^>]*>([^<]*)</th>", table)
    numbers = re.findall(r"<td class=\"num\">([^<]*)</td>", table)
    assert list(zip(heads[1:], numbers, strict=True)) == [
        ("occurred in", "3"),
        ("passed", "2"),
        ("a call failed", "0"),
        ("passed", "0"),
    ]


def test_what_was_cut_off_is_said_beside_the_times(store: Store) -> None:
    episodes = [episode("s", trial, failed=False) for trial in range(1, 7)]
    run = fill(store, plan_of(["s"], 6), [*episodes[:5], with_fault(episodes[5], "late", stop="wall_limit")])
    words = Reader(page_of(store, run)).words
    assert "all at or below 75 ms. 1 was cut off, and would have taken longer." in words
    assert "at least 75 ms" in words
    assert "1 cut off before their end, and counted as longer" in words


def test_a_failed_verdict_that_names_no_failure_is_shown_all_the_same(store: Store) -> None:
    bare = replace(episode("s", 1, failed=False), verdict=Verdict(outcome="failed"))
    page = page_of(store, fill(store, plan_of(["s"], 1), [bare]))
    assert len(timelines(page)) == 1


def test_rules_are_read_where_somebody_asks(store: Store) -> None:
    run = sample(store)
    assert "They were not read for this report" in Reader(page_of(store, run, rules=False)).words
    assert "Read over" in Reader(page_of(store, run, rules=True)).words


@pytest.mark.parametrize("package", ["markupsafe", "jinja2", "matplotlib"])
def test_a_missing_package_is_named_with_what_to_install(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, package: str
) -> None:
    run = sample(store)
    monkeypatch.setitem(sys.modules, package, None)
    with (tmp_path / "page.html").open("wb") as file, pytest.raises(WrongUse, match=r"company-lab\[report\]"):
        write_html(store, run, file)


def test_more_trials_than_a_row_holds_go_on_in_the_next(store: Store) -> None:
    plan = plan_of(["s"], 30)
    run = fill(store, plan, (episode("s", trial, failed=trial == 30) for trial in range(1, 31)))
    page = page_of(store, run)
    assert "1 to 25" in Reader(page).words
    assert "26 to 30" in Reader(page).words
    assert page.count('<td class="cell passed">') == 29
