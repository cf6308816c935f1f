"""Waiting until a run in another process has stored something."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path


def wait_for_episodes(project: Path, number: int) -> None:
    """Until a run has stored so many episodes."""
    file = project / ".company-lab" / "runs.db"
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if file.exists():
            raw = sqlite3.connect(file)
            try:
                if raw.execute("select count(*) from episodes").fetchone()[0] >= number:
                    return
            except sqlite3.OperationalError:
                pass
            finally:
                raw.close()
        time.sleep(0.02)
    raise AssertionError("no episodes were stored")
