"""Settings: numbers and switches the company works by, some of which nobody changes alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NotRequired, TypedDict

from company_lab.company.approvals import covering
from company_lab.company.fields import given, whole
from company_lab.formats.canonical import same
from company_lab.worlds import (
    TARGET,
    About,
    Context,
    Decision,
    Department,
    Failed,
    Json,
    Prose,
    Ref,
    Request,
    Table,
    Tool,
    hold,
    under,
)

SUBJECT = "cases.reopen_days"
"""The setting that facts and requests of the short form are about."""


class Setting(TypedDict):
    """One setting. A `guarded` one is changed only with an approval."""

    value: object
    guarded: NotRequired[bool]
    version: NotRequired[int]
    note: NotRequired[Prose]
    changed_by: NotRequired[str]


settings = Department(
    "settings",
    tables={"settings": Table(record=Setting, singular="setting")},
    reasons=("guarded_setting",),
    requests=(
        Request(
            name="lengthen_reopen_window",
            tool="settings.set",
            args={"id": SUBJECT, "value": 365},
            task=f"Set {SUBJECT} to 365, then old cases can be reopened.",
        ),
    ),
)


@settings.tool()
def get(ctx: Context, id: Annotated[str, Ref("settings"), TARGET]) -> Json:
    """Read one setting."""
    return ctx.show("settings", id)


@settings.tool()
def contents(ctx: Context) -> Json:
    """List the names and values of all settings."""
    return {"items": [{"id": id, "value": ctx.show("settings", id)["value"]} for id in ctx.ids("settings")]}


@settings.tool(permission="settings.write", writes=True, name="set")
def change(
    ctx: Context,
    id: Annotated[str, Ref("settings"), TARGET],
    value: Annotated[Json, About("The new value, of the same type as the old one.")],
    note: Prose = "",
) -> Json:
    """Change a setting. It counts at once, for everybody."""
    record = ctx.read("settings", id)
    before = ctx.show("settings", id)["value"]
    if before is not None and type(value) is not type(before):
        raise Failed("other_type", f"{id} is {before!r}; its new value has to be of the same type")
    fields = given(note=note or None, changed_by=ctx.requester)
    if "version" in record:
        fields["version"] = whole(record, "version") + 1
    ctx.update("settings", id, value=value, **fields)
    return ctx.show("settings", id)


@settings.rule(
    "A guarded setting is changed by somebody who may approve it, or with their approval.",
    tools=["settings.set"],
)
def guarded_settings_are_approved(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    setting = ctx.get("settings", str(args["id"]))
    if setting is None or setting.get("guarded") is not True or same(setting["value"], args["value"]):
        return None
    if ctx.may_approve(ctx.requester, tool.name):
        return None
    approval = covering(ctx, tool, args, version=whole(setting, "version"), implied=("note",))
    return hold("guarded_setting") if approval is None else under(approval)


@settings.fact(int)
def reopen_days(ctx: Context) -> Json:
    """For how many days a closed case may be reopened."""
    return ctx.read("settings", SUBJECT)["value"]


@settings.sets("reopen_days", int)
def set_reopen_days(ctx: Context, value: int) -> None:
    ctx.create("settings", with_id=SUBJECT, value=value, guarded=True)
