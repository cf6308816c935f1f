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
    "lost_request": "is lost on the way and does nothing; the agent hears as little as of a lost answer",
    "late_answer": "does its work, and the answer takes long",
    "rate_limited": "is turned away before it does anything (429)",
    "rate_limited_after": "does its work, and answers that it was turned away (429)",
    "server_error": "breaks before it does anything (500)",
    "server_error_after": "does its work, and answers that it broke (500)",
    "malformed_result": "does its work, and the answer arrives cut off",
    "partial_result": "does its work, and part of the answer is missing",
    "stale_read": "answers from records as they were before",
    "foreign_change": "meets records that someone else changed just before",
    "outage": "finds it down",
    "approval_expires": "comes when its approval has just run out",
    "lease_expires": "comes when its lease has just run out",
    "crash": "is where the agent crashes",
    "duplicate": "arrives twice",
    "late": "arrives late",
    "reorder": "arrives out of order",
    "forged": "is made up: its provider knows nothing of it",
    "dropped": "is lost on the way, and sent again later",
}


def stop_in_words(reason: str) -> str:
    """A stop reason with what it means: "turn_limit (no turns were left)"."""
    meaning = _STOPS.get(reason)
    return f"{one_line(reason)} ({meaning})" if meaning else one_line(reason)
