"""Charts as SVG inside the page, drawn once by matplotlib; they need neither script nor network.

A drawing is made to follow the page: its colours become classes that the style sheet colours in light and dark,
its letters stay letters, and nothing in it is a style of its own, which the page's policy would refuse.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, TypeVar

from markupsafe import Markup

from company_lab.reports.html.words import digits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Number = TypeVar("Number", float, Decimal)

WIDTH, HEIGHT = 360, 210
"""In the units of the page, so that letters are as large as those around on a small screen too."""
MOST_SINGLE = 120
"""Beyond so many scenarios intervals are drawn as one band."""

# Colours that stand for classes while a chart is drawn.
INK, QUIET, LINE, ACCENT, SECOND, BAND = "#010101", "#020202", "#030303", "#040404", "#050505", "#060606"
_CLASSES = {INK: "ink", QUIET: "quiet", LINE: "line", ACCENT: "accent", SECOND: "second", BAND: "band"}
_PAINT = ("fill", "stroke")
_KEPT = frozenset({"fill-opacity", "stroke-width", "stroke-dasharray", "stroke-linecap", "text-anchor"})


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing, what it is called, and what it shows in words for those who do not see it."""

    title: str
    said: str
    svg: Markup


def intervals(rates: Sequence[tuple[float, float, float, float]]) -> Chart | None:
    """Every scenario with its interval: (low, lowest rate, highest rate, high), worst first."""
    if len(rates) < 2:
        return None
    places = range(1, len(rates) + 1)

    def draw(axes: Axes) -> None:
        lows, first, last, highs = zip(*rates, strict=True)
        if len(rates) > MOST_SINGLE:
            axes.fill_between(places, lows, highs, color=BAND, linewidth=0, step="mid")
            axes.step(places, first, color=ACCENT, linewidth=1.6, where="mid")
        else:
            axes.vlines(places, lows, highs, color=SECOND, linewidth=min(3.0, 160 / len(rates)))
            axes.vlines(places, first, last, color=ACCENT, linewidth=min(5.0, 220 / len(rates)))
            axes.plot(places, first, "o", color=ACCENT, markersize=max(2.0, min(6.0, 200 / len(rates))))
        _share(axes, "success rate")
        axes.set_xlabel("scenarios, worst first", color=QUIET)
        axes.set_xticks(_ends(len(rates)))
        axes.set_xlim(0.2, len(rates) + 0.8)

    worst = rates[0]
    said = (
        f"{len(rates)} scenarios, the worst first. The lowest success rate is {digits(worst[1])}, with a 95 % Wilson "
        f"interval from {digits(worst[0])} to {digits(worst[3])}; the highest is {digits(rates[-1][2])}. The table has "
        "them all."
    )
    return Chart("Success rate and 95 % interval, scenario by scenario", said, _drawn(draw))


def repetition(
    power: Sequence[tuple[int, float, float]], any_of: Sequence[tuple[int, float, float]]
) -> Chart | None:
    """pass^k and pass@k over k: (k, low, high) of the mean over scenarios."""
    if len(power) < 2:
        return None

    def draw(axes: Axes) -> None:
        named = []
        for values, marker, colour, dashes, name in (
            (any_of, "s", SECOND, "--", "pass@k: at least one of k"),
            (power, "o", ACCENT, "-", "pass^k: all of k in a row"),
        ):
            ks, low, high = zip(*values, strict=True)
            if low != high:
                axes.fill_between(ks, low, high, color=BAND, linewidth=0)
            middle = [(one + other) / 2 for one, other in zip(low, high, strict=True)]
            (line,) = axes.plot(
                ks, middle, dashes, marker=marker, color=colour, linewidth=1.6, markersize=5, label=name
            )
            named.append(line)
        axes.legend(handles=named, loc="best", frameon=False, labelcolor=INK, fontsize=10)
        _share(axes, "chance")
        axes.set_xlabel("k trials", color=QUIET)
        axes.set_xticks([k for k, *_ in power])

    last, most = power[-1], any_of[-1]
    said = (
        f"Means over scenarios. pass^{last[0]}, all of {last[0]} trials passing, is {_span(last)}; "
        f"pass@{most[0]}, at least one of {most[0]}, is {_span(most)}."
    )
    return Chart("What repetition does", said, _drawn(draw))


