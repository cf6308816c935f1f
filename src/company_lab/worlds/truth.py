"""Truth: what the named facts of a world say at a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from company_lab.formats.canonical import Json, boundary, same
from company_lab.worlds.broken import WorldBroken
from company_lab.worlds.context import Failed
from company_lab.worlds.guard import GuardAnswer
from company_lab.worlds.resting import Rested, RestingContext, state_of
from company_lab.worlds.state import NoSuchRecord

if TYPE_CHECKING:
    from company_lab.worlds.live import LiveWorld


class Nothing:
    """The value of a fact that can not be determined."""


NOTHING: Final = Nothing()


class Truth:
    """Facts of one episode, read from records and ledgers and never from what anybody said."""

    __slots__ = ("_claims", "_context", "_known", "_live", "_moment", "_moving")

    def __init__(self, live: LiveWorld) -> None:
        self._live = live
        self._context: RestingContext | None = None
        self._known: dict[str, Rested] = {}
        self._claims: dict[str, Json] = {}
        self._moment: tuple[int, int] | None = None
        self._moving = False

    def claims(self) -> dict[str, Json]:
        """What the facts behind the world's claims say now; facts that can not be determined are left out."""
        live = self._live
        moment = (
            sum(live.state.versions.values()),
            sum([len(provider.ledger) for provider in live.providers.values()]),
        )
        if moment != self._moment or self._moving:
            self._moment, self._moving = moment, False
            self._claims = {}
            for name in live.world.claim_fact_names:
                value = self.fact(name)
                if value is not NOTHING:
                    self._claims[name] = value  # type: ignore[assignment]
        return self._claims

    def fact(self, name: str) -> Json | Nothing:
        """The value of a fact now."""
        if name in ("decision", "review_reason"):
            answer = self._last_answer()
            value = None if answer is None else answer.answer if name == "decision" else answer.reason
            return NOTHING if value is None else value
        known = self._known.get(name) or self._live.fixture.rested.get(name)
        if known is not None and known.holds(self._live):
            return known.value  # type: ignore[return-value]
        return self._read(name)

    def _read(self, name: str) -> Json | Nothing:
        live = self._live
        get = live.world.facts[name].get
        if get is None:
            return NOTHING
        context = self._context = self._context or RestingContext(live)
        context.begin()
        touched = len(live.state.touched)
        value: Json | Nothing
        try:
            value = boundary(get(context))
        except (NoSuchRecord, Failed):
            value = NOTHING
        except Exception as error:
            raise WorldBroken(f"the fact {name}: {type(error).__name__}: {error}") from error
        finally:
            live.state.forget_touched(touched)
        if context.moving:
            self._moving = True
        else:
            tables, providers = tuple(context.tables), tuple(context.providers)
            rested = Rested(value, tables, providers, state_of(live, tables, providers))
            self._known[name] = rested
            if rested.untouched:
                live.fixture.rested[name] = rested
        return value

    def _last_answer(self) -> GuardAnswer | None:
        stimulus = self._live.fixture.scenario.stimulus
        request = None if stimulus.request is None else self._live.world.requests[stimulus.request]
        for tool, args, answer in reversed(self._live.guarded):
            if request is None or (
                tool == request.tool
                and all(name in args and same(args[name], value) for name, value in request.args.items())
            ):
                return answer
        return None
