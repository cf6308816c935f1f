"""H2, where a suite plays in the world of the agents with known bugs: schedules must show each bug, and only bugs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from company_lab.episodes.acting import in_place
from company_lab.probing.audit.finding import Finding, Found
from company_lab.probing.audit.subject import Subject
from company_lab.probing.explore.bank import FIVE
from company_lab.probing.explore.explored import Explored, Schedule, schedule_text
from company_lab.probing.explore.playing import play_schedule
from company_lab.probing.explore.playing import subject as explored_subject
from company_lab.probing.explore.search import Bounds, Exploration, explore
from company_lab.probing.seeded_bugs import BANK, SeededBug, world

_TABLES = {"pay_run.yaml": {"bills"}, "shop_events.yaml": {"orders", "shelves"}}
"""What the agents of a file work on."""


def blind_to_seeded_bugs(subjects: Sequence[Subject]) -> Iterator[Found]:
    """Explore the scenarios of the bank's world with its agents, under single faults and pairs.

    Each seeded bug must fail under some schedule of some scenario, and the sound agent under none. A scenario that
    the sound agent does not pass when nothing goes wrong asks for something else than these agents do; it is left
    out, and that is told.
    """
    for file, tables in _TABLES.items():
        bugs = [bug for bug in BANK.values() if bug.file == file]
        sound = next(bug for bug in bugs if bug.found_by is None)
        playable: list[Subject] = []
        for one in subjects:
            if one.world is not world or not one.asks_agent or not tables & {*one.scenario.initial.tables}:
                continue
            found = _explored(one, sound, 2)
            if found.clean.outcome != "passed":
                yield _not_theirs(one)
                continue
            playable.append(one)
            if found.failing:
                yield _sound_fails(one, sound, found.failing[0].schedule)
        if playable:
            yield from _survivors(playable, [bug for bug in bugs if bug.found_by is not None])


def _survivors(playable: Sequence[Subject], bugs: Sequence[SeededBug]) -> Iterator[Finding]:
    for bug in bugs:
        if any(_noticed(_explored(one, bug, order)) for order in (1, 2) for one in playable):
            continue
        names = ", ".join(one.scenario.id for one in playable)
        yield Finding(
            audit="H2",
            level="block",
            scenario=playable[0].scenario.id if len(playable) == 1 else None,
            path="expected",
            evidence=f"no schedule of one or two faults shows the seeded bug {bug.name} in {names}; "
            f"what it takes is {bug.needs}",
            remedy="expect what a right recovery leaves behind, once and no more, and that replies say only what is so",
        )


def _sound_fails(subject: Subject, sound: SeededBug, schedule: Schedule) -> Finding:
    return subject.finding(
        "H2",
        "block",
        f"the agent without a bug ({sound.name}) fails under {schedule_text(schedule)}",
        "expect nothing that a right recovery can not reach, or raise the limits",
        path="expected",
    )


def _not_theirs(subject: Subject) -> Finding:
    return subject.finding(
        "H2",
        "info",
        "the agents with seeded bugs are not asked: the one without a bug does not pass even when nothing goes wrong",
        "let a scenario of this world ask for what these agents do, or judge its faults by wrong conducts",
        path="expected",
    )


def _explored(subject: Subject, bug: SeededBug, order: int) -> Exploration:
    prepared = explored_subject(subject.scenario, subject.world, bug.agent())

    def play_many(schedules: Iterator[Schedule], known: Collection[str]) -> Iterator[Explored]:
        return (play_schedule(prepared, one, known=known, act=in_place) for one in schedules)

    return explore(prepared, Bounds(order=order, kinds=FIVE, pair_kinds=FIVE), play_many=play_many)


def _noticed(found: Exploration) -> bool:
    return bool(found.failing) or found.clean.outcome == "failed"
