"""One time through: an agent works through a scenario once, and everything it does is recorded."""

from __future__ import annotations

from company_lab.episodes.play import Episode, play

__all__ = ["Episode", "play"]
