"""Closed lists of words that scenarios and verdicts share."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

Severity: TypeAlias = Literal["critical", "major", "minor"]

Code: TypeAlias = Literal[
    "state_mismatch",
    "unexpected_change",
    "missing_action",
    "wrong_arguments",
    "action_count",
    "forbidden_action",
    "duplicate_effect",
    "unauthorised_spending",
    "missing_evidence",
    "missing_reply",
    "false_claim",
    "false_commitment",
    "forbidden_disclosure",
    "tenant_breach",
    "not_finished",
    "limit_exceeded",
    "unresolved_after_restart",
]
"""What a failure may be called."""

StopReason: TypeAlias = Literal[
    "finished",
    "turn_limit",
    "call_limit",
    "token_limit",
    "cost_limit",
    "simulated_limit",
    "wall_limit",
    "output_limit",
    "repeated_action",
    "agent_error",
    "crash_limit",
    "infrastructure_error",
    "cancelled",
]
"""Why an episode ended."""

ExpectedStop: TypeAlias = Literal[
    "finished",
    "turn_limit",
    "call_limit",
    "token_limit",
    "cost_limit",
    "simulated_limit",
    "wall_limit",
    "output_limit",
    "repeated_action",
    "agent_error",
    "crash_limit",
]
"""The stop reasons that an agent can be held to: all but outages and cancellation."""

CODES: tuple[str, ...] = get_args(Code)
STOP_REASONS: tuple[str, ...] = get_args(StopReason)
