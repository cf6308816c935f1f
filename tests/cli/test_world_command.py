"""The names of a world, through the real command."""

from __future__ import annotations

from pathlib import Path

from command import Lab


def test_the_command_prints_one_department_or_names_the_nearest(lab: Lab) -> None:
    told = lab("world", "company", "--only", "invoices")
    assert told.returncode == 0
    assert "    invoices.mark_paid: writes, needs invoices.write. " in told.stdout
    assert "payments.refund" not in told.stdout
    wrong = lab("world", "company", "--only", "invoces")
    assert wrong.returncode == 2
    assert "did you mean invoices?" in wrong.stderr


def test_a_page_that_is_not_current_is_told(lab: Lab, tmp_path: Path) -> None:
    assert lab("world", "--markdown", "page.md").returncode == 0
    page = tmp_path / "page.md"
    assert "# The world company" in page.read_text("utf-8")
    assert lab("world", "--markdown", "page.md", "--check").returncode == 0
    page.write_text("old", "utf-8")
    assert lab("world", "--markdown", "page.md", "--check").returncode == 1
    assert page.read_text("utf-8") == "old"
