"""A held-out set stays private, and its commitment knows it again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from company_lab.formats.errors import WrongUse
from company_lab.formats.yaml import read_yaml
from company_lab.probing.held_out import (
    HeldOut,
    as_yaml,
    clone_suite,
    commitment,
    commitment_file,
    differences,
    write_set,
)
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite
from depot import world
from played_run import document, scenario


def pair() -> HeldOut:
    return clone_suite(
        [scenario("first"), scenario("second", twin_of="first"), scenario("third", twin_of="elsewhere")],
        lambda name: world,
        seed=5,
    )


def loaded(folder: Path) -> tuple[Scenario, ...]:
    return load_suite(folder, worlds=lambda name: world.spec).scenarios


def test_a_written_set_is_a_suite_of_held_out_scenarios_whose_links_stay_inside(tmp_path: Path) -> None:
    beside = write_set(pair(), tmp_path / "private")
    scenarios = {one.origin: one for one in loaded(tmp_path / "private")}
    assert {one.split for one in scenarios.values()} == {"held_out"}
    assert scenarios["second"].twin_of == scenarios["first"].id
    assert scenarios["third"].twin_of is None
    assert beside == tmp_path / "private.commitment.json"
    assert not differences(scenarios.values(), beside)


def test_the_commitment_gives_nothing_away_but_a_number_and_a_hash(tmp_path: Path) -> None:
    committed = json.loads(write_set(pair(), tmp_path / "private").read_text("utf-8"))
    assert committed.keys() == {"format", "scenarios", "digest"}
    assert committed["scenarios"] == 3
    assert len(committed["digest"]) == 64


@pytest.mark.parametrize("content", [b"<<<<<<< ours", b"\xff\xfe", b"[]"])
def test_a_commitment_that_nobody_can_read_is_told_of(tmp_path: Path, content: bytes) -> None:
    beside = write_set(pair(), tmp_path / "private")
    beside.write_bytes(content)
    with pytest.raises(WrongUse, match=r"private\.commitment\.json"):
        differences(loaded(tmp_path / "private"), beside)


def test_a_changed_set_is_known(tmp_path: Path) -> None:
    folder = tmp_path / "private"
    beside = write_set(pair(), folder)
    file = next(folder.glob("third*"))
    file.write_text(file.read_text("utf-8").replace("waits", "hopes"), "utf-8")
    (line,) = differences(loaded(folder), beside)
    assert line.startswith("digest was ")
    file.unlink()
    assert any(line.startswith("scenarios was 3") for line in differences(loaded(folder), beside))


def test_a_scenario_that_is_not_held_out_does_not_belong_to_a_set(tmp_path: Path) -> None:
    beside = write_set(pair(), tmp_path / "private")
    assert "fourth is not held out" in differences([scenario("fourth")], beside)


def test_the_order_of_a_set_does_not_matter() -> None:
    assert commitment(["a", "b"]) == commitment(["b", "a"]) != commitment(["a", "c"])


def test_a_folder_with_other_files_is_not_written_into(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(WrongUse, match=r"notes\.txt"):
        write_set(pair(), tmp_path)


def test_without_a_commitment_nothing_can_be_checked(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="there is no commitment"):
        differences([scenario()], commitment_file(tmp_path / "private"))


def test_held_out_scenarios_are_not_cloned_again() -> None:
    again = clone_suite([scenario("first", split="held_out")], lambda name: world, seed=5)
    assert (again.clones, again.refused) == ((), ())


@pytest.mark.parametrize("text", ["no", "0o17", "1e3", "12:30", "2026-03-05", "~", "a: b", "#", "ü", " x "])
def test_every_text_is_read_back_as_it_was(text: str) -> None:
    told = document(title=text)
    assert [read.value for read in read_yaml(as_yaml(told))] == [told]
