"""Rows of figures: a table where the width has room for it, labelled figures under each name where not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.text import Text

GAP = 2
LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Column:
    """Figures that belong together: one label for all of them, and a title for each."""

    label: str
    titles: tuple[str, ...]
    own_line: bool = False
    """Whether labelled figures begin a new line here."""

    @classmethod
    def of(cls, title: str) -> Column:
        """A single figure."""
        return cls(title, (title,))


@dataclass(frozen=True, slots=True)
class Row:
    """A name, its figures in the order of the titles, and lines that belong under them."""

    name: str
    cells: tuple[str, ...]
    notes: tuple[str, ...] = ()


class Rows:
    """Rows under common titles. Names, cells and notes are harmless text already."""

    def __init__(self, title: str, columns: Sequence[Column], rows: Sequence[Row]) -> None:
        self._title = title
        self._columns = tuple(columns)
        self._titles = [title for column in columns for title in column.titles]
        self._rows = tuple(rows)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        cells = [
            max((len(row.cells[index]) for row in self._rows), default=0)
            for index in range(len(self._titles))
        ]
        widths = [max(len(title), width) for title, width in zip(self._titles, cells, strict=True)]
        names = (
            max(len(self._title), *(len(row.name) for row in self._rows)) if self._rows else len(self._title)
        )
        if names <= LONGEST_NAME and names + sum(width + GAP for width in widths) <= options.max_width:
            yield from self._table(names, widths)
        else:
            yield from self._blocks(cells, options.max_width - GAP)

    def _table(self, names: int, widths: Sequence[int]) -> RenderResult:
        def line(name: str, cells: Sequence[str]) -> str:
            aligned = "".join(f"{'':{GAP}}{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
            return f"{name:<{names}}{aligned}"

        yield Text(line(self._title, self._titles), "bold")
        for row in self._rows:
            yield Text(line(row.name, row.cells))
            yield from _notes(row)

    def _blocks(self, widths: Sequence[int], room: int) -> RenderResult:
        for row in self._rows:
            yield Text(row.name, "bold", overflow="fold")
            for line in self._lines(row, widths, room):
                yield Padding(Text(line, overflow="fold"), (0, 0, 0, GAP))
            yield from _notes(row)

    def _lines(self, row: Row, widths: Sequence[int], room: int) -> Iterator[str]:
        line, index = "", 0
        for column in self._columns:
            end = index + len(column.titles)
            cells = zip(row.cells[index:end], widths[index:end], strict=True)
            group = f"{column.label} {' '.join(f'{cell:<{width}}' for cell, width in cells)}"
            index = end
            if line and (column.own_line or len(line) + GAP + len(group.rstrip()) > room):
                yield line.rstrip()
                line = group
            else:
                line = f"{line}{'':{GAP}}{group}" if line else group
        yield line.rstrip()


def _notes(row: Row) -> RenderResult:
    for note in row.notes:
        yield Padding(Text(note, "dim", overflow="fold"), (0, 0, 0, GAP))
