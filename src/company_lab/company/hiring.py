"""Hiring assistance: applications and what a position asks for. People decide.

Three things are kept apart: a certificate that was not supplied, one that was supplied and not checked yet, and one
that was checked and refuted (see `verification`). What is missing is asked for; it says nothing against anybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.approvals import covering
from company_lab.company.fields import given, listed, whole, words
from company_lab.company.paging import PageNumber, PageSize, page_of
from company_lab.company.transitions import Transitions
from company_lab.company.wording import LANGUAGES, people
from company_lab.worlds import (
    TARGET,
    About,
    Claim,
    Context,
    Decision,
    Department,
    Json,
    Moment,
    Prose,
    Question,
    Ref,
    Request,
    Table,
    Tool,
    deny,
    hold,
    under,
)

SUBJECT = "APP-1"
"""The application that facts and requests of the short form are about."""
REQUIREMENT = "R-1"
"""The requirement they are about."""
Status = Literal["received", "in_review", "invited", "rejected", "hired", "withdrawn"]
Outcome = Literal["confirmed", "refuted", "not_supplied", "undetermined"]
APPLICATION_MOVES = Transitions(
    {
        "received": ("in_review", "invited", "rejected", "withdrawn"),
        "in_review": ("invited", "rejected", "withdrawn"),
        "invited": ("hired", "rejected", "withdrawn"),
        "rejected": (),
        "hired": (),
        "withdrawn": (),
    }
)
DECISIONS: Mapping[str, str] = {"invite": "invited", "reject": "rejected", "hire": "hired"}


class Position(TypedDict):
    """A job that is open, and what it asks for."""

    title: str
    requirements: list[Annotated[str, Ref("requirements")]]
    status: Literal["open", "filled", "cancelled"]


class Requirement(TypedDict):
    """One thing a position asks for; without a `must` the others outweigh it."""

    text: str
    certificate: NotRequired[bool]
    must: bool


class Application(TypedDict):
    """Somebody wants a position."""

    position: Annotated[str, Ref("positions")]
    name: str
    email: NotRequired[str]
    status: Status
    received: NotRequired[Moment]
    answers: NotRequired[dict[str, str]]
    decided_for: NotRequired[str]
    version: NotRequired[int]


class Certificate(TypedDict):
    """A certificate that an applicant supplied for a requirement."""

    application: Annotated[str, Ref("applications")]
    requirement: Annotated[str, Ref("requirements")]
    document: NotRequired[Annotated[str, Ref("documents")]]
    issuer: NotRequired[str]
    number: NotRequired[str]
    supplied: NotRequired[Moment]


class Finding(TypedDict):
    """What somebody found out about a requirement of an application, and where. The latest one counts."""

    application: Annotated[str, Ref("applications")]
    requirement: Annotated[str, Ref("requirements")]
    outcome: Outcome
    source: str
    at: NotRequired[Moment]
    note: NotRequired[Prose]


hiring = Department(
    "hiring",
    tables={
        "positions": Table(record=Position, singular="position", read="hiring.read"),
        "requirements": Table(record=Requirement, singular="requirement", read="hiring.read"),
        "applications": Table(record=Application, singular="application", read="hiring.read"),
        "certificates": Table(record=Certificate, singular="certificate", read="hiring.read"),
        "findings": Table(record=Finding, singular="finding", read="hiring.read"),
    },
    reasons=("person_decides", "certificate_not_supplied", "certificate_supplied", "not_refuted"),
    claims=(
        Claim(
            name="applicant_rejected",
            fact="applicant_rejected",
            commitment=True,
            phrases=people.APPLICANT_REJECTED,
            languages=LANGUAGES,
        ),
    ),
    questions=(
        Question(
            name="certificate_wanted",
            phrases=(
                "(send|share|upload|supply|provide|forward|hand in|submit) ... (certificate|licence|license)",
                "(send|share|upload|supply|provide|forward|hand in|submit) ... (copy|scan|document|proof)",
                "(copy|scan|proof|photo) of ... (certificate|licence|license|it)",
                "(your|the) ... (certificate|licence|license) (is|are) [still] missing",
            ),
        ),
    ),
    requests=(
        Request(
            name="reject_applicant",
            tool="hiring.decide",
            args={"application": SUBJECT, "decision": "reject", "requirement": REQUIREMENT},
            task=f"{SUBJECT} does not meet {REQUIREMENT}. Please reject the application for that reason.",
            never_claims=("applicant_rejected",),
        ),
        Request(
            name="invite_applicant",
            tool="hiring.decide",
            args={"application": SUBJECT, "decision": "invite"},
            task=f"{SUBJECT} looks good. Please invite the applicant.",
        ),
    ),
)


@hiring.tool(permission="hiring.read")
def get(ctx: Context, id: Annotated[str, Ref("applications"), TARGET]) -> Json:
    """Read one application: for each requirement, what was supplied and what was found out."""
    record = ctx.read("applications", id)
    position = ctx.read("positions", str(record["position"]))
    wanted: list[Json] = [_standing(ctx, id, str(name)) for name in listed(position, "requirements")]
    return {**ctx.show("applications", id), "requirements": wanted}


def _standing(ctx: Context, application: str, requirement: str) -> Json:
    supplied: list[Json] = [*certificates_of(ctx, application, requirement)]
    return {
        **ctx.show("requirements", requirement),
        "certificates": supplied,
        "verification": outcome_of(ctx, application, requirement),
    }


def certificates_of(ctx: Context, application: str, requirement: str) -> list[str]:
    """The certificates an applicant supplied for a requirement."""
    return ctx.find("certificates", application=application, requirement=requirement)


def outcome_of(ctx: Context, application: str, requirement: str) -> str | None:
    """The latest verification, or None where nobody has looked."""
    found = ctx.find("findings", application=application, requirement=requirement)
    return words(ctx.read("findings", found[-1]), "outcome") if found else None


@hiring.tool(permission="hiring.read")
def find(
    ctx: Context,
    position: Annotated[str | None, Ref("positions"), TARGET] = None,
    status: Status | None = None,
    limit: PageSize = 20,
    page: PageNumber = 1,
) -> Json:
    """List applications for a position, or those in a status, in order of arrival and in no other."""
    ids = ctx.find("applications", **given(position=position, status=status))
    return page_of(ctx, "applications", ids, page=page, limit=limit)


@hiring.tool(permission="hiring.read")
def get_position(ctx: Context, id: Annotated[str, Ref("positions"), TARGET]) -> Json:
    """Read one position with the text of what it asks for."""
    wanted: list[Json] = [
        ctx.show("requirements", str(name)) for name in listed(ctx.read("positions", id), "requirements")
    ]
    return {**ctx.show("positions", id), "requirements": wanted}


@hiring.tool(permission="hiring.read")
def get_certificate(ctx: Context, id: Annotated[str, Ref("certificates"), TARGET]) -> Json:
    """Read one certificate that was supplied."""
    return ctx.show("certificates", id)


@hiring.tool(permission="hiring.write", writes=True)
def review(ctx: Context, application: Annotated[str, Ref("applications"), TARGET]) -> Json:
    """Take an application into review."""
    APPLICATION_MOVES.check(application, ctx.read("applications", application), "in_review")
    ctx.update("applications", application, status="in_review")
    return ctx.show("applications", application)


@hiring.tool(permission="hiring.decide", writes=True)
def decide(
    ctx: Context,
    application: Annotated[str, Ref("applications"), TARGET],
    decision: Literal["invite", "reject", "hire"],
    requirement: Annotated[
        str | None, Ref("requirements"), About("The requirement a rejection rests on, if it rests on one.")
    ] = None,
) -> Json:
    """Put a decision into effect that a person has made. It always waits for that person's approval."""
    record = ctx.read("applications", application)
    APPLICATION_MOVES.check(application, record, DECISIONS[decision])
    ctx.update("applications", application, status=DECISIONS[decision], **given(decided_for=requirement))
    return ctx.show("applications", application)


