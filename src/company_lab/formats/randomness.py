"""Random streams that depend on what is being done and never on who does it or in which order."""

from __future__ import annotations

import hashlib
import random


def stream(seed: int, scenario: str, trial: int, purpose: str) -> random.Random:
    """An own generator for one purpose, from SHA-256 of (seed, scenario, trial, purpose)."""
    name = f"{seed}\x1f{scenario}\x1f{trial}\x1f{purpose}".encode("utf-8", "surrogatepass")
    return random.Random(int.from_bytes(hashlib.sha256(name).digest(), "big"))
