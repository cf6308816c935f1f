"""What the closed words of a trace mean, for people."""

from __future__ import annotations

from company_lab.formats.hostile import one_line

_STOPS = {
    "finished": "the agent was done",
    "turn_limit": "no turns were left",
    "call_limit": "no calls were left",
    "token_limit": "no tokens were left",
    "cost_limit": "the money for the model was spent",
    "simulated_limit": "the simulated time was over",
    "wall_limit": "the real time was over",
    "output_limit": "the agent wrote too much",
    "repeated_action": "the agent repeated itself without end",
    "agent_error": "the agent broke down",
    "crash_limit": "the agent crashed too often",
    "infrastructure_error": "the surroundings broke down; not the agent's doing",
    "cancelled": "somebody cancelled it",
}
BECAUSE = {
    "stimulus": "writes",
    "answer": "answers",
    "event": "wakes the agent",
    "request": "requests",
}
DECISIONS = {"allow": "allowed", "require_approval": "needs approval", "deny": "denied"}
OUTCOMES = {
    "executed": "done",
    "refused": "refused, nothing was done",
    "held": "held, nothing was done yet",
    "failed": "failed",
    "malformed": "could not be read, nothing was done",
}
FAULTS = {
    "error": "fails before it does anything",
    "lost_ack": "does its work, and the answer is lost",
    "duplicate": "arrives twice",
    "late": "arrives late",
    "reorder": "arrives out of order",
}


def stop_in_words(reason: str) -> str:
    """A stop reason with what it means: "turn_limit (no turns were left)"."""
    meaning = _STOPS.get(reason)
    return f"{one_line(reason)} ({meaning})" if meaning else one_line(reason)
