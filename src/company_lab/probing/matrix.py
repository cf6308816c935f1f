"""Matrix: what every hostile agent gets through in every failure class, and which of them get through too much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from company_lab.agents.conducts import reference
from company_lab.agents.hostile import HOSTILE, Hostile
from company_lab.episodes.play import Episode
from company_lab.episodes.player import Job, play_each
from company_lab.evaluation import judge
from company_lab.scenarios.model import Scenario
from company_lab.worlds.fixture import Fixture
from company_lab.worlds.world import World

REFERENCE = "reference"
UNCLASSED = "(no class)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One agent on the scenarios of one failure class."""

    passed: int
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """Every agent on every scenario, played once."""

    scenarios: tuple[Scenario, ...]
    """The played ones; a contract scenario asks no agent."""
    agents: tuple[str, ...]
    outcomes: Mapping[tuple[str, str], str]
    """Outcome by agent and scenario id."""

    @property
    def classes(self) -> tuple[str, ...]:
        """Failure classes, by name."""
        return tuple(sorted({class_of(scenario) for scenario in self.scenarios}))

    def cell(self, agent: str, failure_class: str | None = None) -> Cell:
        """How much of a class an agent passed, or of the whole suite."""
        counted = Counter(
            self.outcomes[agent, scenario.id]
            for scenario in self.scenarios
            if failure_class in (None, class_of(scenario))
        )
        return Cell(passed=counted["passed"], of=counted.total())


def class_of(scenario: Scenario) -> str:
    """The failure class of a scenario, or that it has none."""
    return scenario.failure_class or UNCLASSED


def is_twin(scenario: Scenario) -> bool:
    """Whether the scenario asks for the opposite of what its counterpart asks for."""
    return scenario.twin_of is not None or "twin" in scenario.tags


def play_matrix(
    scenarios: Iterable[Scenario],
    worlds: Callable[[str], World],
    *,
    hostile: Sequence[Hostile] = tuple(HOSTILE.values()),
    watch: Callable[[], None] = lambda: None,
) -> Matrix:
    """Play every hostile agent and the reference of every scenario that is no contract scenario, once each."""
    played = tuple(scenario for scenario in scenarios if not scenario.is_contract)
    outcomes: dict[tuple[str, str], str] = {}

    def done(job: Job[str], episode: Episode) -> None:
        spec = job.fixture.world.spec
        verdict = judge(job.fixture.scenario, spec, episode.trace, episode.timings)
        outcomes[job.tag, job.fixture.scenario.id] = verdict.outcome

    play_each(_jobs(played, worlds, hostile), done, watch=watch)
    return Matrix(scenarios=played, agents=(REFERENCE, *(one.name for one in hostile)), outcomes=outcomes)


def _jobs(
    scenarios: Iterable[Scenario], worlds: Callable[[str], World], hostile: Sequence[Hostile]
) -> Iterator[Job[str]]:
    for scenario in scenarios:
        fixture: Fixture = worlds(scenario.world).prepare(scenario)
        yield Job(tag=REFERENCE, fixture=fixture, agent=reference(scenario), trial=1, seed=0)
        for one in hostile:
            yield Job(tag=one.name, fixture=fixture, agent=one.agent(), trial=1, seed=0)


def complaints(matrix: Matrix, *, hostile: Mapping[str, Hostile] = HOSTILE) -> tuple[str, ...]:
    """What must not be: in words, one line each; empty where the suite holds every agent to what it is.

    A reference passes everything. A hostile agent fails every instance of the classes it is made for (where no
    scenario of a class is tagged `instance`, everything in it but twins), an over-cautious one every twin,
    and none passes the whole suite, unless there is nothing in it that it is made for (see `remarks`).
    """
    return (*_of_the_reference(matrix), *(line for one in hostile.values() for line in _of_one(matrix, one)))


def _of_the_reference(matrix: Matrix) -> Iterator[str]:
    for scenario in matrix.scenarios:
        outcome = matrix.outcomes[REFERENCE, scenario.id]
        if outcome != "passed":
            yield f"the reference of {scenario.id} came out as {outcome}"


def _of_one(matrix: Matrix, one: Hostile) -> Iterator[str]:
    if one.name not in matrix.agents:
        return
    for scenario in _made_for(matrix, one):
        outcome = matrix.outcomes[one.name, scenario.id]
        if outcome != "failed":
            yield f"hostile:{one.name} is made for {class_of(scenario)} and {scenario.id} came out as {outcome}"
    for scenario in matrix.scenarios if one.cautious else ():
        if is_twin(scenario) and matrix.outcomes[one.name, scenario.id] != "failed":
            yield f"hostile:{one.name} is over-cautious and does not fail the twin {scenario.id}"
    if _passes_everything(matrix, one) and _is_concerned(matrix, one):
        yield f"hostile:{one.name} passes the whole suite"


def remarks(matrix: Matrix, *, hostile: Mapping[str, Hostile] = HOSTILE) -> tuple[str, ...]:
    """Hostile agents that pass everything because the suite has none of the classes they are made for."""
    return tuple(
        f"hostile:{one.name} passes everything; nothing here is about {', '.join(one.made_for)}"
        for one in hostile.values()
        if _passes_everything(matrix, one) and not _is_concerned(matrix, one)
    )


def _passes_everything(matrix: Matrix, one: Hostile) -> bool:
    whole = matrix.cell(one.name) if one.name in matrix.agents else Cell(passed=0, of=0)
    return whole.of > 0 and whole.passed == whole.of


def _is_concerned(matrix: Matrix, one: Hostile) -> bool:
    """Whether every suite must stop it, or this one has a class it is made for."""
    return one.twist is None or one.cautious or bool({*one.made_for} & {*matrix.classes})


def _made_for(matrix: Matrix, one: Hostile) -> Iterator[Scenario]:
    for failure_class in one.made_for:
        inside = [scenario for scenario in matrix.scenarios if scenario.failure_class == failure_class]
        instances = [scenario for scenario in inside if "instance" in scenario.tags]
        yield from instances or (scenario for scenario in inside if not is_twin(scenario))
