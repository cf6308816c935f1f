"""Whether the suite asked enough: coverage by failure class, held-out scenarios, its audit, faults that occurred."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction

from company_lab.formats.canonical import Json
from company_lab.formats.errors import nearest
from company_lab.release.decision import Ruling, counted
from company_lab.release.policy import Audit, Cover, HeldOut
from company_lab.release.rulings.case import Case
from company_lab.runs.code import package_digest


def suite(case: Case) -> Iterator[Ruling]:
    """Rulings on what was played, not on how it came out."""
    yield from _coverage(case)
    if case.policy.held_out is not None:
        yield from _held_out(case, case.policy.held_out)
    if case.policy.audit.required:
        yield _audit(case, case.policy.audit)
    for kind, wanted in case.policy.faults.items():
        yield _fault(case, kind, wanted)


def _coverage(case: Case) -> Iterator[Ruling]:
    scenarios: Counter[str] = Counter()
    episodes: Counter[str] = Counter()
    for figure in case.own.scenarios:
        played = case.run.scenarios.get(figure.scenario)
        if played is None or played.failure_class is None or not figure.n:
            continue
        scenarios[played.failure_class] += 1
        episodes[played.failure_class] += figure.n
    for name, rule in case.policy.coverage.items():
        yield _covered(name, rule, scenarios, episodes)


def _covered(name: str, rule: Cover, scenarios: Counter[str], episodes: Counter[str]) -> Ruling:
    enough = scenarios[name] >= rule.scenarios and episodes[name] >= (rule.episodes or 0)
    needed = counted(rule.scenarios, "scenario")
    if rule.episodes is not None:
        needed += f" and {counted(rule.episodes, 'scored episode')}"
    close = None if name in scenarios else nearest(name, scenarios)
    hint = f"; did you mean {close}?" if close else ""
    return Ruling(
        key=f"coverage.{name}",
        outcome="pass" if enough else "hold",
        said=f"{counted(scenarios[name], 'scenario')} of the class, {counted(episodes[name], 'scored episode')}",
        needed="" if enough else f"{needed} of it{hint}",
    )


def _held_out(case: Case, rule: HeldOut) -> Iterator[Ruling]:
    held_out = set(case.run.held_out)
    played = sum(figure.n > 0 for figure in case.own.scenarios if figure.scenario in held_out)
    enough = played >= rule.scenarios
    yield Ruling(
        key="held_out.scenarios",
        outcome="pass" if enough else "hold",
        said=f"{counted(played, 'held-out scenario')} played and scored; asked for: {rule.scenarios}",
        needed=""
        if enough
        else f"{counted(rule.scenarios, 'scenario')} with split: held_out, that nobody tuned against",
    )
    if rule.uses is None or not held_out:
        return
    candidates = {use.candidate for use in case.uses} | {case.candidate}
    fresh = len(candidates) <= rule.uses
    yield Ruling(
        key="held_out.uses",
        outcome="pass" if fresh else "hold",
        said=f"used {counted(len(case.uses), 'time')} before, for {counted(len(candidates), 'candidate')} in all; "
        f"allowed: {rule.uses}",
        needed="" if fresh else "another held-out set: choosing by one set often enough fits it",
    )


def _audit(case: Case, rule: Audit) -> Ruling:
    found, digest = case.audit, case.run.plan.suite_digest
    needed = f"company-lab audit {case.run.plan.suite} passed for the suite {digest[:12]}"
    if found is None:
        return Ruling(key="audit", outcome="hold", said="this suite was never audited", needed=needed)
    blocking, warnings = found.get("blocking"), found.get("warnings")
    if found.get("suite") != digest or type(blocking) is not int or type(warnings) is not int:
        return Ruling(
            key="audit", outcome="hold", said="what is stored is no audit of this suite", needed=needed
        )
    if found.get("code") != package_digest("company_lab"):
        said = "the audit was made with another version of company-lab"
        return Ruling(key="audit", outcome="hold", said=said, needed=needed)
    changed = _changed_worlds(case, found)
    if changed:
        said = f"the audit was made in another version of the world {', '.join(changed)}"
        return Ruling(key="audit", outcome="hold", said=said, needed=needed)
    said = f"{counted(blocking, 'blocking finding')}, {counted(warnings, 'warning')}"
    good = blocking == 0 and (rule.warnings is None or warnings <= rule.warnings)
    if rule.killed is not None:
        killed, mutants = found.get("killed"), found.get("mutants")
        if type(killed) is int and type(mutants) is int and mutants > 0:
            said += f", {killed} of {mutants} mutants noticed"
            # In fractions: 0.07 * 100 is more than 7 in floats, and 7 of 100 would be too few.
            good = good and Fraction(killed, mutants) >= Fraction(str(rule.killed))
        else:
            said += ", no mutants were tried"
            good = False
    return Ruling(key="audit", outcome="pass" if good else "hold", said=said, needed="" if good else needed)


def _changed_worlds(case: Case, found: Mapping[str, Json]) -> list[str]:
    """Worlds of a team's own change without a new version of this package."""
    audited = found.get("worlds")
    known = audited if isinstance(audited, dict) else {}
    return [name for name, digest in case.run.plan.worlds.items() if known.get(name) != digest]


def _fault(case: Case, kind: str, wanted: int) -> Ruling:
    fired, _ = case.own.fired_by_fault.get(kind, (0, 0))
    return Ruling(
        key=f"faults.{kind}",
        outcome="pass" if fired >= wanted else "hold",
        said=f"occurred in {counted(fired, 'episode')}; asked for: {wanted}",
        needed="" if fired >= wanted else f"{counted(wanted, 'episode')} in which it occurs",
    )
