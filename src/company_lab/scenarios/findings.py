"""Findings: what is wrong with one document, collected until everything has been looked at."""

from __future__ import annotations

from collections.abc import Collection

from company_lab.formats.errors import Problem, nearest
from company_lab.formats.shapes import shown
from company_lab.formats.yaml import Document, Path, path_text

MOST_COMPARISONS = 100_000
"""Names that are compared for one document before the search for the nearest is given up."""


def printable(text: str) -> str:
    """A text with characters that a terminal would act on written as escapes."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class Findings:
    """Collects findings by path; their lines and columns are looked up at the end, if there are any."""

    __slots__ = ("_comparisons", "_found", "document")

    def __init__(self, document: Document) -> None:
        self.document = document
        self._comparisons = MOST_COMPARISONS
        self._found: dict[tuple[Path, str], tuple[bool, dict[str, str | None]]] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(
        self,
        path: Path,
        message: str,
        *,
        key: bool = False,
        found: str | None = None,
        expected: str | None = None,
        nearest: str | None = None,
        fix: str | None = None,
    ) -> None:
        """Note something at `path`, with `key` at the key that leads there. The same finding counts once."""
        details = {"found": found, "expected": expected, "nearest": nearest, "fix": fix}
        self._found.setdefault((path, message), (key, details))

    def shown(self, path: Path, value: object) -> str:
        """A value as it was written and, where that is not the same, as what it was read."""
        if isinstance(value, dict):
            return "a mapping"
        if isinstance(value, list):
            return "a list"
        if isinstance(value, str):
            return shown(value)
        written = self.document.written(path)
        if value is None:
            return "nothing (null)" if not written else f"{written}, read as null"
        kind = "a boolean" if isinstance(value, bool) else f"the number {shown(value)}"
        return f"{written}, read as {kind}" if written else shown(value)

    def quoting(self, path: Path, value: object) -> str | None:
        """How to make text of a scalar that was read as something else."""
        if value is None or isinstance(value, (str, list, dict)):
            return None
        return f'quote it: "{self.document.written(path) or shown(value)}"'

    def nearest(self, name: str, names: Collection[str]) -> str | None:
        """The valid name most like `name`; in a very large or very wrong document, none."""
        self._comparisons -= len(names)
        return nearest(name, names) if self._comparisons >= 0 else None

    def problems(self) -> list[Problem]:
        """Everything found, in document order."""
        problems = []
        for (path, message), (key, details) in self._found.items():
            line, column = self.document.position(path, key=key)
            problems.append(
                Problem(
                    message=printable(message),
                    file=self.document.file,
                    line=line,
                    column=column,
                    path=path_text(path),
                    **details,
                )
            )
        return sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0))
