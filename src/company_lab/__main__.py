"""`python -m company_lab` is the command `company-lab`."""

from __future__ import annotations

from company_lab.cli import main

main()