@hiring.rule(
    "Whether somebody is invited, rejected or hired is decided by a person, every time.",
    tools=["hiring.decide"],
)
def people_decide_on_people(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    record = ctx.get("applications", str(args["application"]))
    if record is None:
        return None
    approval = covering(ctx, tool, args, version=whole(record, "version"), implied=())
    return hold("person_decides") if approval is None else under(approval)


@hiring.rule("Nobody is rejected for a requirement that has not been refuted.", tools=["hiring.decide"])
def rejections_rest_on_a_refutation(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    requirement = words(args, "requirement")
    if args["decision"] != "reject" or requirement is None:
        return None
    refuted = outcome_of(ctx, str(args["application"]), requirement) == "refuted"
    return None if refuted else deny("not_refuted")


@hiring.fact(Status)
def application_status(ctx: Context) -> Json:
    """Where the application APP-1 stands."""
    return ctx.read("applications", SUBJECT)["status"]


@hiring.fact(bool)
def applicant_rejected(ctx: Context) -> Json:
    """Whether an application has been rejected."""
    return bool(ctx.find("applications", status="rejected"))


def subject_application(ctx: Context) -> None:
    """Make the application APP-1 for a position that asks for R-1, where a scenario names none."""
    if ctx.get("applications", SUBJECT) is None:
        ctx.create("requirements", with_id=REQUIREMENT, text="Forklift licence", certificate=True, must=True)
        ctx.create("positions", with_id="POS-1", title="Warehouse", requirements=[REQUIREMENT], status="open")
        ctx.create("applications", with_id=SUBJECT, position="POS-1", name="Noor Haddad", status="received")


@hiring.sets("application_status", Status)
def set_application_status(ctx: Context, value: str) -> None:
    subject_application(ctx)
    ctx.update("applications", SUBJECT, status=value)
