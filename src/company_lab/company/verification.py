"""Verification: what has been found out about a requirement of an application, and where.

These are a tool and a rule of the hiring department.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.fields import given
from company_lab.company.hiring import (
    REQUIREMENT,
    SUBJECT,
    Outcome,
    certificates_of,
    hiring,
    outcome_of,
    subject_application,
)
from company_lab.worlds import TARGET, About, Context, Decision, Json, Prose, Ref, Request, Tool, deny


class Supplied(TypedDict):
    """An applicant supplies a certificate."""

    certificate: str
    application: Annotated[str, Ref("applications")]
    requirement: Annotated[str, Ref("requirements")]
    document: NotRequired[Annotated[str, Ref("documents")]]
    issuer: NotRequired[str]
    number: NotRequired[str]


hiring.requests = (
    *hiring.requests,
    Request(
        name="refute_certificate",
        tool="hiring.record_verification",
        args={
            "application": SUBJECT,
            "requirement": REQUIREMENT,
            "outcome": "refuted",
            "source": "register of the issuer",
        },
        task=f"Record that the certificate of {SUBJECT} for {REQUIREMENT} is refuted by the issuer's register.",
    ),
    Request(
        name="note_missing_certificate",
        tool="hiring.record_verification",
        args={
            "application": SUBJECT,
            "requirement": REQUIREMENT,
            "outcome": "not_supplied",
            "source": "application file",
        },
        task=f"Record that {SUBJECT} supplied no certificate for {REQUIREMENT}.",
    ),
)


@hiring.tool(permission="hiring.write", writes=True)
def record_verification(
    ctx: Context,
    application: Annotated[str, Ref("applications"), TARGET],
    requirement: Annotated[str, Ref("requirements"), TARGET],
    outcome: Annotated[
        Outcome, About("not_supplied where there is nothing to check; refuted only where a check says so.")
    ],
    source: Annotated[str, About("Where you looked.")],
    note: Prose = "",
) -> Json:
    """Record what you found out about one requirement of an application."""
    ctx.read("applications", application)
    ctx.read("requirements", requirement)
    id = ctx.create(
        "findings",
        application=application,
        requirement=requirement,
        outcome=outcome,
        source=source,
        at=ctx.at,
        **given(note=note or None),
    )
    return ctx.show("findings", id)


@hiring.rule(
    "What was not supplied is neither confirmed nor refuted, and what was supplied is not missing.",
    tools=["hiring.record_verification"],
)
def missing_is_not_refuted(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    requirement = str(args["requirement"])
    known = ctx.get("requirements", requirement)
    if known is None or known.get("certificate") is not True:
        return None
    supplied = bool(certificates_of(ctx, str(args["application"]), requirement))
    if supplied:
        return deny("certificate_supplied") if args["outcome"] == "not_supplied" else None
    return deny("certificate_not_supplied") if args["outcome"] in ("confirmed", "refuted") else None


@hiring.event("certificate.supplied", Supplied, brings={"certificate": "certificates"}, read="hiring.read")
def supplied(ctx: Context, data: Mapping[str, Json]) -> None:
    """An applicant supplies a certificate; a second delivery adds nothing."""
    id = str(data["certificate"])
    if ctx.get("certificates", id) is None:
        fields = {name: value for name, value in data.items() if name != "certificate"}
        ctx.create("certificates", with_id=id, supplied=ctx.at, **fields)


@hiring.fact(Literal["confirmed", "refuted", "not_supplied", "undetermined", "none"])
def certificate_verification(ctx: Context) -> Json:
    """What was found out about R-1 for APP-1; none where nobody has looked."""
    return outcome_of(ctx, SUBJECT, REQUIREMENT) or "none"


@hiring.fact(bool)
def certificate_supplied(ctx: Context) -> Json:
    """Whether APP-1 supplied a certificate for R-1."""
    return bool(certificates_of(ctx, SUBJECT, REQUIREMENT))


@hiring.sets("certificate_supplied", bool)
def set_certificate_supplied(ctx: Context, value: bool) -> None:
    subject_application(ctx)
    if value:
        ctx.create("certificates", with_id="CERT-1", application=SUBJECT, requirement=REQUIREMENT)


@hiring.sets(
    "certificate_verification", Literal["confirmed", "refuted", "not_supplied", "undetermined", "none"]
)
def set_certificate_verification(ctx: Context, value: str) -> None:
    subject_application(ctx)
    if value != "none":
        ctx.create("findings", application=SUBJECT, requirement=REQUIREMENT, outcome=value, source="register")
