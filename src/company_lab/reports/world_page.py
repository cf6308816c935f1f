"""The reference of a world: every name a scenario may use, as a Markdown page or as lines for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from company_lab.reports.world_entries import Entry, Listing, departments, listings
from company_lab.scenarios.spec import WorldSpec

IRREGULAR = {"stimulus": "stimuli"}
INNER = {
    "table": "fields",
    "tool": "arguments",
    "event": "data",
    "provider": "operations",
    "claim": "phrases",
    "question": "phrases",
    "amount role": "phrases",
}
"""How what belongs to an entry is called, for the kinds that have any."""


def world_page(spec: WorldSpec, only: Sequence[str] = (), *, command: str) -> str:
    """A world, or some of its departments, as a Markdown page. `command` says how it was made."""
    return "\n".join([*_head(spec, only, command), *_departments(spec, only)]).rstrip("\n") + "\n"


def world_summary(spec: WorldSpec) -> Iterator[str]:
    """A line for each department: how many names of each kind it has."""
    yield f"the world {spec.name}: {len(spec.departments)} departments"
    for department in departments(spec):
        yield f"{department}: {_counts(listings(spec, department))}"
    yield f"permissions: {', '.join(sorted(spec.permissions))}"
    yield "--only DEPARTMENT tells one in full, -v all of them"


def world_text(spec: WorldSpec, only: Sequence[str] = ()) -> Iterator[str]:
    """Every name of a world, or of some of its departments, with details."""
    for department in only or departments(spec):
        yield department
        for listing in listings(spec, department):
            yield f"  {listing.title.lower()}"
            for entry in listing.entries:
                yield f"    {entry.name}" + (f": {entry.text}" if entry.text else "")
                yield from (f"      '{phrase}'" for phrase in entry.phrases)
                for name, text in entry.inner:
                    yield f"      {name}: {text}"


def _counts(found: Sequence[Listing]) -> str:
    numbers = Counter({one.kind: len(one.entries) for one in found})
    return ", ".join(f"{number} {_plural(kind, number)}" for kind, number in numbers.items())


def _plural(kind: str, number: int) -> str:
    return kind if number == 1 else IRREGULAR.get(kind, f"{kind}s")


def _head(spec: WorldSpec, only: Sequence[str], command: str) -> Iterator[str]:
    shown = [one for one in departments(spec) if not only or one in only]
    yield f"# The world {spec.name}"
    yield ""
    yield (
        "Every name that a scenario of this world may use: tables under `initial` and `state`, tools under `actions` "
        "and `do`, events under `events`, facts under"
    )
    yield (
        "`initial` and `expected`, stimuli and requests under `stimulus`, claims and amount roles under `told`, "
        "questions under `asks`, providers under `providers`, `effects` and `faults`."
    )
    yield (
        "[Writing scenarios](scenarios.md) says how they are used; what the rules say stands in [rules.md](rules.md), "
        "which `company-lab rules` writes."
    )
    yield (f"This page is made by `{command}`; without `--markdown` it goes to the terminal.")
    yield ""
    yield "| department | |"
    yield "|---|---|"
    for department in shown:
        yield f"| [{department}](#{department}) | {_counts(listings(spec, department))} |"
    yield ""
    if not only:
        yield f"**Permissions** of a role or a person: {_coded(sorted(spec.permissions))}."
        yield ""
        yield f"**Kinds of fault**: {_coded(sorted(spec.fault_kinds))}."
        yield ""


def _departments(spec: WorldSpec, only: Sequence[str]) -> Iterator[str]:
    for department in departments(spec):
        if only and department not in only:
            continue
        yield f"## {department}"
        yield ""
        for listing in listings(spec, department):
            yield f"**{listing.title}**"
            yield ""
            yield from _rules(listing) if listing.kind == "rule" else _table(listing)
            yield ""


def _rules(listing: Listing) -> Iterator[str]:
    names = _coded([entry.name for entry in listing.entries])
    yield f"{names}."


def _table(listing: Listing) -> Iterator[str]:
    inner = INNER.get(listing.kind)
    yield f"| {listing.kind} | |" + (f" {inner} |" if inner else "")
    yield "|---|---|" + ("---|" if inner else "")
    for entry in listing.entries:
        cells = [f"`{entry.name}`", _cell(entry.text), *([_within(entry)] if inner else [])]
        yield f"| {' | '.join(cells)} |"


def _within(entry: Entry) -> str:
    phrases = (f"`{_cell(phrase)}`" for phrase in entry.phrases)
    return "<br>".join((*phrases, *(f"`{name}`: {_cell(text)}" for name, text in entry.inner)))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _coded(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
