"""Providers: simulated outside services, each with its own ledger of effects and memory of idempotency keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from company_lab.formats.canonical import Json, canonical
from company_lab.formats.errors import WrongUse, nearest
from company_lab.formats.shapes import Shape
from company_lab.worlds.annotations import record_shape

KEY_RETENTION_MS = 24 * 3_600_000
"""How long a provider remembers an idempotency key, in simulated milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A declared outside service: its operations (payload as TypedDict) and the business answers it can give."""

    name: str
    operations: Mapping[str, type]
    answers: tuple[str, ...] = ()
    key_retention_ms: int = KEY_RETENTION_MS

    def shapes(self) -> dict[str, Shape]:
        """The payload shape of each operation."""
        return {name: record_shape(payload) for name, payload in self.operations.items()}


class Declined(Exception):
    """The provider said no: a business answer, nothing happened."""

    def __init__(self, provider: str, op: str, reason: str) -> None:
        self.reason = reason
        super().__init__(f"{provider} declined {op}: {reason}")


class Unreachable(Exception):
    """The provider is down: nothing happened there."""

    reason = "unavailable"

    def __init__(self, provider: str, op: str) -> None:
        super().__init__(f"{provider} is unavailable, so {op} did not happen")


class KeyReused(Exception):
    """An idempotency key came back with other parameters; nothing happened."""


@dataclass(frozen=True, slots=True)
class Performed:
    """What a provider answered: the ledger entry, and whether an earlier answer was repeated."""

    entry: Mapping[str, Json]
    replayed: bool
    status: str
    """"done", or "pending" where the provider has not decided yet."""


@dataclass(slots=True)
class LiveProvider:
    """A provider during one episode."""

    declared: Provider
    answers: Mapping[str, Sequence[Mapping[str, Json]]] = field(default_factory=dict)
    ledger: list[dict[str, Json]] = field(default_factory=list)
    _keys: dict[str, tuple[str, int, Performed]] = field(default_factory=dict)
    _given: dict[str, int] = field(default_factory=dict)

    def answer(self, op: str) -> Mapping[str, Json]:
        """The business answer the scenario foresees for the next `op`; the last one repeats."""
        planned = self.answers.get(op)
        if not planned:
            return {}
        position = self._given.get(op, 0)
        self._given[op] = position + 1
        return planned[min(position, len(planned) - 1)]

    def permissive(self, op: str) -> bool:
        """Whether the scenario lets this provider accept what it would otherwise refuse."""
        planned = self.answers.get(op)
        return bool(planned) and any(answer.get("answer") == "permissive" for answer in planned or ())

    def perform(
        self, op: str, payload: dict[str, Json], *, key: str | None, call: str | None, now_ms: int
    ) -> Performed:
        """Carry out `op` once and write it into the ledger; a remembered key repeats the first answer.

        Raises `Declined` where the scenario says so and `KeyReused` where the key came with other parameters.
        """
        if op not in self.declared.operations:
            close = nearest(op, self.declared.operations)
            hint = f"; did you mean {close}?" if close else ""
            raise WrongUse(f"the provider {self.declared.name} has no operation {op}{hint}")
        if key is not None:
            spelling = canonical([op, payload])
            known = self._keys.get(key)
            if known is not None and now_ms - known[1] < self.declared.key_retention_ms:
                if known[0] != spelling:
                    raise KeyReused(f"the key {key} was used with other parameters")
                return Performed(known[2].entry, True, known[2].status)
        answer = self.answer(op)
        if answer.get("answer") == "declined":
            raise Declined(self.declared.name, op, str(answer.get("reason", "declined")))
        status = "pending" if answer.get("answer") == "pending" else "done"
        entry: dict[str, Json] = {"op": op, "key": key, "call": call, "payload": payload, "status": status}
        self.ledger.append(entry)
        performed = Performed(entry, False, status)
        if key is not None:
            self._keys[key] = (spelling, now_ms, performed)
        return performed
