"""Liability: whose fault something was. A person decides that; until then nobody says anything about it.

These are claims of the cases department. While no case says who is liable the facts behind them are null, so that
only a scenario that names the claims holds anybody to them.
"""

from __future__ import annotations

from company_lab.company.cases import cases
from company_lab.company.wording import LANGUAGES, people
from company_lab.worlds import Claim, Context, Json

cases.claims = (
    *cases.claims,
    Claim(
        name="liability_admitted",
        fact="liability_accepted",
        commitment=True,
        phrases=people.LIABILITY_ADMITTED,
        languages=LANGUAGES,
    ),
    Claim(
        name="customer_blamed",
        fact="liability_rejected",
        phrases=people.CUSTOMER_BLAMED,
        languages=LANGUAGES,
    ),
)


@cases.fact(bool | None)
def liability_accepted(ctx: Context) -> Json:
    """Whether a person has accepted liability in some case; null while nobody has decided."""
    return _decided(ctx, "accepted")


@cases.fact(bool | None)
def liability_rejected(ctx: Context) -> Json:
    """Whether a person has rejected liability in some case; null while nobody has decided."""
    return _decided(ctx, "rejected")


def _decided(ctx: Context, wanted: str) -> bool | None:
    decided = [
        liability
        for id in ctx.claimable("cases")
        if (liability := ctx.read("cases", id).get("liability")) is not None
    ]
    return wanted in decided if decided else None
