"""What `company-lab explore` does, in sight of the user."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from company_lab.agents.conducts import reference
from company_lab.agents.protocol import EVIDENCE as EVIDENCE_OF
from company_lab.agents.protocol import Agent
from company_lab.cli.exits import ExitCode
from company_lab.cli.say import counted, note, say
from company_lab.cli.suites import one_scenario, open_suite
from company_lab.episodes import play
from company_lab.evaluation import explain
from company_lab.evaluation.statistics.bounds import failure_rate
from company_lab.formats.canonical import Json, NotJson, canonical, parse
from company_lab.formats.errors import WrongUse
from company_lab.formats.whole_files import write_whole
from company_lab.probing.explore.explored import Explored, Schedule, schedule_text
from company_lab.probing.explore.grouping import Finding, findings, group, replays
from company_lab.probing.explore.keeping import Kept
from company_lab.probing.explore.kinds import ALL
from company_lab.probing.explore.playing import Subject, subject, weigh
from company_lab.probing.explore.search import Bounds, Level, explore, faults_at
from company_lab.probing.explore.tiers import (
    DRAWS,
    TierName,
    crash_points,
    play_rate,
    play_tier,
    reference_places,
    writes_of,
)
from company_lab.probing.explore.workers import Workers
from company_lab.reports import console
from company_lab.reports.exploration import (
    elapsed_line,
    exploration_json,
    exploration_lines,
    plan_lines,
    replay_lines,
    schedule_in_words,
    tier_lines,
)
from company_lab.reports.terminal import EVIDENCE
from company_lab.reports.timeline import render
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.schedules import read_schedule
from company_lab.worlds.registry import resolve_world

_SECONDS_BETWEEN = 2.0
_REPLAYS = 3
"""How often the schedule of a finding is played again where the agent may do something else each time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line says, whatever is to be done."""

    scenario: str
    agent_words: tuple[str, ...]
    """What names the agent on the command line, secrets left out."""
    agent: Agent
    seed: int
    safety_only: bool
    state: Path | None
    max_episodes: int | None
    json_file: Path | None
    quiet: bool

    def prepared(self, scenario: Scenario) -> Subject:
        """The scenario, ready to be explored."""
        world = resolve_world(scenario.world)
        return subject(scenario, world, self.agent, seed=self.seed, safety_only=self.safety_only)

    def command(self, schedule: Schedule) -> str:
        """The line that plays one schedule."""
        words = ["company-lab", "explore", self.scenario, *self.agent_words]
        words += ["--seed", str(self.seed)] if self.seed else []
        words += ["--safety-only"] if self.safety_only else []
        return shlex.join([*words, "--schedule", schedule_text(schedule)])

    @property
    def evidence(self) -> str:
        """What this says something about."""
        return EVIDENCE[EVIDENCE_OF[self.agent.kind]]


def search(asked: Asked, bounds: Bounds, *, workers: int) -> ExitCode:
    """Explore one scenario and tell what was found."""
    prepared = asked.prepared(one_scenario(asked.scenario))
    begun = time.perf_counter()
    about: dict[str, Json] = {**_about(prepared), **bounds.to_json()}
    hired = Workers(prepared, workers) if workers > 1 else None
    with _keeping(asked, about) as kept, hired or nullcontext():
        progress = _Progress(quiet=asked.quiet)
        found = explore(
            prepared,
            bounds,
            kept=kept,
            play_many=None if hired is None else hired.play_many,
            progress=progress,
        )
        shown = findings(group(found.failing, prepared, kept))
        again = () if prepared.deterministic else [_again(finding, prepared) for finding in shown]
    for line in exploration_lines(found, shown, evidence=asked.evidence, command=asked.command, again=again):
        say(line)
    if not asked.quiet:
        note(elapsed_line(max(0, found.episodes - kept.from_file), time.perf_counter() - begun))
    if asked.json_file is not None:
        text = canonical(exploration_json(found, shown, asked.command)) + "\n"
        write_whole(asked.json_file, text.encode())
    if found.failing or found.clean.outcome == "failed":
        return ExitCode.FAILURE
    return ExitCode.GOOD if found.complete and _says_something(found.levels) else ExitCode.INCOMPLETE


def replay(asked: Asked, text: str) -> ExitCode:
    """Play one schedule and show its timeline."""
    prepared = asked.prepared(one_scenario(asked.scenario))
    scenario, spec = prepared.scenario, prepared.fixture.world.spec
    try:
        given = parse(text)
    except NotJson as error:
        raise WrongUse(f"--schedule is no JSON: {error}") from None
    schedule = read_schedule(given if isinstance(given, list) else [given], scenario, spec)
    episode = play(prepared.fixture, asked.agent, seed=asked.seed, schedule=(*scenario.faults, *schedule))
    explored, _ = weigh(prepared, schedule, episode)
    verdict = explain(scenario, spec, episode.trace, episode.timings)
    console.show(render(scenario, spec, episode.trace, verdict))
    standing = {one.message for one in explored.broken}
    excused = [one.message for one in verdict.failures if one.message not in standing]
    for line in replay_lines(explored, excused):
        say(line)
    if asked.json_file is not None:
        write_whole(asked.json_file, (canonical(explored.to_json()) + "\n").encode())
    return _code(explored)


def plan(path: str, *, trials: int | None) -> ExitCode:
    """Print the tiers with their numbers of episodes."""
    alike: dict[tuple[int, int], int] = {}
    for scenario in _scenarios(path):
        fixture = resolve_world(scenario.world).prepare(scenario)
        places = reference_places(fixture, reference(scenario))
        singles = sum(1 for place in places for _ in faults_at(place, Bounds(), ALL))
        key = len(writes_of(places)), singles
        alike[key] = alike.get(key, 0) + 1
    for (writes, singles), scenarios in sorted(alike.items()):
        for line in plan_lines(writes, scenarios=scenarios, singles=singles, trials=trials):
            say(line)
    return ExitCode.GOOD


def tier(asked: Asked, name: TierName, *, trials: int | None, replay_prefix: bool) -> ExitCode:
    """Play the nightly or the release tier of one scenario."""
    prepared = asked.prepared(one_scenario(asked.scenario))
    about: dict[str, Json] = {**_about(prepared), "tier": "by trial", "replayed prefix": replay_prefix}
    with _keeping(asked, about) as kept:
        progress = _Progress(quiet=asked.quiet)
        ended = play_tier(
            prepared,
            name,
            kept=kept,
            replay_prefix=replay_prefix,
            trials=trials,
            max_episodes=asked.max_episodes,
            progress=progress.count,
        )
    say(f"{asked.evidence}: {prepared.scenario.id} under {asked.agent.name}, tier {name}")
    for line in tier_lines(ended, command=asked.command, replayed=replay_prefix):
        say(line)
    if asked.json_file is not None:
        listed: list[Json] = [one.to_json() for each in ended for one in each.ended]
        document: dict[str, Json] = {"format": 1, "kind": "tier", "tier": name, "episodes": listed}
        write_whole(asked.json_file, (canonical(document) + "\n").encode())
    if any(each.failed for each in ended):
        return ExitCode.FAILURE
    cut_short = (
        asked.max_episodes is not None and sum(len(each.ended) for each in ended) >= asked.max_episodes
    )
    decided = any(each.scored for each in ended) and not any(each.unscored for each in ended)
    return ExitCode.GOOD if decided and not cut_short else ExitCode.INCOMPLETE


def rate(asked: Asked) -> ExitCode:
    """Play crash points drawn evenly over scenarios, and say below which rate failures are."""
    if asked.state is not None:
        raise WrongUse("--tier rate plays every episode anew: leave out --state")
    prepared = [asked.prepared(scenario) for scenario in _scenarios(asked.scenario)]
    points = [
        [
            schedule
            for write in writes_of(reference_places(one.fixture, reference(one.scenario)))
            for schedule in crash_points(write)
        ]
        for one in prepared
    ]
    if not any(points):
        raise WrongUse(f"nobody writes anything in {asked.scenario}: there is no point for a crash")
    progress = _Progress(quiet=asked.quiet)
    ended: list[tuple[Subject, Explored]] = []
    for one, explored in play_rate(prepared, points, seed=asked.seed, max_episodes=asked.max_episodes):
        progress.count(explored)
        ended.append((one, explored))
    scored = [one for one in ended if one[1].outcome in ("passed", "failed")]
    failed = [one for one in scored if one[1].outcome == "failed"]
    say(f"{asked.evidence}: {counted(len(prepared), 'scenario')} under {asked.agent.name}, tier rate")
    say(f"{len(ended)} episodes, {len(scored)} scored, {len(failed)} failed")
    for one, explored in failed:
        say(f"- {one.scenario.id}: {schedule_in_words(explored.schedule)}: {explored.broken[0].message}")
    if prepared[0].deterministic:
        say(
            "A scripted agent does the same again: this says no more than one episode at each point, and no rate"
        )
    elif scored:
        say(str(failure_rate(failures=len(failed), runs=len(scored), name="failures per crash")))
    if failed:
        return ExitCode.FAILURE
    return ExitCode.GOOD if len(scored) >= DRAWS else ExitCode.INCOMPLETE


def _again(finding: Finding, prepared: Subject) -> str:
    return f"broke in {replays(finding, prepared, _REPLAYS)} of {_REPLAYS} replays of this schedule"


def _scenarios(path: str) -> list[Scenario]:
    if "#" in path:
        return [one_scenario(path)]
    played = [one for one in open_suite(Path(path)).scenarios if not one.is_contract and one.reference]
    if not played:
        raise WrongUse(f"{path} holds requests to the guard only: there is no episode to explore")
    return played


def _about(prepared: Subject) -> dict[str, Json]:
    agent, fixture = prepared.agent, prepared.fixture
    return {
        "scenario": fixture.scenario.digest,
        "world": fixture.world.digest,
        "initial state": fixture.digest,
        "agent": agent.for_scenario(fixture.scenario).digest,
        "code": agent.code_digest,
        "seed": prepared.seed,
        "safety only": prepared.safety_only,
    }


@contextmanager
def _keeping(asked: Asked, about: dict[str, Json]) -> Iterator[Kept]:
    kept = Kept(asked.state, about)
    if kept.from_file and not asked.quiet:
        note(f"{asked.state} knows {counted(kept.from_file, 'episode')} of this exploration already")
    try:
        yield kept
    finally:
        kept.close()


def _says_something(levels: list[Level]) -> bool:
    return any(level.scored for level in levels)


def _code(explored: Explored) -> ExitCode:
    if explored.outcome == "failed":
        return ExitCode.FAILURE
    return ExitCode.GOOD if explored.outcome == "passed" else ExitCode.INCOMPLETE


class _Progress:
    """A line now and then."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._told = time.monotonic()
        self._played = self._failed = 0

    def __call__(self, level: Level, explored: Explored) -> None:
        """One schedule of a search was played."""
        self._tell(
            f"{('single faults', 'pairs', 'triples')[level.order - 1]}: {level.planned - level.left:,} of "
            f"{level.planned:,}, {level.failed:,} failed"
        )

    def count(self, explored: Explored) -> None:
        """One episode of a tier was played."""
        self._played += 1
        self._failed += explored.outcome == "failed"
        self._tell(f"{self._played:,} episodes, {self._failed:,} failed")

    def _tell(self, text: str) -> None:
        now = time.monotonic()
        if not self._quiet and now - self._told >= _SECONDS_BETWEEN:
            self._told = now
            note(text)
