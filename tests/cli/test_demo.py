from __future__ import annotations

import re
from pathlib import Path

from command import Lab
from company_lab.runs import Store


def test_the_demonstration_shows_passes_catches_and_figures(lab: Lab, tmp_path: Path) -> None:
    done = lab("demo", "--store", "demo.db")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Deterministic simulation; no model inference")
    counts = [
        (int(left.replace(",", "")), int(right.replace(",", "")))
        for left, right in re.findall(r"([\d,]+) of ([\d,]+) (?:episodes passed|wrong)", done.stdout)
    ]
    assert len(counts) == 3
    assert all(left == right > 0 for left, right in counts)
    assert "pass^2" in done.stdout
    assert "BROKEN" in done.stdout
    with Store(tmp_path / "demo.db", create=False) as store:
        outcomes = store.entry(store.resolve()).outcomes
    assert set(outcomes) == {"passed", "failed"}


def test_the_demonstration_is_the_same_every_time(lab: Lab) -> None:
    def shown(name: str) -> str:
        text = lab("demo", "--store", name, "--trials", "3").stdout
        return re.sub(r"\d{8}-\d{6}-\d{3}-\w{8}|show \w{8}|\w+\.db", "RUN", text)

    assert shown("one.db") == shown("two.db")
