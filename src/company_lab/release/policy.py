"""Policy: what a release must show, fixed before the runs it is held against."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, ConfigDict, Field

from company_lab.agents.protocol import EVIDENCE
from company_lab.evaluation.codes import FailureClass
from company_lab.formats.canonical import digest
from company_lab.formats.errors import nearest
from company_lab.formats.time import BadTime, parse_duration
from company_lab.scenarios.part import Given, Part, unfit
from company_lab.traces.record import REPLAYED

ACCEPTED = tuple(sorted({*EVIDENCE.values(), "live"} - {REPLAYED}))
"""Kinds of evidence a policy may ask for: not replayed answers, which are no trial, nor verdicts given elsewhere."""

CLASSES: tuple[FailureClass, ...] = get_args(FailureClass)
QUANTILES = (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
"""Of wall times, by key."""
LEAST_RATE = 1e-6
"""No smaller rate is asked for: it would take millions of episodes without a failure."""

_AMOUNT = re.compile(r"[0-9]+(?:\.[0-9]+)?")


class PolicyPart(Part):
    """A mapping of the policy: unknown keys are errors, and a number is never read from a text or a boolean."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _evidence(value: object) -> object:
    if isinstance(value, str) and value not in ACCEPTED:
        close = nearest(value, ACCEPTED)
        raise unfit(
            f"{value} is no kind of evidence a policy can ask for",
            expected=f"one of {', '.join(ACCEPTED)}",
            fix=f"did you mean {close}?" if close else None,
        )
    return value


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _dollars(value: object) -> Decimal:
    if isinstance(value, str) and _AMOUNT.fullmatch(value):
        return Decimal(value)
    raise unfit(
        "an amount in USD is a decimal text", expected='text such as "0.05"', fix="write it in quotes"
    )


def _seconds(value: object) -> float:
    if isinstance(value, str):
        try:
            return parse_duration(value) / 1000
        except BadTime as error:
            raise unfit(str(error), expected="a duration such as 20s") from error
    raise unfit("a wrong type", expected="a duration such as 20s")


def _scenarios(value: object) -> object:
    return {"scenarios": value} if isinstance(value, int) and not isinstance(value, bool) else value


Share = Annotated[float, Field(ge=0, le=1)]
Level = Annotated[float, Field(gt=0.5, lt=1)]
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Ratio = Annotated[float, Field(gt=0)]
Dollars = Annotated[Decimal, BeforeValidator(_dollars, json_schema_input_type=str)]
Seconds = Annotated[float, BeforeValidator(_seconds, json_schema_input_type=str)]
Kind = Annotated[str, BeforeValidator(_evidence)]
Kinds = Annotated[
    tuple[Kind, ...], BeforeValidator(_listed, json_schema_input_type=str | list[str]), Field(strict=False)
]
Layers = Annotated[
    tuple[Literal["contract", "runtime", "reasoning", "live"], ...],
    BeforeValidator(_listed, json_schema_input_type=str | list[str]),
    Field(strict=False),
]


class ClassRule(PolicyPart):
    """What is allowed of one class of critical failure."""

    allowed: Count = 0
    """Episodes that may have one; fixed before the runs."""
    below: Annotated[Annotated[float, Field(ge=LEAST_RATE, lt=1)] | None, Given] = None
    """The rate of such episodes must be shown to be below this share."""
    confidence: Level = 0.95


class Critical(PolicyPart):
    """Classes of critical failures, each on its own."""

    every: ClassRule = ClassRule()
    """For classes that are not named."""
    cross_tenant_access: Annotated[ClassRule | None, Given] = None
    unauthorised_spending: Annotated[ClassRule | None, Given] = None
    false_commitment: Annotated[ClassRule | None, Given] = None
    other: Annotated[ClassRule | None, Given] = None

    def of(self, failure_class: FailureClass) -> ClassRule:
        """The rule of a class."""
        own: ClassRule | None = getattr(self, failure_class)
        return self.every if own is None else own

    @property
    def allowed(self) -> int:
        """What the strictest rule allows."""
        return min(self.of(name).allowed for name in CLASSES)


