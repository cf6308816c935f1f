from __future__ import annotations

import io

import pytest
from rich.text import Text

from company_lab.reports.console import degraded, show, to_text


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def written(encoding: str, *, terminal: bool) -> str:
    buffer = io.BytesIO()
    kind = Terminal if terminal else io.TextIOWrapper
    stream = kind(buffer, encoding=encoding, newline="\n")
    show(Text("✗ FAILED → 80 €, Müller", "bold red"), stream)
    stream.flush()
    return buffer.getvalue().decode(encoding)


def test_a_pipe_gets_no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert written("utf-8", terminal=False) == "✗ FAILED → 80 €, Müller\n"


def test_no_color_is_obeyed_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "31m" in written("utf-8", terminal=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "31m" not in written("utf-8", terminal=True)


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("ascii", "x FAILED -> 80 \\u20ac, M\\xfcller\n"),
        ("latin-1", "x FAILED -> 80 \\u20ac, Müller\n"),
        ("cp1252", "x FAILED -> 80 €, Müller\n"),
    ],
)
def test_an_encoding_that_lacks_characters_spells_them_out(encoding: str, expected: str) -> None:
    assert written(encoding, terminal=False) == expected
    assert degraded("✗ FAILED → 80 €, Müller\n", encoding) == expected


def test_columns_decides_the_width_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for given, longest in (("60", 60), ("nonsense", 80), ("", 80)):
        monkeypatch.setenv("COLUMNS", given)
        buffer = io.StringIO()
        show(Text("word " * 100), buffer)
        assert longest - 5 <= max(map(len, buffer.getvalue().splitlines())) <= longest


def test_a_text_has_the_width_asked_for() -> None:
    assert max(map(len, to_text(Text("word " * 100), width=50).splitlines())) <= 50
