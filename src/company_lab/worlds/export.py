"""From a world to its WorldSpec: names and shapes as data."""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING

from company_lab.formats.canonical import Json, digest
from company_lab.formats.shapes import Shape
from company_lab.scenarios.spec import (
    AmountRoleSpec,
    ClaimSpec,
    EventSpec,
    FactSpec,
    ProviderSpec,
    QuestionSpec,
    RequestSpec,
    RuleSpec,
    StimulusSpec,
    TableSpec,
    ToolSpec,
    WorldSpec,
)
from company_lab.worlds import compliance, replay
from company_lab.worlds.annotations import record_shape
from company_lab.worlds.faults import FAULT_KINDS

if TYPE_CHECKING:
    from company_lab.worlds.department import Department
    from company_lab.worlds.world import World


def world_spec(world: World) -> WorldSpec:
    """Everything scenarios and judging may know of `world`."""
    departments = world.departments
    return WorldSpec(
        name=world.name,
        departments=tuple(department.name for department in departments),
        tables={
            name: TableSpec(
                name=name,
                department=department.name,
                shape=record_shape(table.record),
                singular=table.singular,
                read=table.read,
            )
            for department in departments
            for name, table in department.tables.items()
        },
        tools={
            tool.name: ToolSpec(
                name=tool.name,
                department=tool.department,
                description=tool.description,
                signature=tool.signature,
                writes=tool.writes,
                permission=tool.permission,
                spends=tool.spends,
                latency_ms=tool.latency_ms,
            )
            for tool in world.tools.values()
        },
        providers={
            provider.name: ProviderSpec(
                name=provider.name,
                department=department.name,
                operations=provider.shapes(),
                answers=provider.answers,
            )
            for department in departments
            for provider in department.providers
        },
        events={
            event.type: EventSpec(
                type=event.type,
                department=event.department,
                shape=event.shape,
                brings=event.brings,
                read=event.read,
            )
            for event in world.events.values()
        },
        facts=_facts(world),
        stimuli={
            happening.name: StimulusSpec(
                name=happening.name,
                department=happening.department,
                description=happening.description,
                shape=happening.shape,
            )
            for happening in world.happenings.values()
        },
        requests={
            request.name: RequestSpec(
                name=request.name,
                department=department.name,
                tool=request.tool,
                args=request.args,
                task=request.task,
                never_claims=request.never_claims,
            )
            for department in departments
            for request in department.requests
        },
        claims={
            claim.name: ClaimSpec(
                name=claim.name,
                department=department.name,
                phrases=claim.phrases,
                fact=claim.fact,
                commitment=claim.commitment,
                amounts=claim.amounts,
                languages=claim.languages,
                every=claim.every,
                denied=claim.denied,
            )
            for department in departments
            for claim in department.claims
        },
        questions={
            question.name: QuestionSpec(
                name=question.name,
                department=department.name,
                phrases=question.phrases,
                languages=question.languages,
            )
            for department in departments
            for question in department.questions
        },
        amount_roles={
            role.name: AmountRoleSpec(
                name=role.name, department=department.name, phrases=role.phrases, amounts=role.amounts
            )
            for department in departments
            for role in department.amount_roles
        },
        rules={
            rule.name: RuleSpec(
                name=rule.name,
                department=rule.department,
                text=rule.text,
                tools=rule.tools,
            )
            for rule in world.guard.rules
        },
        permissions=frozenset(_permissions(departments)),
        reasons=world.reasons,
        fault_kinds=FAULT_KINDS,
        crowd=world.crowd is not None,
        digest=digest([world.digest, _names(world), *map(inspect.getsource, (compliance, replay))]),
        read_rules=partial(compliance.read_rules, world),
    )


def _facts(world: World) -> dict[str, FactSpec]:
    facts = {
        fact.name: FactSpec(
            name=fact.name,
            department=fact.department,
            description=fact.description,
            shape=fact.shape,
            settable=fact.set is not None,
            expectable=fact.get is not None,
        )
        for fact in world.facts.values()
    }
    facts["decision"] = FactSpec(
        name="decision",
        department="guard",
        description="The guard's last answer to the requested action or to the approval asked for it.",
        shape=Shape(kind="text", choices=("allow", "require_approval", "deny")),
        settable=False,
        expectable=True,
    )
    facts["review_reason"] = FactSpec(
        name="review_reason",
        department="guard",
        description="The reason the guard gave with its last answer.",
        shape=Shape(kind="text", choices=tuple(sorted(world.reasons))),
        settable=False,
        expectable=True,
    )
    return facts


def _permissions(departments: tuple[Department, ...]) -> set[str]:
    found = {permission for department in departments for permission in department.permissions}
    for department in departments:
        found |= {tool.permission for tool in department.tools.values() if tool.permission}
        found |= {table.read for table in department.tables.values() if table.read}
        found |= {event.read for event in department.events.values() if event.read}
    return found


def _names(world: World) -> Json:
    return {
        "tools": {name: tool.signature.json_schema() for name, tool in world.tools.items()},
        "tables": list(world.tables),
        "facts": list(world.facts),
        "rules": [rule.name for rule in world.guard.rules],
    }
