"""Index: one pass over a trace, after which every check finds what it needs without searching.

Reads records, never changes them. Records of unknown kinds and missing keys are passed over, so a trace that
was cut short or came from elsewhere can still be judged for what it shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from company_lab.formats.canonical import NotJson, canonical, parse

Record: TypeAlias = Mapping[str, Any]
_NONE: Mapping[str, Any] = {}


class Attempt:
    """One action, and what came of it."""

    __slots__ = (
        "args",
        "call",
        "changes",
        "delivered",
        "effects",
        "outcome",
        "reason",
        "replayed",
        "result_seq",
        "seq",
        "supplied",
        "tool",
        "turn",
        "unanswered",
        "value",
    )

    def __init__(self, record: Record) -> None:
        self.seq: int = record.get("seq", -1)
        self.call: str = record.get("call") or ""
        self.turn: int | None = record.get("turn")
        self.tool: str = record.get("tool") or ""
        args = record.get("args")
        readable = type(args) is dict or isinstance(args, Mapping)  # asking the abstract class alone is slow
        self.args: Mapping[str, Any] | None = args if readable else None
        self.supplied: object = record.get("supplied", args)
        self.result_seq: int | None = None
        self.outcome: str | None = None
        """None where the trace ends before a result."""
        self.delivered = False
        self.unanswered = False
        """Nothing came back: a timeout, or the agent was gone by then."""
        self.reason: str | None = None
        """The guard's reason, where it gave one."""
        self.value: object = None
        self.changes: Sequence[Record] = ()
        self.effects: list[Record] | None = None
        self.replayed = False
        """Answered from an earlier call under the same idempotency key: nothing happened again."""

    @property
    def executed(self) -> bool:
        """Whether the operation took place, whatever reached the agent; a replay did not."""
        if self.replayed:
            return False
        return self.outcome == "executed" or (self.effects is not None and self.outcome != "malformed")

    @property
    def readable(self) -> Mapping[str, Any] | None:
        """The arguments as far as they can be read, also of a malformed attempt; None where they can not."""
        if self.args is not None:
            return self.args
        supplied = self.supplied
        if supplied is None or supplied == "":
            return _NONE
        if isinstance(supplied, str):
            try:
                supplied = parse(supplied)
            except NotJson:
                return None
        return supplied if isinstance(supplied, Mapping) else None

    @property
    def seqs(self) -> tuple[int, ...]:
        """The records that show it: the action, and its result where there is one."""
        return (self.seq,) if self.result_seq is None else (self.seq, self.result_seq)


class Text:
    """Something that was said: a reply, or a text that left the company."""

    __slots__ = ("facts", "reply", "seq", "text", "to", "turn")

    def __init__(
        self, *, seq: int, turn: int | None, to: object, text: object, facts: object, reply: bool
    ) -> None:
        self.seq = seq
        self.turn = turn
        self.to: tuple[str, ...] = _receivers(to)
        self.text = text if isinstance(text, str) else "" if text is None else canonical(text)
        known = type(facts) is dict or isinstance(facts, Mapping)
        self.facts: Mapping[str, Any] = facts if known else _NONE  # type: ignore[assignment]
        self.reply = reply

    @property
    def words(self) -> str:
        """What it is, for people."""
        return "the reply" if self.reply else f"the text to {', '.join(self.to) or 'nobody named'}"


