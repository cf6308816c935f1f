"""Wording: how people say the things that the company's claims are about, in English and in German.

The departments declare which fact makes a claim true; what makes a sentence the claim stands here, one module per
field of work. In any other language nobody can tell from phrases what was said, and the claim is undecided.
`tests/company/test_wording.py` has samples of all of it.
"""

from __future__ import annotations

LANGUAGES = ("en", "de")
"""The languages in which the phrases of this package are written."""
