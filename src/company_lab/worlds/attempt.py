"""Attempt: what became of one use of a tool, as the agent learns it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from company_lab.formats.canonical import Json

Outcome = Literal["executed", "refused", "held", "failed", "malformed"]


class Attempt(NamedTuple):
    """What became of one attempt, as the agent learns it.

    `code` is empty where the answer arrived, otherwise one of refused, held, failed, timed_out,
    bad_arguments, unknown_tool.
    """

    outcome: Outcome
    value: Json
    code: str = ""
    reason: str = ""
    message: str = ""
