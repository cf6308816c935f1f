"""Suites: every file is read, nothing is lost, and identity holds across files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from company_lab.formats.errors import Problem, Problems
from company_lab.scenarios.model import Suite
from company_lab.scenarios.suite import load_suite
from scenario_texts import LONG, SHORT, edited, place_of
from small_world import small_worlds

LONG_ID = "partial_payment_is_not_settlement"


def suite_of(folder: Path, files: dict[str, str]) -> Suite:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return load_suite(folder, small_worlds)


def problems_in(folder: Path, files: dict[str, str]) -> tuple[Problem, ...]:
    with pytest.raises(Problems) as caught:
        suite_of(folder, files)
    return caught.value.problems


def renamed(text: str, name: str) -> str:
    return edited(text, (f"id: {text.partition('id: ')[2].partition(chr(10))[0]}", f"id: {name}"))


def test_a_folder_is_read_in_order_of_file_and_position(tmp_path: Path) -> None:
    suite = suite_of(
        tmp_path,
        {
            "b/last.yml": renamed(SHORT, "d"),
            "b.yaml": renamed(SHORT, "c"),
            "a/two.YAML": f"{renamed(SHORT, 'b')}---\n{renamed(SHORT, 'a')}",
            "notes.txt": "not: [a scenario",
            ".hidden.yaml": "not: [a scenario",
            ".git/x.yaml": "not: [a scenario",
        },
    )
    assert [scenario.id for scenario in suite.scenarios] == ["b", "a", "d", "c"]
    assert suite.scenarios[0].source.file == str(tmp_path / "a" / "two.YAML")
    assert suite.path == tmp_path


def test_installed_packages_are_no_part_of_a_suite(tmp_path: Path) -> None:
    strange = {
        "node_modules/x/a.yaml": "name: x",
        "lib/site-packages/a.yml": "name: x",
        ".venv/a.yaml": "name: x",
        "env/pyvenv.cfg": "home = /usr/bin",
        "env/a.yaml": "name: x",
    }
    assert len(suite_of(tmp_path, {"a.yaml": SHORT, **strange}).scenarios) == 1
    (tmp_path / "env" / "pyvenv.cfg").unlink()
    (problem,) = problems_in(tmp_path, {})
    assert problem.file == str(tmp_path / "env" / "a.yaml")


def test_a_file_of_another_program_is_one_problem(tmp_path: Path) -> None:
    (problem,) = problems_in(
        tmp_path, {"a.yaml": SHORT, "docker-compose.yml": "services:\n  web: {image: x}\n"}
    )
    assert "this is no scenario" in problem.message
    assert "services" in (problem.found or "")
    assert "folder of scenarios" in (problem.fix or "")
    found = problems_in(tmp_path, {"docker-compose.yml": "id: web\nservices: {}\n"})
    assert "unknown key services" in [one.message for one in found]


def test_a_suite_may_be_one_file(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(LONG, encoding="utf-8")
    assert [scenario.id for scenario in load_suite(tmp_path / "one.yaml", small_worlds).scenarios] == [
        LONG_ID
    ]
    assert (
        load_suite(str(tmp_path / "one.yaml"), small_worlds).digest
        == load_suite(tmp_path, small_worlds).digest
    )


def test_the_digest_of_a_suite_is_its_content(tmp_path: Path) -> None:
    one = suite_of(tmp_path / "one", {"a.yaml": LONG, "b.yaml": SHORT})
    other = suite_of(tmp_path / "other", {"x/y.yml": f"{SHORT}---\n{LONG}"})
    changed = suite_of(
        tmp_path / "changed", {"a.yaml": LONG, "b.yaml": edited(SHORT, ("sends: 0", "sends: 1"))}
    )
    assert one.digest == other.digest != changed.digest


@pytest.mark.fault("A22")
def test_ids_that_stand_twice_name_both_files(tmp_path: Path) -> None:
    (problem,) = problems_in(tmp_path, {"a/refunds.yaml": LONG, "b/billing.yaml": "# again\n" + LONG})
    assert LONG_ID in problem.message
    assert f"{tmp_path / 'a' / 'refunds.yaml'}:2" in problem.message
    assert (problem.file, problem.line) == (str(tmp_path / "b" / "billing.yaml"), 3)


def test_ids_count_even_where_the_scenario_is_wrong(tmp_path: Path) -> None:
    broken = edited(LONG, ("stop: finished", "stop: fnished"))
    found = problems_in(tmp_path, {"a.yaml": broken, "b.yaml": LONG})
    assert [(Path(problem.file).name, problem.path) for problem in found] == [
        ("a.yaml", "expected.stop"),
        ("b.yaml", "id"),
    ]


def test_problems_of_all_files_come_at_once_in_order(tmp_path: Path) -> None:
    files = {
        "a.yaml": "a: [",
        "b.yaml": edited(LONG, ("title:", "titel:"), ("[settled]", "[setled]")),
        "c.yaml": "",
        "d.yaml": SHORT,
    }
    found = problems_in(tmp_path, files)
    assert [Path(problem.file).name for problem in found] == ["a.yaml", "b.yaml", "b.yaml", "c.yaml"]
    assert found[1].line == place_of(LONG, "title:")[0]


def test_a_suite_without_scenarios_is_refused(tmp_path: Path) -> None:
    (problem,) = problems_in(tmp_path, {"readme.md": "nothing"})
    assert "no scenarios" in problem.message


def test_a_path_that_leads_nowhere_names_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "refunds.yaml").write_text(LONG, encoding="utf-8")
    for path, near in ((tmp_path / "refund.yaml", tmp_path / "refunds.yaml"), (tmp_path / "x" / "y", None)):
        with pytest.raises(Problems) as caught:
            load_suite(path, small_worlds)
        (problem,) = caught.value.problems
        assert problem.file == str(path)
        assert problem.nearest == (str(near) if near else None)


def test_files_that_can_not_be_read_are_problems(tmp_path: Path) -> None:
    (tmp_path / "dangling.yaml").symlink_to(tmp_path / "gone")
    found = problems_in(tmp_path, {"latin.yaml": LONG})
    assert ["no such file" in problem.message for problem in found] == [True]
    assert str(tmp_path / "gone") in found[0].message, "where the link leads"
    assert found[0].nearest is None, "its own name is no better one"
    (tmp_path / "dangling.yaml").unlink()
    (tmp_path / "latin.yaml").write_bytes(b"id: caf\xe9")
    (problem,) = problems_in(tmp_path, {})
    assert "byte 7" in problem.message


def test_a_device_or_pipe_among_the_files_is_a_problem_and_is_not_waited_for(tmp_path: Path) -> None:
    odd = tmp_path / "odd.yaml"
    odd.symlink_to(os.devnull)
    (problem,) = problems_in(tmp_path, {"a.yaml": LONG})
    assert problem.file == str(odd)
    assert "it is a pipe or a device" in problem.message
    odd.unlink()
    os.mkfifo(odd)
    assert problems_in(tmp_path, {}) == (problem,)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="everything is readable")
def test_a_file_without_permission_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(LONG, encoding="utf-8")
    (tmp_path / "a.yaml").chmod(0)
    (problem,) = problems_in(tmp_path, {})
    assert "can not be read" in problem.message


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="everything is readable")
def test_a_folder_without_permission_is_a_problem_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed").chmod(0)
    (problem,) = problems_in(tmp_path, {"a.yaml": LONG})
    assert (problem.file, problem.message) == (str(tmp_path / "closed"), "can not be read: Permission denied")
    (tmp_path / "closed").chmod(0o700)


@pytest.mark.parametrize("key", ["twin_of", "variant"])
def test_links_lead_to_scenarios_of_the_suite(tmp_path: Path, key: str) -> None:
    linked = f"{key}: {LONG_ID}\n{SHORT}"
    suite = suite_of(tmp_path / "right", {"a.yaml": linked, "b.yaml": LONG})
    assert getattr(suite.scenarios[0], key) == LONG_ID
    (problem,) = problems_in(
        tmp_path / "wrong", {"a.yaml": edited(linked, ("payment_is", "paymet_is")), "b.yaml": LONG}
    )
    assert (problem.path, problem.nearest) == (key, LONG_ID)
    (problem,) = problems_in(
        tmp_path / "self", {"a.yaml": f"{key}: changed_quote_invalidates_approval\n{SHORT}"}
    )
    assert problem.path == key


def test_links_of_a_single_file_may_lead_to_its_folder(tmp_path: Path) -> None:
    suite_of(tmp_path, {"a.yaml": f"twin_of: {LONG_ID}\n{SHORT}", "b.yaml": LONG})
    assert len(load_suite(tmp_path / "a.yaml", small_worlds).scenarios) == 1
    (tmp_path / "b.yaml").unlink()
    with pytest.raises(Problems):
        load_suite(tmp_path / "a.yaml", small_worlds)
