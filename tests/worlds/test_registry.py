"""Worlds by name: registered ones, and a team's own as module:attribute."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from company_lab.formats.errors import WrongUse
from company_lab.worlds import World, resolve_world

MODULE = """
from company_lab.worlds import World

class rooms:
    cellar = World("cellar", [])

attic = World("attic", [])
not_a_world = 3
"""


@pytest.fixture(autouse=True)
def _modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    resolve_world.cache_clear()
    for name, text in (
        ("registry_house", MODULE),
        ("registry_broken", "import registry_nowhere"),
        ("registry_syntax", "def"),
        ("registry_exits", "import sys; sys.exit(3)"),
    ):
        Path(f"{name}.py").write_text(text)
    yield
    for name in [name for name in sys.modules if name.startswith("registry_")]:
        del sys.modules[name]
    resolve_world.cache_clear()


@pytest.mark.parametrize(
    ("name", "world"), [("registry_house:attic", "attic"), ("registry_house:rooms.cellar", "cellar")]
)
def test_a_teams_own_world_is_found_from_the_working_folder(name: str, world: str) -> None:
    found = resolve_world(name)
    assert isinstance(found, World)
    assert found.name == world
    assert resolve_world(name) is found


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("atic", "there is no world atic.*module:attribute for your own"),
        ("registry_houses:attic", "there is no module registry_houses"),
        ("registry_house:atic", "registry_house has no atic; did you mean attic?"),
        ("registry_house:rooms.celar", "has no rooms.celar; did you mean cellar?"),
        ("registry_house:not_a_world", "is a int and no World"),
        ("registry_broken:world", "importing registry_broken failed: No module named 'registry_nowhere'"),
        ("registry_syntax:world", "importing registry_syntax failed: SyntaxError"),
        ("registry_exits:world", "importing registry_exits failed: SystemExit"),
        ("registry_house.more:attic", "failed|there is no module"),
        (":attic", "importing  failed"),
    ],
)
def test_a_name_that_leads_nowhere_says_which_half_was_not_found(name: str, message: str) -> None:
    with pytest.raises(WrongUse, match=message):
        resolve_world(name)


def test_what_was_not_found_can_be_found_later() -> None:
    with pytest.raises(WrongUse):
        resolve_world("registry_later:world")
    Path("registry_later.py").write_text("from company_lab.worlds import World\nworld = World('later', [])\n")
    import importlib

    importlib.invalidate_caches()
    assert resolve_world("registry_later:world").name == "later"


def test_a_registered_world_that_can_not_be_loaded_is_told_with_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = EntryPoint("cellar", "registry_broken:world", "company_lab.worlds")
    monkeypatch.setattr("company_lab.worlds.registry.entry_points", lambda group: [broken])
    with pytest.raises(
        WrongUse, match="the world cellar can not be loaded from registry_broken:world: Module"
    ):
        resolve_world("cellar")
