"""Makes tests of the examples in README.md, in docs/ and in docstrings.

Each page runs in an empty folder of its own, from which it may import, top to bottom, in one namespace:

- ```` ```python ````: runs; lines `#> ...` show what the block prints, and are compared where there are any.
- ```` ```python ```` that begins with `>>>`, and ```` ```pycon ````: a doctest.
- ```` ```console ````: see `console`.
- `<!-- file: path -->`: the fenced block that follows is also written to that path in the page's folder.
- `<!-- skip: next "reason" -->`: the next example does not run, and the report says why.

In docstrings: bare `>>>`, and ```` ```python ```` without prompts. Any other language is left alone, so
commands that set a machine up stand in ```` ```sh ````.
"""

from __future__ import annotations

import doctest
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, chdir, contextmanager, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from sybil import Document, Example, Region, Sybil
from sybil.evaluators.doctest import DocTestEvaluator
from sybil.evaluators.python import PythonEvaluator
from sybil.integration.pytest import SybilFile
from sybil.parsers.abstract import DocTestStringParser
from sybil.parsers.markdown import CodeBlockParser, SkipParser
from sybil.parsers.markdown.lexers import DirectiveInHTMLCommentLexer
from sybil.parsers.rest import DocTestParser

from console import run_console
from output import difference

_ROOT = Path(__file__).parents[2]
_FLAGS = doctest.ELLIPSIS
_FENCE = re.compile(r"\s*^(?P<fence>`{3,}|~{3,})[^\n]*\n(?P<body>.*?)^(?P=fence)", re.DOTALL | re.MULTILINE)

_execute = PythonEvaluator()


def run_python(example: Example) -> str | None:
    """Run a block; the complaint, if it prints something else than its `#>` lines show."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        _execute(example)
    lines = (line.strip() for line in example.parsed.splitlines())
    shown = [line.removeprefix("#>").removeprefix(" ") for line in lines if line.startswith("#>")]
    return difference("\n".join(shown), printed.getvalue()) if shown else None


class PythonBlocks:
    """Parses Python blocks of a page: doctests where they begin with a prompt, programs otherwise."""

    def __init__(self) -> None:
        self._blocks = [CodeBlockParser(language, run_python) for language in ("python", "pycon")]
        self._doctests = DocTestStringParser(DocTestEvaluator(_FLAGS))

    def __call__(self, document: Document) -> Iterable[Region]:
        for blocks in self._blocks:
            for block in blocks(document):
                if not block.parsed.startswith(">>>"):
                    yield block
                    continue
                for prompt in self._doctests(block.parsed, document.path):
                    prompt.adjust(block, block.parsed)
                    yield prompt


class Files:
    """Parses `<!-- file: path -->`."""

    def __init__(self) -> None:
        self._comments = DirectiveInHTMLCommentLexer(directive="file", arguments=".*?")

    def __call__(self, document: Document) -> Iterable[Region]:
        for comment in self._comments(document):
            path = Path(comment.lexemes["arguments"].strip())
            block = _FENCE.match(document.text, document.text.index("-->", comment.start) + 3)
            if block is None:
                raise ValueError(f"{document.path}: no fenced block follows '<!-- file: {path} -->'")
            if path.is_absolute() or ".." in path.parts:
                raise ValueError(f"{document.path}: {path} leads out of the page's folder")
            yield Region(comment.start, comment.end, (path, block["body"]), write_file)


class Skips(SkipParser):
    """Parses `<!-- skip: ... -->`. Without a reason a skipped example would count as passed: an error."""

    def __call__(self, document: Document) -> Iterable[Region]:
        for skip in super().__call__(document):
            action, reason = skip.parsed
            if action != "end" and not reason:
                place = document.line_column(skip.start)
                raise ValueError(
                    f'{document.path}, {place}: give the reason: <!-- skip: {action} "reason" -->'
                )
            yield skip


def write_file(example: Example) -> None:
    """Write a block into the page's folder."""
    path, body = example.parsed
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(body, encoding="utf-8")


def _enter_folder(namespace: dict[str, Any]) -> None:
    folder = ExitStack()
    name = folder.enter_context(TemporaryDirectory(prefix="company-lab-page-"))
    folder.enter_context(chdir(name))
    folder.enter_context(_imports_from(name))
    namespace["__folder__"] = folder


@contextmanager
def _imports_from(folder: str) -> Iterator[None]:
    """Lets modules of `folder` be imported, and forgets them afterwards: another page may name its own alike."""
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        for name, module in list(sys.modules.items()):
            if (getattr(module, "__file__", None) or "").startswith(folder):
                del sys.modules[name]


def _leave_folder(namespace: dict[str, Any]) -> None:
    namespace.pop("__folder__").close()


def collect_examples(
    *, fixtures: Sequence[str], root: Path = _ROOT
) -> Callable[[Path, pytest.Collector], SybilFile | None]:
    """The pytest hook that collects the pages and modules under `root`; `fixtures` surround every example."""
    pages = Sybil(
        parsers=[PythonBlocks(), CodeBlockParser("console", run_console), Files(), Skips()],
        path=str(root),
        patterns=["README.md", "docs/*.md", "docs/**/*.md"],
        fixtures=fixtures,
        setup=_enter_folder,
        teardown=_leave_folder,
    )
    docstrings = Sybil(
        parsers=[DocTestParser(_FLAGS), CodeBlockParser("python", run_python)],
        path=str(root / "src"),
        patterns=["*.py"],
        fixtures=fixtures,
        setup=_enter_folder,
        teardown=_leave_folder,
    )
    examples: Callable[[Path, pytest.Collector], SybilFile | None] = (pages + docstrings).pytest()
    return examples
