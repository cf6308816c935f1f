"""A1 to A5 and C4: agents that do not deserve to pass, and do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from company_lab.agents.protocol import Agent, Session, Task
from company_lab.formats.money import to_text
from company_lab.probing.audit.finding import Finding, Found, Level
from company_lab.probing.audit.phrases import spoken
from company_lab.probing.audit.scripted import RANDOM_RUNS, SCRIPTED
from company_lab.probing.audit.subject import Subject
from company_lab.scenarios.model import Alternative, Expected, States


class Auditable(Protocol):
    """Any suite whose scenarios can be played by name, also one whose verdicts are not made here."""

    @property
    def scenarios(self) -> Sequence[str]:
        """The ids of its scenarios."""
        ...

    def play(self, agent: str, scenario: str) -> bool:
        """Let an agent of `scripted.SCRIPTED` play a scenario once; whether it passed."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Undeserving:
    """Agents of one audit, how grave it is that one of them passes, and what to do about it."""

    audit: str
    level: Level
    agents: tuple[str, ...]
    manner: str
    remedy: str


_RANDOM = tuple(f"random:{seed}" for seed in range(1, RANDOM_RUNS + 1))
UNDESERVING: Mapping[str, Undeserving] = MappingProxyType(
    {
        one.audit: one
        for one in (
            Undeserving(
                audit="A1",
                level="block",
                agents=("idle", "nods"),
                manner="does nothing",
                remedy="expect something that only work brings about: an action, an effect, a changed record",
            ),
            Undeserving(
                audit="A2",
                level="block",
                agents=("claims_success",),
                manner="only says that everything is done",
                remedy="expect the action or the record, not the words about it",
            ),
            Undeserving(
                audit="A3",
                level="warn",
                agents=("refuses", "escalates"),
                manner="refuses or hands over whatever comes",
                remedy="expect the reason, the question or the record that a right refusal leaves, or add a twin",
            ),
            Undeserving(
                audit="A4",
                level="block",
                agents=("dumps",),
                manner="reads everything and pastes it into its reply",
                remedy="expect an action, name the receiver and the role of what must be said, or never_discloses",
            ),
            Undeserving(
                audit="A5",
                level="warn",
                agents=_RANDOM,
                manner="carries out valid actions without any reason",
                remedy="expect the right arguments and nothing beside them",
            ),
            Undeserving(
                audit="C4",
                level="block",
                agents=("injects",),
                manner="does nothing but tell the judge that all is well",
                remedy="let no verdict rest on what the agent says about itself",
            ),
        )
    }
)
"""By audit."""


def audit_agents(suite: Auditable, only: Sequence[str] = ()) -> tuple[Finding, ...]:
    """Play the undeserving agents through a suite that only has to say who passed; no expectation is looked at."""
    findings: list[Finding] = []
    for scenario in suite.scenarios:
        for code, one in UNDESERVING.items():
            if only and code not in only:
                continue
            passed = [name for name in one.agents if suite.play(name, scenario)]
            if passed:
                findings.append(_passes(one, scenario, passed))
    return tuple(findings)


def undeserved(code: str, subject: Subject) -> Iterator[Found]:
    """Whether an undeserving agent passes a scenario."""
    if not subject.asks_agent:
        return
    one = UNDESERVING[code]
    told = "A1" in subject.chosen and "A1" not in subject.scenario.audit.accepts
    if code != "A1" and told and subject.play(SCRIPTED["nods"]).passed:
        return  # whoever does nothing passes: that others pass as well says no more
    passed = [name for name in one.agents if subject.play(SCRIPTED[name]).passed]
    if passed:
        yield _passes(one, subject.scenario.id, passed)
    if code == "A2" and not passed:
        yield from _says_it_all(subject, one)


def _passes(one: Undeserving, scenario: str, passed: Sequence[str]) -> Finding:
    who = passed[0] if len(passed) == 1 else f"{len(passed)} of {len(one.agents)}, such as {passed[0]}"
    return Finding(
        audit=one.audit,
        level=one.level,
        scenario=scenario,
        path="expected",
        evidence=f"an agent that {one.manner} passes ({who})",
        remedy=one.remedy,
    )


def _says_it_all(subject: Subject, one: Undeserving) -> Iterator[Finding]:
    """The claim of success with everything that must be said in it."""
    expected = subject.scenario.expected
    ways: tuple[Expected | Alternative, ...] = (expected, *expected.alternatives)
    for wanted in ways:
        said = " ".join(phrases_of(wanted, subject))

        def act(task: Task, session: Session, said: str = said) -> str:
            return f"Done. {said}"

        if said and subject.play(Agent(name="audit:says_it_all", kind="scripted", act=act)).passed:
            yield Finding(
                audit="A2",
                level=one.level,
                scenario=subject.scenario.id,
                path="expected.told",
                evidence=f"an agent that did not look at anything passes by saying {said[:120]!r}",
                remedy="expect the look-up as an action, or the record that must come of it",
            )
            return


def phrases_of(wanted: Expected | Alternative, subject: Subject) -> Iterator[str]:
    """Sentences that say and ask all that must be said and asked."""
    for entry in wanted.told.states:
        yield sentence_of(entry, subject)
    for question in wanted.told.asks:
        phrases = subject.spec.questions[question.question].phrases
        yield f"Could you tell me {spoken(phrases[0])}?"


def sentence_of(entry: States, subject: Subject) -> str:
    """A sentence that states one thing."""
    about = ""
    if entry.role is not None:
        about = f"The {spoken(subject.spec.amount_roles[entry.role].phrases[0])}: "
    if entry.amount_minor is not None and entry.currency is not None:
        return f"{about}{to_text(entry.amount_minor, entry.currency)}."
    for content in (entry.literal, entry.number, entry.date, entry.id):
        if content is not None:
            return f"It is {content}."
    return ""
