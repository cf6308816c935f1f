"""Auditing a suite: every audit over every scenario, shared among processes, the same result whatever their number."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing import get_context

from company_lab.formats.errors import CompanyLabError, WrongUse, nearest
from company_lab.probing.audit.finding import Finding, Found, Mutants, summed
from company_lab.probing.audit.positions import positioned
from company_lab.probing.audit.registry import AUDITS, OF_BEHAVIOUR, Audit
from company_lab.probing.audit.report import AuditReport
from company_lab.probing.audit.subject import Subject
from company_lab.scenarios.model import Scenario, Suite
from company_lab.worlds.world import World

_MOST_PROCESSES = 8
Watch = Callable[[int, int], None]
"""Is told how many parts are done, and of how many."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one process is asked at a time: audits of one scenario, or one audit of all."""

    audits: tuple[str, ...]
    scenario: int | None


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a part."""

    findings: tuple[Finding, ...]
    mutants: Mutants


class _Work:
    """The scenarios under audit; processes that are forked from this one know it without being told."""

    def __init__(
        self, scenarios: Sequence[Scenario], worlds: Callable[[str], World], chosen: frozenset[str]
    ) -> None:
        self._scenarios = scenarios
        self._chosen = chosen
        self._worlds = worlds

    def subject(self, place: int) -> Subject:
        scenario = self._scenarios[place]
        return Subject(scenario, self._worlds(scenario.world), self._chosen)

    def do(self, part: Part) -> Result:
        audits = [AUDITS[code] for code in part.audits]
        found: list[Found] = []
        if part.scenario is not None:
            subject = self.subject(part.scenario)
            for audit in audits:
                found += audit.scenario(subject) if audit.scenario is not None else ()
        else:
            subjects = [self.subject(place) for place in range(len(self._scenarios))]
            for audit in audits:
                found += audit.suite(subjects) if audit.suite is not None else ()
        return Result(
            tuple(one for one in found if isinstance(one, Finding)),
            summed(one for one in found if isinstance(one, Mutants)),
        )


_work: _Work | None = None


def _do(part: Part) -> Result:
    assert _work is not None
    return _work.do(part)


def audit_suite(
    suite: Suite,
    worlds: Callable[[str], World],
    *,
    only: Iterable[str] = (),
    processes: int | None = None,
    watch: Watch = lambda done, of: None,
) -> AuditReport:
    """Audit a suite. The result depends on the suite and the code alone, not on how many processes share the work.

    `only` names audits by code; `processes` is one a core unless given. Of a hosted suite the audits that only ask who
    passes are made, unless others are named. Raises `WrongUse` for an unknown code.
    """
    scenarios = suite.scenarios
    hosted = bool(scenarios) and all(worlds(scenario.world).spec.hosted for scenario in scenarios)
    chosen = chosen_audits(only or (sorted(OF_BEHAVIOUR) if hosted else ()))
    _check_acceptances(scenarios)
    parts = _parts(chosen, len(scenarios))
    results = _results(
        _Work(scenarios, worlds, frozenset(audit.code for audit in chosen)), parts, processes, watch
    )
    findings: list[Finding] = []
    killed: dict[str, Mutants] = {}
    for part, result in zip(parts, results, strict=True):
        findings += result.findings
        if part.scenario is not None and result.mutants.total:
            killed[scenarios[part.scenario].id] = result.mutants
    order = {code: place for place, code in enumerate(AUDITS)}
    places = {scenario.id: place for place, scenario in enumerate(scenarios)}
    findings.sort(
        key=lambda one: (places.get(one.scenario or "", -1), order[one.audit], one.path, one.evidence)
    )
    accepted = [_accepted(one, scenarios[places[one.scenario]]) if one.scenario else one for one in findings]
    return AuditReport(
        suite=suite.digest,
        scenarios=len(scenarios),
        audits=tuple(audit.code for audit in chosen),
        findings=positioned(accepted, scenarios),
        mutants=killed,
        worlds={name: worlds(name).digest for name in sorted({one.world for one in scenarios})},
    )


def chosen_audits(only: Iterable[str]) -> tuple[Audit, ...]:
    """The audits of these codes, all of them where none is named. Raises `WrongUse`."""
    codes = [code.upper() for code in only]
    for code in codes:
        if code not in AUDITS:
            close = nearest(code, AUDITS)
            raise WrongUse(
                f"there is no audit {code}"
                + (f"; did you mean {close}?" if close else "")
                + f"; there are {', '.join(AUDITS)}"
            )
    return tuple(audit for code, audit in AUDITS.items() if not codes or code in codes)


def _check_acceptances(scenarios: Sequence[Scenario]) -> None:
    for scenario in scenarios:
        for code in scenario.audit.accepts:
            if code not in AUDITS:
                close = nearest(code.upper(), AUDITS)
                raise WrongUse(
                    f"{scenario.source}: {scenario.id} accepts findings of {code}, and there is no such audit"
                    + (f"; did you mean {close}?" if close else f"; there are {', '.join(AUDITS)}")
                )


def _parts(chosen: Sequence[Audit], scenarios: int) -> list[Part]:
    single = tuple(audit.code for audit in chosen if audit.scenario is not None)
    whole = [Part((audit.code,), None) for audit in chosen if audit.suite is not None]
    return [*whole, *(Part(single, place) for place in range(scenarios) if single)]


def _results(work: _Work, parts: Sequence[Part], processes: int | None, watch: Watch) -> list[Result]:
    hands = min(len(parts), processes or min(os.cpu_count() or 1, _MOST_PROCESSES))
    if hands <= 1:
        results = []
        for part in parts:
            results.append(work.do(part))
            watch(len(results), len(parts))
        return results
    global _work
    _work = work
    try:
        with warnings.catch_warnings(), ProcessPoolExecutor(hands, mp_context=get_context("fork")) as pool:
            # Whoever is forked here plays and judges, and needs nothing that another thread may hold.
            warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
            asked = [pool.submit(_do, part) for part in parts]
            try:
                return _gathered(asked, watch)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    except BrokenProcessPool:
        raise CompanyLabError(
            "a process of the audit ended before it was done: a world or an agent of the suite ends its process"
        ) from None
    finally:
        _work = None


def _gathered(asked: Sequence[Future[Result]], watch: Watch) -> list[Result]:
    results = []
    for future in asked:
        results.append(future.result())
        watch(len(results), len(asked))
    return results


def _accepted(finding: Finding, scenario: Scenario) -> Finding:
    accepts: Mapping[str, str] = scenario.audit.accepts
    reason = accepts.get(finding.audit)
    return finding if reason is None else replace(finding, accepted=reason)
