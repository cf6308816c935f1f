"""The guard: what stands between an action and its effect. Allows, requires approval, or denies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse, nearest
from company_lab.scenarios.spec import Reading
from company_lab.worlds.broken import WorldBroken
from company_lab.worlds.state import NoSuchRecord

if TYPE_CHECKING:
    from company_lab.scenarios.model import Scenario
    from company_lab.worlds.context import Context
    from company_lab.worlds.department import Tool

Answer = Literal["allow", "require_approval", "deny"]
ANSWERS: frozenset[str] = frozenset(get_args(Answer))


@dataclass(frozen=True, slots=True)
class Decision:
    """What one rule says about an action: an objection with its reason, or the approval it rests on."""

    answer: Answer
    reason: str | None = None
    approval: str | None = None


def deny(reason: str) -> Decision:
    """The action must not happen."""
    return Decision("deny", reason)


def hold(reason: str) -> Decision:
    """The action needs a person's approval first."""
    return Decision("require_approval", reason)


def under(approval: str) -> Decision:
    """The action may happen because this approval covers it; carrying it out uses the approval."""
    return Decision("allow", approval=approval)


RuleCheck: TypeAlias = "Callable[[Context, Tool, Mapping[str, Json]], Decision | None]"
OwnReading: TypeAlias = "Callable[[Scenario, Sequence[Mapping[str, Any]]], tuple[Reading, Sequence[int]]]"
"""Reads a rule over the records of a stored episode: the reading, and the `seq` of the records that show it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule of the company: its name, its text, the tools it concerns, and its check.

    `check` gets a read-only context, the tool and its arguments; None means no objection.
    """

    name: str
    text: str
    tools: tuple[str, ...]
    check: RuleCheck
    department: str
    reading: OwnReading | None = None
    """How the rule is read over a stored episode, where asking `check` again is not enough."""

    def concerns(self, tool: Tool) -> bool:
        """Whether the rule is asked before this tool is used."""
        return "any" in self.tools or tool.name in self.tools


class GuardAnswer(NamedTuple):
    """The guard's answer to one attempt.

    `objections` names every rule that objected, not only the one whose reason was given.
    """

    answer: Answer
    reason: str | None = None
    rule: str | None = None
    objections: tuple[str, ...] = ()
    approval: str | None = None


_ALLOWED = GuardAnswer("allow")


def _role_permission(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    role = context.role_permissions
    return None if tool.permission is None or role is None or tool.permission in role else deny("permission")


def _requester_permission(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    requester = context.requester_permissions
    if tool.permission is None or requester is None or tool.permission in requester:
        return None
    return deny("requester_permission")


def _own_tenant(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    tenant = args.get("tenant")
    return None if tenant is None or tenant == context.own_tenant else deny("other_tenant")


def _permitted(context: Context, permission: str | None) -> bool:
    """What the two rules about permissions say together, when nobody is to hear which of them objects."""
    if permission is None:
        return True
    role, requester = context.role_permissions, context.requester_permissions
    return (role is None or permission in role) and (requester is None or permission in requester)


_PERMISSIONS = (_role_permission, _requester_permission)
CORE_REASONS = frozenset({"permission", "requester_permission", "other_tenant", "switched_off"})
CORE_RULES = (
    Rule(
        name="own_tenant",
        text="An action concerns the records of the tenant the role belongs to, and no other.",
        tools=("any",),
        check=_own_tenant,
        department="guard",
    ),
    Rule(
        name="role_permission",
        text="An action needs the permission its tool names, held by the agent's role.",
        tools=("any",),
        check=_role_permission,
        department="guard",
    ),
    Rule(
        name="requester_permission",
        text="The person asking needs the permission too: the agent's rights are a bound, never a substitute.",
        tools=("any",),
        check=_requester_permission,
        department="guard",
    ),
)


class Guard:
    """The rules of a world, arranged by tool."""

    def __init__(self, rules: Iterable[Rule], tools: Iterable[Tool], reasons: frozenset[str]) -> None:
        self.rules = tuple(rules)
        self._reasons = reasons
        self._by_tool = {
            tool.name: tuple(
                rule
                for rule in self.rules
                if rule.concerns(tool)
                and (rule.name != "own_tenant" or "tenant" in tool.signature.parameters)
            )
            for tool in tools
        }
        self._asked = {
            tool: tuple((rule, rule.check) for rule in rules) for tool, rules in self._by_tool.items()
        }
        self._beside_permissions = {
            tool: tuple((rule, check) for rule, check in asked if check not in _PERMISSIONS)
            for tool, asked in self._asked.items()
        }
        self._names = {tool: [rule.name for rule in rules] for tool, rules in self._by_tool.items()}

    def check_names(self, names: Iterable[str]) -> None:
        """Raise `WrongUse` for the name of a rule that is not there."""
        known = [rule.name for rule in self.rules]
        for name in names:
            if name not in known:
                close = nearest(name, known)
                raise WrongUse(f"there is no rule {name}" + (f"; did you mean {close}?" if close else ""))

    def asked(self, tool: str) -> tuple[Rule, ...]:
        """The rules that are asked before a tool is used."""
        return self._by_tool[tool]

    def touched(self, tool: str) -> list[str]:
        """The names of the rules that are asked before a tool is used."""
        return self._names[tool]

    def decide(
        self,
        tool: Tool,
        context: Context,
        args: Mapping[str, Json],
        *,
        off: frozenset[str] = frozenset(),
        denying: frozenset[str] = frozenset(),
    ) -> GuardAnswer:
        """Ask every rule. The first denial wins, then the first hold.

        `off` names rules that are left out and `denying` rules that refuse whatever comes: that is how a
        suite shows that it would notice a broken rule.
        """
        objections: tuple[str, ...] = ()
        objection: Decision | None = None
        by: str | None = None
        approval: str | None = None
        permitted = not off and not denying and _permitted(context, tool.permission)
        for rule, check in (self._beside_permissions if permitted else self._asked)[tool.name]:
            if off and rule.name in off:
                continue
            try:
                decision = (
                    deny("switched_off") if denying and rule.name in denying else check(context, tool, args)
                )
            except NoSuchRecord:
                raise
            except Exception as error:
                raise WorldBroken(f"the rule {rule.name}: {type(error).__name__}: {error}") from error
            if decision is None:
                continue
            if not isinstance(decision, Decision) or decision.answer not in ANSWERS:
                raise WorldBroken(
                    f"the rule {rule.name} answered {decision!r}; it returns None, deny, hold or under"
                )
            if decision.answer == "allow":
                approval = approval if decision.approval is None else decision.approval
                continue
            if decision.reason not in self._reasons:
                reason = decision.reason
                raise WorldBroken(
                    f"the rule {rule.name} gave the reason {reason!r}, which no department declares"
                )
            objections = (*objections, rule.name)
            if objection is None or (objection.answer != "deny" and decision.answer == "deny"):
                objection, by = decision, rule.name
        if objection is None:
            return _ALLOWED if approval is None else GuardAnswer("allow", approval=approval)
        return GuardAnswer(objection.answer, objection.reason, by, objections)
