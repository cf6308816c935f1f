"""Audits look at what is said, not at how JSON writes it, and at all there is, however much of it is alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from company_lab.company import company
from company_lab.probing.audit import SCRIPTED, Finding, audit_suite
from company_lab.probing.audit.likeness import NEAR, hidden_families, story_of
from company_lab.probing.audit.renaming import renamed
from company_lab.probing.audit.subject import Subject
from company_lab.probing.audit.wording import wording
from company_lab.scenarios.loader import load_document
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite
from company_lab.worlds import Department, World
from company_lab.worlds.registry import resolve_world

HERE = Path(__file__).parent
GOOD = (HERE / "good_suite" / "good.yaml").read_text("utf-8")
PASTED = (HERE / "bad_suite" / "a4.yaml").read_text("utf-8")


def audited(folder: Path, text: str, code: str) -> tuple[Finding, ...]:
    (folder / "one.yaml").write_text(text, "utf-8")
    suite = load_suite(folder, worlds=lambda name: resolve_world(name).spec)
    return audit_suite(suite, resolve_world, only=[code], processes=1).findings


def story(id: str, *, message: str, **initial: Any) -> Scenario:
    return load_document(
        {
            "id": id,
            "initial": initial,
            "stimulus": {"message": message},
            "expected": {"told": {"states": [{"literal": id}]}},
            "reference": [{"reply": id}],
        },
        worlds=lambda name: company.spec,
    )


def contact(name: str, id: str = "C-1") -> dict[str, object]:
    return {"contacts": {id: {"name": name}}}


def test_the_wording_of_a_value_is_its_texts_keys_and_numbers_as_they_are() -> None:
    assert wording({"Größe": ["„12“", {"a": None}], "n": [3, True]}) == "Größe\n„12“\na\nnull\nn\n3\ntrue"


@pytest.mark.parametrize("around", ["„{}“", "one line\n{}\nmore", "\t{}", "—{}—"])
def test_an_id_is_renamed_between_quotes_dashes_and_line_ends(around: str) -> None:
    (record,) = renamed([{"text": around.format("parcel_1")}], {"parcel_1": "parcel_701"})
    assert record["text"] == around.format("parcel_701")


def test_what_is_pasted_is_pasted_in_its_own_letters(tmp_path: Path) -> None:
    text = PASTED.replace("+49 30 5550 1", "Grünstraße 5")
    assert [one.audit for one in audited(tmp_path, text, "A4")] == ["A4"]


def test_a_title_that_the_agent_can_read_is_found_in_any_letters(tmp_path: Path) -> None:
    title = "Die Anzahlung für „I-7“ ist da"
    first, _, _ = GOOD.partition("---")
    text = first.replace("title: A deposit arrived", f"title: {title}", 1)
    text = text.replace("message: A payment", f"message: {title}. A payment", 1)
    (finding,) = audited(tmp_path, text, "C2")
    assert finding.evidence == "the agent can read the title of the scenario"


def test_stories_in_other_letters_are_told_apart_by_their_words() -> None:
    """Written as escapes, every text in one alphabet is made of the same few words."""
    one = story("one", message="Пожалуйста, верните деньги за разбитую чашку", **contact("Анна Орлова"))
    other = story("other", message="Когда привезут новую лампу для кухни", **contact("Иван Седов"))
    first, second = story_of(one).words, story_of(other).words
    assert "чашку" in first
    assert len(first & second) < len(first | second) / 2


def test_many_copies_of_one_template_are_a_family_that_nothing_names() -> None:
    """None of their words is rare, and each copy differs from the others by one number."""
    message = "Please look up when the lamp that I ordered last week for my kitchen will be delivered to me"
    suite = [story(f"s{n}", message=f"{message}: {1000 + n}", **contact("Ida Holm")) for n in range(60)]
    found = list(hidden_families([Subject(scenario, company) for scenario in suite]))
    assert len(found) == 59


@settings(max_examples=30)
@given(st.lists(st.sets(st.integers(0, 24), min_size=8, max_size=20), min_size=2, max_size=12), st.data())
def test_every_pair_that_is_nearly_the_same_is_found(bags: list[set[int]], data: st.DataObject) -> None:
    """As comparing each with each finds them; some are made of others so that there are such pairs."""
    grown = data.draw(st.lists(st.tuples(st.sampled_from(bags), st.integers(0, 24)), max_size=8))
    bags = [*bags, *(bag ^ {changed} for bag, changed in grown)]
    suite = [
        story(f"s{n}", message=" ".join(f"word{_letters(one)}" for one in sorted(bag)))
        for n, bag in enumerate(bags)
    ]
    found = hidden_families([Subject(scenario, company) for scenario in suite])
    named = {one.scenario for one in found if isinstance(one, Finding)}
    assert named == set(_near_to_an_earlier_one(suite))


def _letters(number: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[number]


def _near_to_an_earlier_one(suite: list[Scenario]) -> Iterator[str]:
    words = [story_of(scenario).words for scenario in suite]
    for place, scenario in enumerate(suite):
        if any(len(words[place] & one) >= NEAR * len(words[place] | one) for one in words[:place]):
            yield scenario.id


def test_an_agent_that_is_offered_nothing_still_comes_to_an_end() -> None:
    empty = World("empty", [Department("empty")])
    scenario = load_document(
        {
            "id": "nothing_to_do",
            "stimulus": {"message": "Say hello."},
            "expected": {"told": {"states": [{"literal": "hello"}]}},
            "reference": [{"reply": "hello"}],
        },
        worlds=lambda name: empty.spec,
    )
    played = Subject(scenario, empty).play(SCRIPTED["random:1"])
    assert played.trace.stop == "finished"


def test_a_forbidden_action_that_nobody_could_ask_for_is_told_of(tmp_path: Path) -> None:
    """The world takes no negative amount, so the attempt is malformed and proves nothing."""
    first, _, _ = GOOD.partition("---")
    never = "  - tool: invoices.record_payment\n    args: {amount_minor: {at_most: -5}}\n"
    text = first.replace("  forbidden:\n", f"  forbidden:\n{never}", 1)
    found = audited(tmp_path, text, "B7")
    assert [(one.level, one.path) for one in found] == [("info", "expected.forbidden[0]")]
