"""Arguments of a call against what a scenario says about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from company_lab.evaluation.matching import ABSENT, Matcher, Test, matcher
from company_lab.formats.canonical import Json, same
from company_lab.formats.shapes import Parameter, Signature, shown


@dataclass(frozen=True, slots=True)
class Arguments:
    """Compiled arguments of an expected, forbidden or evidence call."""

    named: tuple[tuple[str, Test], ...]
    matchers: Mapping[str, Matcher]
    others: Mapping[str, Parameter]
    """Declared arguments the expectation does not mention."""
    closed: bool
    """Whether an argument not mentioned must be absent or default."""

    def match(self, args: Mapping[str, object]) -> bool:
        """Whether a call's arguments are as described."""
        for name, test in self.named:
            if not test(args.get(name, ABSENT)):
                return False
        if self.closed:
            for name, value in args.items():
                if name not in self.matchers and not self._may_stand(name, value):
                    return False
        return True

    def differences(self, args: Mapping[str, object]) -> Iterator[str]:
        """Where a call's arguments depart from the description, in words."""
        for name, wanted in sorted(self.matchers.items()):
            value = args.get(name, ABSENT)
            if not wanted.test(value):
                found = "is missing" if value is ABSENT else f"is {shown(value)}"
                yield f"{name} {found}, expected {wanted.words}"
        if self.closed:
            for name, value in sorted(args.items()):
                if name not in self.matchers and not self._may_stand(name, value):
                    yield f"{name} is {shown(value)}, expected nothing"

    def _may_stand(self, name: str, value: object) -> bool:
        parameter = self.others.get(name)
        if parameter is None:
            return False
        if parameter.shape.prose:
            return True
        # An empty list where nothing is the default asks for nothing more: `cc: []` is no copy.
        return not parameter.required and (
            same(value, parameter.default) or (value == [] and parameter.default is None)
        )


def _anything(value: object) -> bool:
    return True


def arguments(signature: Signature | None, args: Mapping[str, Json], *, closed: bool) -> Arguments:
    """Compile `args`.

    With `closed`, an argument not mentioned must be absent or default unless it is prose; an expectation that
    mentions no argument at all names the tool only. `{any: true}` accepts an argument that was left out too.
    """
    parameters = signature.parameters if signature is not None else {}
    matchers: dict[str, Matcher] = {}
    for name, wanted in args.items():
        parameter = parameters.get(name)
        compiled = matcher(wanted, shape=parameter.shape if parameter else None, folding=True)
        if isinstance(wanted, dict) and tuple(wanted) == ("any",):
            compiled = Matcher(_anything, "anything", wanted)
        matchers[name] = compiled
    return Arguments(
        named=tuple((name, compiled.test) for name, compiled in matchers.items()),
        matchers=matchers,
        others={name: parameter for name, parameter in parameters.items() if name not in args},
        closed=closed and bool(args),
    )
