"""Who is decided on: two runs are of one candidate where agent, settings, prompts and code are the same."""

from __future__ import annotations

from company_lab.formats.canonical import Json, digest
from company_lab.runs.plan import RunPlan


def candidate_digest(plan: RunPlan) -> str:
    """Who acts: agent with settings, prompts, and the code it is made of where that is known."""
    modules = plan.code.get("modules")
    prompts: dict[str, Json] = dict(plan.prompts)
    return digest({"agent": plan.agent.digest, "prompts": prompts, "modules": modules})


def nameless_digest(plan: RunPlan) -> str:
    """The same without the agent's name: two functions of one file share it, and so does one under two names."""
    modules = plan.code.get("modules")
    who: dict[str, Json] = {"kind": plan.agent.kind, "settings": dict(plan.agent.settings)}
    prompts: dict[str, Json] = dict(plan.prompts)
    return digest({"agent": who, "prompts": prompts, "modules": modules})
