"""A plain function, sync or async, as an agent."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from company_lab.agents.protocol import Agent
from company_lab.formats.errors import WrongUse


def function_agent(function: Callable[..., Any], *, name: str | None = None) -> Agent:
    """The agent a callable of (task, session) makes. `declare` on it says of what kind it is."""
    if not callable(function):
        raise WrongUse(
            f"{name or function!r} is a {type(function).__name__} and can not be called as agent(task, session)"
        )
    # The name stands in every trace: nothing in it may differ from process to process, as an address would.
    named = function if hasattr(function, "__qualname__") else type(function)
    full = name or f"{named.__module__ or '?'}:{named.__qualname__}"
    return Agent(
        name=full,
        kind=getattr(function, "company_lab_kind", "undeclared"),
        act=function,
        model_free=getattr(function, "company_lab_model_free", None),
        hosts=getattr(function, "company_lab_hosts", {}),
        code=file_digest(_source_file(named)),
    )


def _source_file(function: object) -> str | None:
    try:
        return inspect.getsourcefile(function)  # type: ignore[arg-type]
    except (OSError, TypeError):  # built in, or typed into a console
        return None


def file_digest(file: str | None) -> str:
    """SHA-256 of the file an agent is written in, whatever its line ends; empty where there is none."""
    if file is None:
        return ""
    try:
        return hashlib.sha256(b"\n".join(Path(file).read_bytes().splitlines())).hexdigest()
    except OSError:
        return ""
