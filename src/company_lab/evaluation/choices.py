"""Choices: what a decision model picked, compared with what the reference would do next at that state.

The reference's next action is read off its steps: those whose tools the agent has attempted so far are behind it. Of
the rest, every look-up before the next change is one the reference would still make, in whichever order; where no
look-up is left it is that change, and where nothing is left it is to respond. The state counts as the reference's only
as long as nothing was changed by a tool the reference does not use.

Limits: other routes may be as right, so a choice that departs from the reference is no mistake, and what comes out is
agreement with one good worker. Choices of one episode follow from each other, so they are no independent sample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from company_lab.scenarios.model import Scenario
from company_lab.scenarios.spec import WorldSpec

if TYPE_CHECKING:
    from company_lab.evaluation.statistics.probabilities import Calibration

QUESTION = "next_action"
RESPOND = "respond"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedChoice:
    """One choice of a selector, beside the reference."""

    seq: int
    option: str
    probability: float
    """What the selector gave to the option it chose."""
    reference: tuple[str, ...]
    """The options the reference would take here, in whichever order."""

    @property
    def agrees(self) -> bool:
        """Whether the choice is one of them."""
        return self.option in self.reference


@dataclass(slots=True)
class ComparedChoices:
    """The choices of any number of episodes of one agent."""

    compared: list[ComparedChoice] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    """Choices that could not be compared, by why."""

    def add(self, more: ComparedChoices) -> None:
        """Add the choices of another episode."""
        self.compared += more.compared
        self.left_out.update(more.left_out)

    @property
    def agreed(self) -> int:
        """Choices the reference would have made."""
        return sum(choice.agrees for choice in self.compared)

    def calibration(self, *, bins: int = 10) -> Calibration:
        """How the probability of what was chosen compares with how often the reference agrees.

        Raises `BadCounts` where nothing could be compared.
        """
        from company_lab.evaluation.statistics.probabilities import calibration

        return calibration(
            [choice.probability for choice in self.compared],
            [choice.agrees for choice in self.compared],
            bins=bins,
        )


def compare_choices(
    scenario: Scenario, spec: WorldSpec, records: Sequence[Mapping[str, Any]]
) -> ComparedChoices:
    """The choices in a trace beside the scenario's reference."""
    found = ComparedChoices()
    names = _aliases(records)
    walk = _Walk(scenario, spec)
    for record in records:
        kind = record.get("kind")
        if kind == "turn":
            walk.begin(int(record["turn"]))
        elif kind == "action":
            walk.attempt(str(record.get("tool")))
        elif kind == "result" and record.get("changes"):
            walk.changed()
        elif kind == "choice":
            _compare(record, walk, names, found)
    return found


def _compare(
    record: Mapping[str, Any], walk: _Walk, names: Mapping[str, str], found: ComparedChoices
) -> None:
    options, option, probability = _read(record)
    why = walk.why_not()
    if option is None:
        why = "the answer holds no choice"
    elif probability is None:
        why = "the answer gives no probability for what it chose"
    if why is not None:
        found.left_out[why] += 1
        return
    assert option is not None
    assert probability is not None
    called = {tool: alias for alias, tool in names.items()}
    fitting = tuple(called.get(tool, tool) for tool in walk.next_tools())
    if not set(fitting) <= options:
        found.left_out["the reference's next action was not among the options"] += 1
        return
    found.compared.append(
        ComparedChoice(seq=int(record["seq"]), option=option, probability=probability, reference=fitting)
    )


class _Walk:
    """Where the agent is on the reference's way."""

    def __init__(self, scenario: Scenario, spec: WorldSpec) -> None:
        self._turns = scenario.reference
        self._spec = spec
        self._used = {step.tool for turn in scenario.reference for step in turn.do}
        self._left: list[str] = []
        self._last = ""
        self._astray = False
        self._beyond = False

    def begin(self, turn: int) -> None:
        self._beyond = turn > len(self._turns)
        if not self._beyond:
            self._left += [step.tool for step in self._turns[turn - 1].do]

    def attempt(self, tool: str) -> None:
        self._last = tool
        if tool in self._left:
            self._left.remove(tool)

    def changed(self) -> None:
        self._astray = self._astray or self._last not in self._used

    def why_not(self) -> str | None:
        if not self._turns:
            return "the scenario has no reference"
        if self._beyond:
            return "the reference has no such turn"
        return "something was changed that the reference does not change" if self._astray else None

    def next_tools(self) -> tuple[str, ...]:
        looks: list[str] = []
        for tool in self._left:
            known = self._spec.tools.get(tool)
            if known is not None and known.writes:
                return tuple(dict.fromkeys(looks)) or (tool,)
            looks.append(tool)
        return tuple(dict.fromkeys(looks)) or (RESPOND,)


def _read(record: Mapping[str, Any]) -> tuple[set[str], str | None, float | None]:
    question = _within(record.get("request"), "questions", QUESTION, "criteria")
    listed = question if isinstance(question, (Mapping, list)) else ()
    options = {option for option in listed if isinstance(option, str)}
    answer = _within(record.get("answer"), "answers", QUESTION)
    option = _within(answer, "choice")
    if not isinstance(option, str):  # a model may answer with anything
        return options, None, None
    value = _within(answer, "probabilities", option)
    fits = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1
    return options, option, float(value) if fits else None


def _within(value: Any, *path: str) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _aliases(records: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Tools by the names the selector knew them under."""
    given = _within(records[0] if records else None, "agent", "settings", "alias")
    texts: Iterable[str] = (
        (text for text in given if isinstance(text, str)) if isinstance(given, list) else ()
    )
    return dict(text.split("=", 1) for text in texts if "=" in text)
