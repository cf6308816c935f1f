"""The company: the world that ships, one module per department.

It is built from the same pieces as anybody's own world. `SUITE` is the folder of scenarios that come with it.
"""

from __future__ import annotations

from pathlib import Path

from company_lab.company import (
    amounts,
    approvers,
    consent,
    deeds,
    drafts,
    imports,
    leads,
    liability,
    merges,
    namesakes,
    placements,
    promises,
    receivers,
    reminded,
    terms,
    verification,
)
from company_lab.company.ads import ads
from company_lab.company.approvals import approvals
from company_lab.company.bank import bank
from company_lab.company.bills import bills
from company_lab.company.bookings import bookings
from company_lab.company.cases import cases
from company_lab.company.charges import charges
from company_lab.company.completion import completion
from company_lab.company.credits import credits
from company_lab.company.crm import crm
from company_lab.company.crowd import crowd
from company_lab.company.deliveries import deliveries
from company_lab.company.discounts import discounts
from company_lab.company.disputes import disputes
from company_lab.company.documents import documents
from company_lab.company.email import email
from company_lab.company.handoff import handoff
from company_lab.company.hiring import hiring
from company_lab.company.holds import holds
from company_lab.company.invoices import invoices
from company_lab.company.jobs import jobs
from company_lab.company.leases import leases
from company_lab.company.ledger import ledger
from company_lab.company.orders import orders
from company_lab.company.payments import payments
from company_lab.company.payouts import payouts
from company_lab.company.policies import policies
from company_lab.company.processor import processor
from company_lab.company.quotes import quotes
from company_lab.company.receipts import receipts
from company_lab.company.refunds import refunds
from company_lab.company.reminders import reminders
from company_lab.company.rights import rights
from company_lab.company.settings import settings
from company_lab.company.statements import statements
from company_lab.company.suppliers import suppliers
from company_lab.company.tasks import tasks
from company_lab.company.totals import totals
from company_lab.company.write_offs import write_offs
from company_lab.worlds import World

__all__ = ["FURNISHING", "SUITE", "company"]

FURNISHING = (
    amounts,
    approvers,
    consent,
    deeds,
    drafts,
    imports,
    leads,
    liability,
    merges,
    namesakes,
    placements,
    promises,
    receivers,
    reminded,
    terms,
    verification,
)
"""Modules that add tools and rules to a department declared in another one; importing them is what adds them."""

SUITE = Path(__file__).parent / "suite"

company = World(
    "company",
    [
        crm,
        orders,
        quotes,
        approvals,
        invoices,
        payments,
        email,
        cases,
        tasks,
        policies,
        documents,
        handoff,
        holds,
        hiring,
        settings,
        rights,
        bookings,
        totals,
        discounts,
        write_offs,
        credits,
        reminders,
        charges,
        refunds,
        disputes,
        processor,
        bank,
        statements,
        ledger,
        receipts,
        payouts,
        suppliers,
        bills,
        ads,
        leases,
        jobs,
        deliveries,
        completion,
    ],
    crowd=crowd,
)
