"""What happened: the full, ordered record of an episode."""

from __future__ import annotations

from company_lab.traces.record import FORMAT, Record, Trace

__all__ = ["FORMAT", "Record", "Trace"]
