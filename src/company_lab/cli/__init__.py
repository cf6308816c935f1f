"""The command `company-lab`: one module per subcommand, each loaded when it is asked for."""

from __future__ import annotations

from company_lab.cli.entry import main

__all__ = ["main"]
