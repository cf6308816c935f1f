"""Contract scenarios: what the guard says of the same request when something around it has changed."""

from __future__ import annotations

from company_lab.formats.errors import CompanyLabError
from company_lab.probing.mutate.operator import CanNotDerive, Document
from company_lab.probing.mutate.original import Original, played
from company_lab.scenarios.loader import load_document

DECISION, REASON = "decision", "review_reason"


def allowed(original: Original) -> bool:
    """Whether it expects its request to be allowed, and nothing but facts."""
    facts = original.scenario.expected.facts
    written = original.scenario.document["expected"]
    return facts.get(DECISION) == "allow" and isinstance(written, dict) and set(written) == set(facts)


def expect_held(original: Original, document: Document) -> None:
    """Expect that the request now waits for a person, for the reason the guard gives, and what follows from that.

    Raises `CanNotDerive` where the guard says anything else: then it is not the mutation that decides.
    """
    spec = original.spec
    asked = dict(document["expected"])
    if REASON in spec.facts and spec.facts[REASON].expectable:
        asked[REASON] = min(spec.reasons)
    try:
        probe = load_document({**document, "expected": asked}, worlds=lambda _: spec)
    except CompanyLabError as error:
        raise CanNotDerive(f"it can not be loaded: {error}") from None
    facts = played(probe, original.world, None).settled.get("facts", {})
    if facts.get(DECISION) != "require_approval":
        raise CanNotDerive(f"the guard still says {facts.get(DECISION)}")
    document["expected"] = {name: facts[name] for name in asked if name in facts}