class Index:
    """What a trace holds, by what is asked of it."""

    __slots__ = (
        "attempts",
        "calls",
        "crashes",
        "effects",
        "last_seq",
        "outside",
        "settled",
        "started",
        "stopped",
        "texts",
        "turns",
        "usage",
    )

    def __init__(self, records: Sequence[Record]) -> None:
        self.started: Record = _NONE
        self.stopped: Record | None = None
        self.settled: Record | None = None
        self.attempts: list[Attempt] = []
        self.calls: dict[str, Attempt] = {}
        self.effects: list[Record] = []
        """Effects that really happened, replays left out."""
        self.texts: list[Text] = []
        self.outside: list[Record] = []
        """Records with changes that no call of the agent made."""
        self.usage: list[Record] = []
        self.crashes: list[Record] = []
        self.turns = 0
        self.last_seq = len(records) - 1
        for record in records:
            if record.get("kind") == "guard" and record.get("reason") is None and not record.get("changes"):
                continue  # an allowance is in every call, and says nothing more than its result
            read = _READERS.get(record.get("kind", ""))
            if read is not None:
                read(self, record)
            elif record.get("changes"):
                self.outside.append(record)

    def _action(self, record: Record) -> None:
        attempt = Attempt(record)
        self.attempts.append(attempt)
        self.calls[attempt.call] = attempt

    def _result(self, record: Record) -> None:
        attempt = self.calls.get(record.get("call", ""))
        changes = record.get("changes")
        if attempt is None:
            if changes:
                self.outside.append(record)
            return
        if attempt.outcome == "executed" and record.get("outcome") != "executed":
            return
        attempt.result_seq = record.get("seq", -1)
        attempt.outcome = record.get("outcome")
        delivery = record.get("delivery")
        attempt.delivered = delivery == "delivered"
        attempt.unanswered = delivery in ("timed_out", "lost")
        attempt.value = value = record.get("value")
        if changes:
            attempt.changes = changes
        if type(value) is dict and value.get("replayed") is True and attempt.effects is None:
            attempt.replayed = True

    def _guard(self, record: Record) -> None:
        reason = record.get("reason")
        if reason is not None:
            attempt = self.calls.get(record.get("call", ""))
            if attempt is not None:
                attempt.reason = reason
        if record.get("changes"):
            self.outside.append(record)

    def _effect(self, record: Record) -> None:
        attempt = self.calls.get(record.get("call") or "")
        if record.get("replayed"):
            if attempt is not None and not attempt.effects:
                attempt.replayed = True
            return
        self.effects.append(record)
        if attempt is not None:
            attempt.replayed = False
            if attempt.effects is None:
                attempt.effects = [record]
            else:
                attempt.effects.append(record)
        text = record.get("text")
        if text is not None:
            said = text if isinstance(text, Mapping) else {"text": text}
            self.texts.append(
                Text(
                    seq=record.get("seq", -1),
                    turn=attempt.turn if attempt is not None else None,
                    to=said.get("to"),
                    text=said.get("text"),
                    facts=record.get("facts"),
                    reply=False,
                )
            )

    def _reply(self, record: Record) -> None:
        self.texts.append(
            Text(
                seq=record.get("seq", -1),
                turn=record.get("turn"),
                to=record.get("to"),
                text=record.get("text"),
                facts=record.get("facts"),
                reply=True,
            )
        )

    def _started(self, record: Record) -> None:
        self.started = record

    def _turn(self, record: Record) -> None:
        self.turns += 1

    def _usage(self, record: Record) -> None:
        self.usage.append(record)

    def _crash(self, record: Record) -> None:
        self.crashes.append(record)

    def _stopped(self, record: Record) -> None:
        self.stopped = record

    def _settled(self, record: Record) -> None:
        self.settled = record

    @property
    def contract(self) -> bool:
        """Whether the request went straight to the guard, with no agent asked."""
        return self.started.get("layer") == "contract"

    @property
    def end(self) -> int:
        """`seq` of the record that says how things ended, else of the last one."""
        return int(self.settled.get("seq", self.last_seq)) if self.settled is not None else self.last_seq


_READERS = {
    "action": Index._action,
    "result": Index._result,
    "guard": Index._guard,
    "effect": Index._effect,
    "reply": Index._reply,
    "started": Index._started,
    "turn": Index._turn,
    "usage": Index._usage,
    "crash": Index._crash,
    "stopped": Index._stopped,
    "settled": Index._settled,
}


def _receivers(to: object) -> tuple[str, ...]:
    if isinstance(to, str):
        return (to,)
    if isinstance(to, list):
        return tuple(receiver for receiver in to if isinstance(receiver, str))
    return ()
