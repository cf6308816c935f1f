"""What a run remembers of the code it depends on."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from company_lab.runs.code import code_identity
from company_lab.runs.imports import imported_files


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A team's folder: an agent that imports its prompts, a package, and something late."""
    folder = tmp_path / "team"
    files = {
        "chatty_agent.py": "import json\nimport chatty_prompts\nfrom chatty_tools import mail\n"
        "def act(task, session):\n    import chatty_late\n    return chatty_prompts.HELLO\n",
        "chatty_prompts.py": "HELLO = 'Good morning'\n",
        "chatty_late.py": "",
        "chatty_unused.py": "",
        "chatty_tools/__init__.py": "",
        "chatty_tools/mail.py": "from . import wording\n",
        "chatty_tools/wording.py": "from .deep.down import there\n",
        "chatty_tools/deep/__init__.py": "",
        "chatty_tools/deep/down.py": "there = 1\n",
        "chatty_tools/other.py": "",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    return folder


def modules(folder: Path) -> dict[str, Any]:
    identity: Any = code_identity(["chatty_agent"], folder)
    return dict(identity["modules"])


def test_everything_an_agent_imports_from_beside_it_counts_and_nothing_else(team: Path) -> None:
    assert set(imported_files("chatty_agent", team / "chatty_agent.py")) == {
        "chatty_prompts",
        "chatty_late",
        "chatty_tools",
        "chatty_tools.mail",
        "chatty_tools.wording",
        "chatty_tools.deep",
        "chatty_tools.deep.down",
    }


@pytest.mark.fault("E10")
def test_a_changed_prompt_module_changes_the_identity_and_other_line_ends_do_not(team: Path) -> None:
    __import__("chatty_agent")
    before = modules(team)
    prompts = team / "chatty_prompts.py"
    prompts.write_bytes(prompts.read_bytes().replace(b"\n", b"\r\n"))
    assert modules(team) == before
    prompts.write_text("HELLO = 'Good evening'\n", "utf-8")
    after = modules(team)
    assert {name for name in after if after[name] != before[name]} == {"chatty_prompts"}


def test_a_module_without_a_file_is_listed_and_nothing_is_said_of_it(team: Path) -> None:
    identity: Any = code_identity(["typed_at_a_prompt"], team)
    assert identity["modules"] == {"typed_at_a_prompt": None}


def test_an_installed_module_is_followed_within_its_package_only(tmp_path: Path) -> None:
    installed = tmp_path / "lib" / "site-packages"
    (installed / "agentry").mkdir(parents=True)
    (installed / "agentry" / "__init__.py").write_text("from agentry import one\nimport neighbour\n")
    (installed / "agentry" / "one.py").write_text("")
    (installed / "neighbour.py").write_text("")
    assert set(imported_files("agentry", installed / "agentry" / "__init__.py")) == {"agentry.one"}


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=Ida", "-c", "user.email=ida@example.test"]
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


def test_commit_and_uncommitted_difference_are_told(team: Path) -> None:
    def commit() -> Any:
        return code_identity([], team)["commit"]

    assert commit() is None
    git(team, "init", "-q")
    assert commit() is None
    git(team, "add", ".")
    git(team, "commit", "-qm", "first")
    clean = commit()
    assert clean["uncommitted"] is None
    (team / "chatty_prompts.py").write_text("HELLO = 'Hi'\n", "utf-8")
    changed = commit()
    assert (changed["id"], len(changed["uncommitted"])) == (clean["id"], 64)
    git(team, "commit", "-qam", "second")
    assert commit()["id"] != clean["id"]