class PassK(PolicyPart):
    """The floor of reliability: that k trials in a row come right."""

    k: Positive
    each: Annotated[Share | None, Given] = None
    """pass^k of every scenario."""
    across: Annotated[Share | None, Given] = None
    """The mean of pass^k over scenarios."""
    held_out: Annotated[Share | None, Given] = None
    """The same mean over the held-out scenarios alone."""
    measure: Literal["lower_bound", "estimate"] = "lower_bound"
    confidence: Level = 0.95


class PassAtK(PolicyPart):
    """That one of k drafts is right, for drafts somebody checks."""

    k: Positive
    each: Annotated[Share | None, Given] = None
    across: Annotated[Share | None, Given] = None


class Cover(PolicyPart):
    """How much of a failure class must have been played."""

    scenarios: Positive = 1
    episodes: Annotated[Positive | None, Given] = None


class HeldOut(PolicyPart):
    """Held-out scenarios among those played."""

    scenarios: Positive = 1
    uses: Annotated[Positive | None, Given] = None
    """How many different candidates may be decided on one held-out set before it has to be renewed."""


class Audit(PolicyPart):
    """The audit of the suite."""

    required: bool = True
    warnings: Annotated[Count | None, Given] = None
    """At most so many warnings."""
    killed: Annotated[Share | None, Given] = None
    """The share of mutants the suite must notice."""


class Complete(PolicyPart):
    """How many planned cells may be without a score, by why. They count as failures in every bound all the same."""

    lost: Count = 0
    unscored: Count = 0
    invalid: Count = 0
    outages: Count = 0


class BaselineRule(PolicyPart):
    """What a comparison with the baseline must show."""

    margin: Share
    """How much lower the mean of pass^k may be, fixed beforehand."""
    k: Positive = 1
    confidence: Level = 0.95
    scenarios: Positive = 1
    """At least so many scenarios must be comparable."""
    cost_ratio: Annotated[Ratio | None, Given] = None
    latency_ratio: Annotated[Ratio | None, Given] = None


class Cost(PolicyPart):
    """What episodes may cost, in USD."""

    mean_usd: Annotated[Dollars | None, Given] = None
    most_usd: Annotated[Dollars | None, Given] = None
    total_usd: Annotated[Dollars | None, Given] = None


class Latency(PolicyPart):
    """What episodes may take of wall time, in seconds."""

    p50: Annotated[Seconds | None, Given] = None
    p95: Annotated[Seconds | None, Given] = None
    p99: Annotated[Seconds | None, Given] = None
    most: Annotated[Seconds | None, Given] = None
    confidence: Level = 0.95


class Policy(PolicyPart):
    """A release policy. `release.policy_reading` reads one from a file."""

    format: Literal[1] = 1
    use: Literal["supervised_draft", "unattended"]
    evidence: Kinds
    """What the episodes must be evidence of."""
    trials: Positive
    """At least so many trials of every scenario; with fewer the gate holds, whatever they say."""
    layer: Annotated[Layers | None, Given] = None
    critical: Critical = Critical()
    pass_k: Annotated[PassK | None, Given] = None
    pass_at_k: Annotated[PassAtK | None, Given] = None
    coverage: Mapping[
        str, Annotated[Cover, BeforeValidator(_scenarios, json_schema_input_type=int | Cover)]
    ] = Field(default_factory=dict)
    """By failure class, how much of it must have been played."""
    held_out: Annotated[HeldOut | None, Given] = None
    audit: Audit = Audit()
    faults: Mapping[str, Positive] = Field(default_factory=dict)
    """By kind of fault, episodes in which it must have occurred."""
    complete: Complete = Complete()
    whole_suite: bool = True
    """Whether a run of a part of the suite is not enough."""
    attempts: Annotated[Positive | None, Given] = None
    """Runs of one candidate that may be decided on, the last one included."""
    baseline: Annotated[BaselineRule | None, Given] = None
    cost: Annotated[Cost | None, Given] = None
    latency: Annotated[Latency | None, Given] = None

    @property
    def digest(self) -> str:
        """SHA-256 over what the policy says, defaults included."""
        return digest(self.model_dump(mode="json"))


def policy_schema() -> dict[str, Any]:
    """The JSON Schema that editors check policies with."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | Policy.model_json_schema()
