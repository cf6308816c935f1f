"""Audits: what a suite must be able to notice before its verdicts are worth anything."""

from __future__ import annotations

from company_lab.probing.audit.finding import Finding, Level, Mutants
from company_lab.probing.audit.registry import AUDITS, Audit
from company_lab.probing.audit.report import AuditReport, keep, stored
from company_lab.probing.audit.running import audit_suite
from company_lab.probing.audit.scripted import SCRIPTED
from company_lab.probing.audit.undeserved import Auditable, audit_agents

__all__ = [
    "AUDITS",
    "SCRIPTED",
    "Audit",
    "AuditReport",
    "Auditable",
    "Finding",
    "Level",
    "Mutants",
    "audit_agents",
    "audit_suite",
    "keep",
    "stored",
]
