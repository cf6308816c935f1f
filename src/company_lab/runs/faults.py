"""Kinds of fault of an episode as one column holds them: `duplicate lost_ack!`, with a mark where a call failed."""

from __future__ import annotations

from company_lab.evaluation.summaries import EpisodeSummary

_FAILED = "!"


def fault_text(summary: EpisodeSummary) -> str:
    """The kinds of fault that occurred in an episode, as text."""
    return " ".join(
        f"{_word(kind)}{_FAILED if kind in summary.fault_errors else ''}" for kind in summary.fault_kinds
    )


def _word(kind: str) -> str:
    """A kind from a trace that was written elsewhere may hold anything."""
    return "_".join(kind.replace(_FAILED, " ").split()) or "unnamed"


def kinds_in(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The kinds that occurred, and those of them under which a call failed."""
    words = text.split()
    return (
        tuple(word.removesuffix(_FAILED) for word in words),
        tuple(word.removesuffix(_FAILED) for word in words if word.endswith(_FAILED)),
    )
