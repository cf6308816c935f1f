"""Packages of other people's suites that are not there, and what to do about it."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

from company_lab.formats.errors import WrongUse


def needed(module: str, *, package: str, how: str) -> ModuleType:
    """The module. Raises `WrongUse` that says how to install it where it, or something it needs, is not there."""
    try:
        return import_module(module)
    except ImportError as error:
        raise WrongUse(f"{package} can not be imported ({error}): {how}") from None


def installed_version(package: str) -> str:
    """Its version, or `unknown` for a checkout nobody installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
