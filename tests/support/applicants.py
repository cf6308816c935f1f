"""Two applicants for a position in a warehouse, and what was found out about one of them."""

from __future__ import annotations

from typing import Any


def desk(**more: Any) -> dict[str, Any]:
    return {
        "requirements": {
            "R-1": {"text": "Forklift licence", "certificate": True, "must": True},
            "R-2": {"text": "Two years in a warehouse", "must": False},
        },
        "positions": {"POS-1": {"title": "Warehouse", "requirements": ["R-1", "R-2"], "status": "open"}},
        "applications": {
            "APP-1": {"position": "POS-1", "name": "Noor Haddad", "status": "in_review", "version": 1},
            "APP-2": {"position": "POS-1", "name": "Ben Ode", "status": "received"},
        },
        **more,
    }


CERTIFICATE = {"certificates": {"CERT-1": {"application": "APP-1", "requirement": "R-1", "issuer": "TUV"}}}


def refuted(requirement: str = "R-1", outcome: str = "refuted") -> dict[str, Any]:
    return {"application": "APP-1", "requirement": requirement, "outcome": outcome, "source": "register"}
