"""The replay kit runs offline with one command, and its assertions can fail."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

KIT = Path(__file__).parents[2] / "examples" / "replay_kit"


@pytest.fixture(scope="module")
def kit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("replay_kit", KIT / "replay.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_one_command_replays_everything(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(KIT / "replay.py")],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines[:4]] == [
        "duplicate operations",
        "changed approvals",
        "partial settlement",
        "payback",
    ]
    assert lines[-1].endswith("replays, all as declared")


@pytest.mark.parametrize(
    ("cost", "margin", "periods", "left"),
    [(100, 100, 1, 0), (99, 100, 1, 99), (101, 100, 2, 1), (0, 1, 0, 0), (10**18 + 1, 10**9, 10**9 + 1, 1)],
)
def test_payback_rounds_whole_periods_up_and_shows_the_remainder(
    kit: ModuleType, cost: int, margin: int, periods: int, left: int
) -> None:
    assert kit.payback(cost, margin) == (periods, left)


@pytest.mark.parametrize(("cost", "margin"), [(100, 0), (100, -5), (-1, 100)])
def test_what_is_never_paid_back_has_no_payback(kit: ModuleType, cost: int, margin: int) -> None:
    with pytest.raises(ValueError, match="margin"):
        kit.payback(cost, margin)


@pytest.mark.parametrize("story", ["duplicate_operations", "partial_settlement"])
def test_a_story_that_comes_out_otherwise_is_an_error(kit: ModuleType, story: str) -> None:
    played = kit.conducts()
    swapped = {
        "duplicate_operations": ("refund_is_tried_again", "wrong:pays_twice"),
        "partial_settlement": ("deposit_is_not_settlement", "wrong:releases_the_goods"),
    }
    scenario, wrong = swapped[story]
    changed = played[scenario] | {"reference": played[scenario][wrong], wrong: played[scenario]["reference"]}
    with pytest.raises((AssertionError, KeyError)):
        getattr(kit, story)(changed)


def test_the_kit_is_read_in_ten_minutes() -> None:
    files = [*KIT.rglob("*.py"), *KIT.rglob("*.yaml"), *KIT.rglob("*.md")]
    assert sum(len(file.read_text("utf-8").split()) for file in files) < 2500
