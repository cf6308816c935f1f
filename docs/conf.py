"""How Sphinx builds the documentation."""

from importlib.metadata import version as installed_version

project = "Company Lab"
author = "The Company Lab authors"
copyright = "2026, the Company Lab authors"
release = version = installed_version("company-lab")

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
nitpicky = True

myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"Company Lab {release}"
html_copy_source = False
