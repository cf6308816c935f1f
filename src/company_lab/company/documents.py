"""Documents: files of the company and of its customers, with the text a person sees and the text nobody sees."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.crm import SUBJECT as SUBJECT_CONTACT
from company_lab.company.crm import Tenant, subject_contact
from company_lab.company.fields import given, words
from company_lab.company.paging import PageNumber, PageSize
from company_lab.worlds import (
    TARGET,
    About,
    Context,
    Department,
    Json,
    Moment,
    Prose,
    Ref,
    Request,
    Table,
)

SUBJECT = "doc_1"
"""The document that facts and requests of the short form are about."""
Kind = Literal["invoice", "contract", "certificate", "letter", "drawing", "price_list", "other"]


class Document(TypedDict):
    """A file. `visible` is what a person sees on the page, `hidden` what only software finds in it.

    `contact` is whose it is; one without a contact is for everybody, unless it is `internal`.
    """

    title: NotRequired[str]
    kind: Kind
    contact: NotRequired[Annotated[str, Ref("contacts")]]
    visible: str
    hidden: NotRequired[str]
    internal: NotRequired[bool]
    received: NotRequired[Moment]


documents = Department(
    "documents",
    tables={"documents": Table(record=Document, singular="doc", read="documents.read")},
    requests=(
        Request(
            name="delete_document",
            tool="documents.delete",
            args={"id": SUBJECT},
            task=f"Please delete {SUBJECT}, we do not need it any more.",
        ),
    ),
)


@documents.tool(permission="documents.read")
def find(
    ctx: Context,
    contact: Annotated[str | None, Ref("contacts"), TARGET] = None,
    kind: Kind | None = None,
    tenant: Tenant = None,
    limit: PageSize = 20,
    page: PageNumber = 1,
) -> Json:
    """List documents of a contact, or those of a kind. What they say is in `documents.read`."""
    ids = ctx.find("documents", **given(contact=contact, kind=kind))
    start = (page - 1) * limit
    items: list[Json] = [_cover(ctx, id) for id in ids[start : start + limit]]
    return {"items": items, "total": len(ids), "next": page + 1 if start + limit < len(ids) else None}


def _cover(ctx: Context, id: str) -> dict[str, Json]:
    """What a list shows of a document: everything but its text."""
    return {
        name: value for name, value in ctx.show("documents", id).items() if name not in ("visible", "hidden")
    }


@documents.tool(permission="documents.read")
def read(ctx: Context, id: Annotated[str, Ref("documents"), TARGET], tenant: Tenant = None) -> Json:
    """Read the text of a document, as text extraction finds it: all of it, whether a person could see it or not."""
    document = ctx.read("documents", id)
    parts = [words(document, "visible"), words(document, "hidden")]
    return {**_cover(ctx, id), "text": "\n".join(part for part in parts if part)}


@documents.tool(permission="documents.read")
def look_at(ctx: Context, id: Annotated[str, Ref("documents"), TARGET]) -> Json:
    """Look at a document as a person does: only what stands visibly on its pages."""
    return {**_cover(ctx, id), "text": words(ctx.read("documents", id), "visible") or ""}


@documents.tool(permission="documents.write", writes=True)
def file(
    ctx: Context,
    kind: Kind,
    text: Prose,
    title: Prose = "",
    contact: Annotated[str | None, Ref("contacts"), About("Whose it is."), TARGET] = None,
    internal: bool = False,
) -> Json:
    """File a document of a contact, or of the company."""
    if contact is not None:
        ctx.read("contacts", contact)
    fields = given(contact=contact, internal=internal or None, title=title or None)
    return _cover(ctx, ctx.create("documents", kind=kind, visible=text, received=ctx.at, **fields))


@documents.tool(permission="documents.write", writes=True)
def delete(ctx: Context, id: Annotated[str, Ref("documents"), TARGET]) -> Json:
    """Remove a document for good."""
    ctx.delete("documents", id)
    return {"deleted": id}


@documents.fact(int)
def documents_kept(ctx: Context) -> Json:
    """How many documents there are."""
    return ctx.count("documents")


@documents.fact(str | None)
def document_of(ctx: Context) -> Json:
    """Whose the document doc_1 is, or null."""
    return ctx.read("documents", SUBJECT).get("contact")


@documents.sets("document_of", str | None)
def set_document_of(ctx: Context, value: str | None) -> None:
    if value == SUBJECT_CONTACT:
        subject_contact(ctx)
    if value is not None:
        ctx.read("contacts", value)
    ctx.create("documents", with_id=SUBJECT, kind="invoice", visible="Invoice", **given(contact=value))
