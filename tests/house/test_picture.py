"""The picture of a report in the documentation shows what the command prints today."""

from __future__ import annotations

import html
import re
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts/picture"
_RUN = re.compile(r"run \d{8}-\d{6}-\d+-\w+")


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    module = ModuleType("picture")
    loader = SourceFileLoader("picture", str(SCRIPT))
    module.__file__ = str(SCRIPT)
    loader.exec_module(module)
    return module


def said(svg: str) -> list[str]:
    """The texts of a picture, without the id of its run."""
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    return [_RUN.sub("run", html.unescape(text).replace("\xa0", " ")).rstrip() for text in texts]


def test_the_picture_of_a_report_is_up_to_date(script: ModuleType) -> None:
    kept = said(script.PICTURE.read_text("utf-8"))
    assert any("CRITICAL FAILURES" in line for line in kept)
    assert kept == said(script.drawn()), "run scripts/picture"
