"""Pointing from a report to the command that shows more of a run."""

from __future__ import annotations


def short(run: str) -> str:
    """The end of a run's id, which names it just as well."""
    return run.rsplit("-", 1)[-1]


def show_line(run: str, scenario: str, trial: int, *, at: str = "") -> str:
    """The command line that shows an episode.

    `at` says where the store is (`runs.place.store_words`). A page that travels leaves it out: where it is read the
    store may lie elsewhere, and nobody has to know the folders of whoever wrote it.
    """
    return f"company-lab show {short(run)} {scenario} {trial}{at}"
