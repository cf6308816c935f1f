"""Every known failure has a test that shows it is caught, or a reason why there is none."""

from __future__ import annotations

from pathlib import Path

from fault_page import PAGE, KnownFailure, known_failures, marked_tests, page


def test_every_known_failure_has_a_test_or_a_reason() -> None:
    tests = marked_tests()
    known = known_failures()
    assert len(known) > 50
    assert not [entry.name for entry in known if entry.name not in tests and not entry.open]


def test_no_test_names_a_failure_that_is_not_on_the_list() -> None:
    assert set(marked_tests()) <= {entry.name for entry in known_failures()}


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(known_failures(), marked_tests()), "run scripts/faults"


def test_markers_are_found_and_gaps_are_shown(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "test_a.py").write_text(
        "import pytest\n\n@pytest.mark.fault('X1', 'X2')\ndef test_one() -> None: ...\n\n"
        "@pytest.mark.loopback\n@pytest.mark.fault('X2')\nasync def test_two() -> None: ...\n",
        "utf-8",
    )
    tests = marked_tests(tmp_path)
    assert tests == {
        "X1": ["runs/test_a.py::test_one"],
        "X2": ["runs/test_a.py::test_one", "runs/test_a.py::test_two"],
    }
    shown = page([KnownFailure("X1", "one", None), KnownFailure("X3", "three", "not there")], tests)
    assert "| X1 | one | `test_one` (runs/test_a.py) |" in shown
    assert "| X3 | three | *not yet:* not there |" in shown
    assert "1 of 2" in shown
