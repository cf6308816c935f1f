"""The operators: those that every world can use, and those that come with the departments of one."""

from __future__ import annotations

from company_lab.formats.errors import WrongUse
from company_lab.probing.mutate.age_approval import age_approval
from company_lab.probing.mutate.change_currency import change_currency
from company_lab.probing.mutate.declared import declared
from company_lab.probing.mutate.duplicate_event import duplicate_event
from company_lab.probing.mutate.edit_quote_after_approval import edit_quote_after_approval
from company_lab.probing.mutate.inject_instructions import inject_instructions
from company_lab.probing.mutate.isomorphic_clone import isomorphic_clone
from company_lab.probing.mutate.lose_acknowledgement import lose_acknowledgement
from company_lab.probing.mutate.month_end import month_end
from company_lab.probing.mutate.operator import Operator
from company_lab.probing.mutate.other_zone import other_zone
from company_lab.probing.mutate.reminder_drafted_first import reminder_drafted_first
from company_lab.probing.mutate.reorder_events import reorder_events
from company_lab.probing.mutate.split_payment import split_payment
from company_lab.probing.mutate.swap_tenant import swap_tenant
from company_lab.worlds.world import World

_ALL = (
    duplicate_event,
    reorder_events,
    lose_acknowledgement,
    age_approval,
    edit_quote_after_approval,
    split_payment,
    change_currency,
    reminder_drafted_first,
    swap_tenant,
    inject_instructions,
    month_end,
    other_zone,
    isomorphic_clone,
)
OPERATORS = {operator.name: operator for operator in _ALL}
"""Every operator that comes with the lab, by name, in the order in which they are tried."""


def operators_of(world: World) -> dict[str, Operator]:
    """All operators for the scenarios of a world, by name: the lab's, then those of its departments.

    Raises `WrongUse` where a department takes a name that the lab has.
    """
    found = dict(OPERATORS)
    for department in world.departments:
        for name, mutation in department.mutations.items():
            if name in found:
                raise WrongUse(
                    f"the mutation {name} of {department.name} has the name of an operator that every world has"
                )
            found[name] = declared(name, mutation, department.name)
    return found
