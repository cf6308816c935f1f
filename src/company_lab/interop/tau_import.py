"""Recorded tau-bench trajectories into a stored run: `company-lab import tau-bench FILE [--json]`.

The file is read twice, first to see that all of it can be used, then to store it. Its content names the run,
so the same content imported again is the same run, whatever the file is called. With a checkout the verdicts are
found by carrying the recorded calls out again, and that is another run.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from company_lab.formats.canonical import digest
from company_lab.formats.errors import WrongUse
from company_lab.interop.hosting.tau_bench import domain_of
from company_lab.interop.hosting.tau_checkout import TauDomain
from company_lab.interop.hosting.tau_rejudge import Rejudging
from company_lab.interop.tau_bench import AGENT, TauEpisode, read
from company_lab.interop.tau_report import Imported, json_of, text_of
from company_lab.interop.tau_survey import Survey, survey
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.packing import text_digest
from company_lab.runs.plan import AgentIdentity, RunPlan, now
from company_lab.runs.redacting import keep_rules, redacted_verdict
from company_lab.runs.store import Store
from company_lab.traces.redaction import Redaction, Redactor

PREFIX = "tau-bench-"
GRADING = digest({"judging": "the reward of the recording suite"})
REPLAYING = "the recorded calls carried out again"
COMPLETE, INCOMPLETE = 0, 3


def import_file(
    path: Path,
    store: Store,
    *,
    as_json: bool = False,
    width: int | None = None,
    redaction: Redaction | None = None,
    checkout: str | None = None,
) -> tuple[str, int]:
    """Store the runs of a file; what the command prints, and its exit code: 0, or 3 where runs are missing.

    Nothing is stored of a file that can not be used: `Problems` and `WrongUse` come before the first episode.
    """
    imported = import_runs(path, store, redaction=redaction, checkout=checkout)
    code = COMPLETE if imported.survey.complete else INCOMPLETE
    if as_json:
        return json.dumps(json_of(imported), ensure_ascii=True, allow_nan=False, indent=2), code
    columns = shutil.get_terminal_size((80, 24)).columns if width is None else width
    return text_of(imported, width=columns), code


def import_runs(
    path: Path, store: Store, *, redaction: Redaction | None = None, checkout: str | None = None
) -> Imported:
    """Store the runs of a file unless they are stored already. Redacted ones are a run of their own.

    `checkout`, as `CHECKOUT#DOMAIN`, names where the recorded calls are carried out again to judge them anew.
    """
    if not path.is_file():
        raise WrongUse(f"there is no file {path}")
    domain = None if checkout is None else domain_of(checkout)
    again = None if domain is None else Rejudging(domain)
    found = survey(_episodes(path, redaction, again))
    named = found.digest if redaction is None else digest([found.digest, redaction.digest])
    if domain is not None:
        named = digest([named, domain.digest])
    run = f"{PREFIX}{named[:16]}"
    entries = store.runs()
    before = tuple(
        entry.run
        for entry in entries
        if entry.run.startswith(PREFIX) and Path(entry.suite).name == path.name and entry.run != run
    )
    if run in {entry.run for entry in entries}:
        lacking = set(store.missing(run)) & set(found.present)
    else:
        if redaction is not None:
            keep_rules(store, redaction)
        store.begin(_plan(run, path, found, redaction, domain))
        lacking = set(found.present)
    prompts: dict[str, str] = {}
    if lacking:
        for episode in _episodes(path, redaction, None if domain is None else Rejudging(domain)):
            if (episode.task, episode.trial) not in lacking:
                continue
            if episode.prompt not in prompts:
                prompts[episode.prompt] = store.keep(episode.prompt)
            store.add(
                run,
                StoredEpisode(
                    scenario=episode.task,
                    trial=episode.trial,
                    trace=episode.trace,
                    verdict=episode.verdict,
                    grading=GRADING if domain is None else digest([REPLAYING, domain.digest]),
                ),
            )
        store.finish(run, "finished" if found.complete else "interrupted")
    return Imported(survey=found, source=path, run=run, added=len(lacking), earlier=before, again=again)


def _episodes(path: Path, redaction: Redaction | None, again: Rejudging | None) -> Iterator[TauEpisode]:
    episodes = read(path) if again is None else map(again.judged, read(path))
    if redaction is None:
        yield from episodes
        return
    for episode in episodes:
        redactor = Redactor(redaction, episode.trace)
        trace, prompt = redactor.trace(episode.trace), redactor.text(episode.prompt)
        trace.records[0]["agent"]["settings"] = {"prompt": text_digest(prompt)}
        yield replace(
            episode,
            trace=trace,
            verdict=redacted_verdict(redactor, episode.verdict),
            prompt=prompt,
            findings=tuple(
                replace(finding, detail=redactor.text(finding.detail)) for finding in episode.findings
            ),
        )


def _plan(
    run: str, path: Path, found: Survey, redaction: Redaction | None, domain: TauDomain | None
) -> RunPlan:
    scenarios: Mapping[str, str] = found.tasks
    return RunPlan(
        run=run,
        created=now(),
        suite=str(path),
        suite_digest=found.digest,
        agent=AgentIdentity(name=AGENT, kind="undeclared"),
        trials=found.trials,
        seed=0,
        cells=found.cells,
        scenarios=scenarios,
        prompts={f"prompt {number}": digest for number, digest in enumerate(found.prompts, 1)},
        redaction=None if redaction is None else redaction.digest,
        evidence=("recorded elsewhere",),
        note="recorded tau-bench trajectories; the verdicts are the rewards of that suite"
        if domain is None
        else "recorded tau-bench trajectories; the verdicts come of carrying their calls out again",
    )