def distribution(
    title: str, label: str, values: Sequence[Number], say: Callable[[Number], str], note: str = ""
) -> Chart | None:
    """The share of episodes that stayed at or below a value; `values` ascending, the axis logarithmic.

    What is said comes from the values as they are; only places on the paper are floats. `note` says what else one has
    to know of the episodes, in a sentence.
    """
    known = [value for value in values if value > 0]
    if len(known) < 5 or known[0] == known[-1]:
        return None
    at = sorted({round(index * (len(known) - 1) / 200) for index in range(201)})

    def draw(axes: Axes) -> None:
        axes.step(
            [float(known[index]) for index in at],
            [(index + 1) / len(known) for index in at],
            where="post",
            color=ACCENT,
            linewidth=1.6,
        )
        axes.set_xscale("log")
        axes.minorticks_off()
        _share(axes, "share of episodes")
        axes.set_xlabel(label, color=QUIET)
        ends = (known[0], known[len(known) // 2], known[-1])
        axes.set_xticks([float(end) for end in ends], [say(ends[0]), "", say(ends[-1])])
        axes.axhline(0.5, color=LINE, linewidth=1, linestyle=":")

    half = say(known[(len(known) - 1) // 2])
    said = f"Half of {len(known):,} episodes stayed at or below {half}, all at or below {say(known[-1])}."
    return Chart(title, f"{said} {note}".rstrip(), _drawn(draw))


def _span(value: tuple[int, float, float]) -> str:
    _, low, high = value
    return digits(low) if low == high else f"between {digits(low)} and {digits(high)}"


def _ends(number: int) -> list[int]:
    return [1, number] if number < 9 else [1, (number + 1) // 2, number]


def _share(axes: Axes, label: str) -> None:
    axes.set_ylim(-0.03, 1.03)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
    axes.set_ylabel(label, color=QUIET)
    axes.grid(axis="y", color=LINE, linewidth=0.8)


def _drawn(draw: Callable[[Axes], None]) -> Markup:
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    # Without pyplot there is no global state: two threads may draw at once.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "company-lab", "font.size": 11}):
        figure = Figure(figsize=(WIDTH / 72, HEIGHT / 72), layout="constrained")
        canvas = FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        figure.patch.set_visible(False)
        axes.patch.set_visible(False)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.spines["bottom"].set_color(LINE)
        axes.tick_params(colors=QUIET, length=0)
        axes.set_axisbelow(True)
        draw(axes)
        buffer = io.StringIO()
        canvas.print_svg(buffer, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})  # type: ignore[no-untyped-call]
    return Markup(themed(buffer.getvalue()))


def themed(drawing: str) -> str:
    """A drawing without a style of its own: paint as classes, the rest as attributes."""
    body = drawing[drawing.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", body, flags=re.DOTALL)
    body = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", body, count=1)
    body = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", body, count=1)
    body = body.replace("<svg ", '<svg class="chart" aria-hidden="true" focusable="false" ', 1)
    body = re.sub(r' style="([^"]*)"', _attributes, body)
    body = _own_names(body)
    return re.sub(r"\s*\n\s*", "\n", body)


def _own_names(body: str) -> str:
    """Ids that nothing refers to go, the others get names that no other drawing has: all share one page."""
    own = hashlib.sha256(body.encode("utf-8")).hexdigest()[:8]
    used = set(re.findall(r"""url\(#(\w+)\)|href="#(\w+)\"""", body))
    names = {name for pair in used for name in pair if name}
    body = re.sub(
        r' id="([^"]+)"', lambda found: f' id="{own}-{found[1]}"' if found[1] in names else "", body
    )
    return re.sub(r'(url\(#|href="#)(\w+)', rf"\g<1>{own}-\g<2>", body)


def _attributes(match: re.Match[str]) -> str:
    classes, kept = [], []
    for name, _, value in (part.strip().partition(": ") for part in match[1].split(";") if part.strip()):
        if name in _PAINT and value in _CLASSES:
            classes.append(f"{name}-{_CLASSES[value]}")
        elif name in _PAINT or name in _KEPT:
            kept.append(f'{name}="{value}"')
    said = [f'class="{" ".join(classes)}"'] if classes else []
    return "".join(f" {one}" for one in (*said, *kept))
