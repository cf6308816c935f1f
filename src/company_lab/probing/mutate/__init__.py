"""Mutations: other scenarios made from one that is there, with what must come of them.

An operator knows something of the business: what an announcement that comes twice asks of an agent, or an approval
that ran out. It changes fixture and expectation together, and nothing it makes is handed over before it was played:
the new reference passes, and whoever goes on as in the original fails where that is no longer right.
"""

from __future__ import annotations

from company_lab.probing.mutate.deriving import Mutant, Underivable, mutate
from company_lab.probing.mutate.operator import CanNotDerive, Draft, Operator
from company_lab.probing.mutate.original import Original
from company_lab.probing.mutate.registry import OPERATORS, operators_of
from company_lab.probing.mutate.trying import Changed, Tried, try_agent
from company_lab.probing.mutate.writing import write_mutants

__all__ = [
    "OPERATORS",
    "CanNotDerive",
    "Changed",
    "Draft",
    "Mutant",
    "Operator",
    "Original",
    "Tried",
    "Underivable",
    "mutate",
    "operators_of",
    "try_agent",
    "write_mutants",
]
