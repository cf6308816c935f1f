"""A stored run with every outcome, one with hostile texts in every place, and their reports in every form."""

from __future__ import annotations

import io
from dataclasses import replace

from company_lab.evaluation import Note, Verdict
from company_lab.reports.forms import form_named
from company_lab.runs import Store
from report_pages import HOSTILE, NAME, episode, fill, plan_of, with_fault


def written(store: Store, run: str, form: str) -> bytes:
    """The report of a run in a form."""
    file = io.BytesIO()
    form_named(form).write(store, run, file)
    return file.getvalue()


def every_outcome(store: Store) -> str:
    """Six trials of two scenarios: one passed, two failed, one unscored, one invalid, and the last one lost."""
    note = Note(check="expected.told", message="the reply could be read in two ways", evidence=(3,))
    unscored = Verdict(outcome="unscored", unscored=(note,))
    invalid = Verdict(
        outcome="invalid", invalid=(replace(note, check="faults[0]", message="it never fired"),)
    )
    return fill(
        store,
        plan_of(["paid", "sent"], 3),
        [
            episode("paid", 1, failed=False),
            episode("paid", 2, failed=True),
            episode("paid", 3, failed=True),
            replace(episode("sent", 1, failed=False), verdict=unscored),
            replace(episode("sent", 2, failed=False), verdict=invalid),
        ],
    )


def hostile(store: Store) -> str:
    """Names, texts, messages and values of a run, all of them hostile."""
    plan = plan_of([NAME, "fine"], 2, note=NAME)
    plan = replace(plan, agent=replace(plan.agent, name=NAME), suite=NAME)
    note = Note(check=HOSTILE, message=HOSTILE)
    return fill(
        store,
        plan,
        [
            with_fault(episode(NAME, 1, failed=True, said=HOSTILE), NAME),
            replace(
                episode(NAME, 2, failed=False, said=HOSTILE),
                verdict=Verdict(outcome="unscored", unscored=(note,)),
            ),
            episode("fine", 1, failed=False),
            with_fault(episode("fine", 2, failed=True), "late", stop=NAME, evidence=NAME, layer=NAME),
        ],
    )
