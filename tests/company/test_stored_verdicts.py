from __future__ import annotations

import json

from company_lab.company import SUITE, company
from company_lab.evaluation import judge
from company_lab.formats.canonical import canonical
from company_lab.probing.rehearse import rehearse
from company_lab.runs.packing import trace_of
from company_lab.scenarios.loader import load_document
from company_lab.scenarios.suite import load_suite


def test_what_is_stored_is_judged_to_the_letter_as_it_was_when_played() -> None:
    """Trace and scenario come back with their keys sorted; no word of a verdict may depend on that."""
    judged = 0
    for scenario in load_suite(SUITE, lambda _: company.spec).scenarios:
        stored = load_document(json.loads(canonical(scenario.document)), worlds=lambda _: company.spec)
        for rehearsal in rehearse(scenario, company):
            trace = trace_of(rehearsal.episode.trace.bytes())
            again = judge(stored, company.spec, trace, rehearsal.episode.timings)
            assert again.to_json() == rehearsal.verdict.to_json(), (scenario.id, rehearsal.conduct)
            judged += 1
    assert judged > 500
