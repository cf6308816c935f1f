"""The templates, with everything that comes from outside made harmless twice: spelled out, then escaped."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup, escape

from company_lab.formats.hostile import cut, printable
from company_lab.release.decision import counted

LONGEST_TEXT = 4_000
"""No single text on the page is longer; what is cut says how much."""

_TEMPLATES = files("company_lab.reports.html") / "templates"
_PAGES = ("page.html", "parts.html", "episode.html")


def harmless(value: Any) -> Any:
    """What a template may print: numbers and our own markup as they are, any other text bounded and visible.

    Escape sequences, bidi controls, other invisible characters and lone surrogates appear as `\\x1b` and so
    on. Escaping for HTML follows, since every template escapes what it prints.
    """
    if type(value) is str and not (len(value) <= LONGEST_TEXT and value.isprintable()):
        return printable(cut(value, LONGEST_TEXT))
    return value


@cache
def templates() -> Environment:
    """The environment of the report's templates."""
    sources = {name: asset(name) for name in _PAGES}
    found = Environment(
        loader=DictLoader(sources),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=harmless,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters["plural"] = counted
    found.filters["name"] = name
    return found


def name(text: str) -> Markup:
    """A name made of words, underscores and dots, which may break after each of those."""
    return Markup(escape(harmless(text)).replace("_", Markup("_<wbr>")).replace(".", Markup(".<wbr>")))


@cache
def asset(name: str) -> str:
    """A file of the report's own: template, style or script."""
    return (_TEMPLATES / name).read_text("utf-8")


def source_hash(text: str) -> str:
    """How a content security policy names an inline style or script: its SHA-256."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"
