"""What the HTML report needs from the extra `report`, said before anything is decided, read or written."""

from __future__ import annotations

from importlib import import_module

from company_lab.formats.errors import WrongUse

_PACKAGES = ("markupsafe", "jinja2", "matplotlib")


def require_report() -> None:
    """Raises `WrongUse` with what to install where a package of the extra `report` can not be loaded."""
    for package in _PACKAGES:
        try:
            import_module(package)
        except ImportError as error:
            raise WrongUse(
                f"the HTML report needs {package}, which can not be loaded ({error}): "
                "pip install 'company-lab[report]'"
            ) from error
