"""Rehearse: play every conduct a scenario declares, and see that each comes out as declared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from company_lab.agents.conducts import reference, wrong
from company_lab.agents.protocol import Agent
from company_lab.episodes import Episode, play
from company_lab.evaluation import Verdict, judge
from company_lab.scenarios.model import Scenario
from company_lab.worlds.fixture import Fixture
from company_lab.worlds.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """One conduct, played and judged.

    `must_fail_with` is empty for a conduct that must pass; for one that must fail it names the codes
    that have to be among its failures, or `any` where any failure will do.
    """

    scenario: str
    conduct: str
    must_fail_with: tuple[str, ...]
    episode: Episode
    verdict: Verdict

    @property
    def as_declared(self) -> bool:
        """Whether the conduct passed or failed as its scenario says."""
        if not self.must_fail_with:
            return self.verdict.outcome == "passed"
        codes = {failure.code for failure in self.verdict.failures}
        return self.verdict.outcome == "failed" and (
            self.must_fail_with == ANY or codes >= set(self.must_fail_with)
        )


ANY = ("any",)


def rehearse(scenario: Scenario, world: World) -> Iterator[Rehearsal]:
    """Play the reference and every wrong conduct of a scenario once.

    A contract scenario is its own reference. Its wrong conducts are made: each rule that alone held or
    denied the request is switched off, and where the request is allowed each rule it touches is made to
    deny.
    """
    fixture = world.prepare(scenario)
    if scenario.is_contract:
        yield from _contract(fixture)
        if not scenario.reference:
            return
    yield _rehearsed(fixture, reference(scenario), must_fail_with=())
    for conduct in scenario.wrong:
        yield _rehearsed(fixture, wrong(scenario, conduct.id), must_fail_with=conduct.codes or ANY)


def _rehearsed(fixture: Fixture, agent: Agent, *, must_fail_with: tuple[str, ...]) -> Rehearsal:
    episode = play(fixture, agent)
    return _judged(fixture, agent.name, must_fail_with, episode)


def _judged(fixture: Fixture, conduct: str, must_fail_with: tuple[str, ...], episode: Episode) -> Rehearsal:
    return Rehearsal(
        scenario=fixture.scenario.id,
        conduct=conduct,
        must_fail_with=must_fail_with,
        episode=episode,
        verdict=judge(fixture.scenario, fixture.world.spec, episode.trace, episode.timings),
    )


def _contract(fixture: Fixture) -> Iterator[Rehearsal]:
    episode = play(fixture, None)
    yield _judged(fixture, "request", (), episode)
    answers = list(episode.trace.by_kind("guard"))
    if not answers:
        return
    answer = answers[-1]
    if answer["decision"] == "allow":
        for rule in answer["touched"]:
            broken = play(fixture, None, rules_denying=frozenset({rule}))
            yield _judged(fixture, f"rule denies: {rule}", ANY, broken)
    elif len(answer["objections"]) == 1:
        rule = answer["objections"][0]
        broken = play(fixture, None, rules_off=frozenset({rule}))
        yield _judged(fixture, f"rule off: {rule}", ANY, broken)
