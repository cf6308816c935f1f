"""Turns: what begins each stretch of work, and what follows from a reply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from company_lab.scenarios.model import Follow, Scenario
from company_lab.scenarios.spec import WorldSpec
from company_lab.worlds.live import LiveWorld


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """What begins a turn."""

    because: str
    """stimulus, event, answer or request"""
    sender: str | None
    message: str


def first(scenario: Scenario, spec: WorldSpec) -> Beginning:
    """The beginning of the first turn."""
    stimulus = scenario.stimulus
    if stimulus.message is not None:
        return Beginning(because="stimulus", sender=stimulus.sender, message=stimulus.message)
    if stimulus.request is not None:
        return Beginning(
            because="request", sender=stimulus.sender, message=spec.requests[stimulus.request].task
        )
    return Beginning(because="event", sender=None, message="")


class FollowUps:
    """The rest of the stimulus: each entry is used once, when its condition holds."""

    def __init__(self, scenario: Scenario, spec: WorldSpec) -> None:
        self._all = scenario.stimulus.then
        self._waiting = list(self._all)
        self._sender = scenario.stimulus.sender
        self._spec = spec

    @property
    def left(self) -> list[int]:
        """The places of the entries that have not been used."""
        return [
            place for place, follow in enumerate(self._all) if any(follow is one for one in self._waiting)
        ]

    def keep_only(self, places: Sequence[int]) -> None:
        """Leave only the entries at these places."""
        self._waiting = [self._all[place] for place in places]

    def after(self, live: LiveWorld, reply: str, seq: int, executed: set[str]) -> Beginning | None:
        """What the person says next, after a turn whose records begin at `seq`."""
        for follow in self._waiting:
            if self._holds(follow, live, reply, seq, executed):
                self._waiting.remove(follow)
                # Whoever is not named is still the person who gave the stimulus, with that person's rights.
                return Beginning(
                    because="answer", sender=follow.sender or self._sender, message=follow.message
                )
        return None

    def _holds(self, follow: Follow, live: LiveWorld, reply: str, seq: int, executed: set[str]) -> bool:
        when = follow.when
        if when.after is not None:
            return when.after in executed
        if when.asks is None:
            return False
        from company_lab.evaluation.texts.phrases import compile_phrases
        from company_lab.evaluation.texts.questions import asks

        phrases = compile_phrases(self._spec.questions[when.asks].phrases)
        return any(asks(text, phrases).decision == "yes" for text in _told(live, reply, seq))


def _told(live: LiveWorld, reply: str, seq: int) -> Iterator[str]:
    yield reply
    for record in live.trace.records[seq:]:
        if record["kind"] == "effect" and "text" in record:
            yield record["text"]["text"]
