"""Audits of suites in a store, by the digest of the suite. The last one counts; earlier ones are kept."""

from __future__ import annotations

from collections.abc import Mapping

from company_lab.formats.canonical import Json
from company_lab.runs.store import Store

KIND = "audit"


def store_audit(store: Store, suite_digest: str, document: Mapping[str, Json]) -> None:
    """Keep what an audit of a suite found: `format`, `suite`, `code`, `blocking`, `warnings`, `findings` and others."""
    store.file(KIND, suite_digest, document)


def audit_of(store: Store, suite_digest: str) -> Mapping[str, Json] | None:
    """What the last audit of a suite found, or None where it was never audited."""
    found = store.filed(KIND, suite_digest)
    return found[-1].document if found else None
