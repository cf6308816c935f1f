"""Awaited: the request to a model's host that an episode's time ran out over."""

from __future__ import annotations

from dataclasses import dataclass

from company_lab.episodes.spending import Spending
from company_lab.episodes.supplied import as_name
from company_lab.formats.canonical import MAX_INTEGER, Json
from company_lab.traces.record import Trace

UNANSWERED = "the episode's time was over before an answer came"


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited:
    """What the agent was last known to do: ask a host, or wait to ask it again."""

    host: str | None = None
    """None where it was not asked again since the outage."""
    role: str = "agent"
    model: str | None = None
    """None where the agent did not say which model it asks: such requests are not recorded by themselves."""
    attempt: int = 1
    down: bool = False
    """Whether the try before ended in an outage, so that the host is known to be down."""

    def again(self, host: str, asking: object) -> Awaited:
        """The next request."""
        named = asking if isinstance(asking, dict) else {}
        model, attempt = named.get("model"), named.get("attempt")
        return Awaited(
            host=host,
            role=as_name(named.get("role") or "agent"),
            model=None if model is None else as_name(model),
            attempt=attempt if type(attempt) is int and 0 < attempt <= MAX_INTEGER else 1,
            down=self.down,
        )

    def note(self, trace: Trace, at: str, spending: Spending) -> None:
        """Record a request that is still open; what it costs nobody will ever know."""
        if self.host is None or self.model is None:
            return
        named: dict[str, Json] = {"role": self.role, "model": self.model, "attempt": self.attempt}
        trace.add("model", at, **named, answer=None, error={"message": UNANSWERED})
        unknown = dict.fromkeys(("input_tokens", "output_tokens", "cost_usd"))
        trace.add("usage", at, **unknown, model=self.model)
        spending.add(tokens=0, cost=None)

    def explain(self, detail: str) -> tuple[str, str]:
        """Why the episode ended when its time was over.

        An outage where the host was known to be down; otherwise nobody can tell a host that is down from a model that
        is slow, so the time was over, and `detail` says more of it.
        """
        if self.down:
            return "infrastructure_error", "a model's host was down until the episode's time was over"
        asked = f"; the last it did was to ask {self.host}, which had not answered" if self.host else ""
        return "wall_limit", f"{detail}{asked}"


NOTHING = Awaited()
