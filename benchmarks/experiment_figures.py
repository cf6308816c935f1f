"""The tables of docs/experiment.md, counted from the store that benchmarks/experiment.py leaves.

python benchmarks/experiment_figures.py FOLDER/runs.db NAME=RUN ...
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from statistics import median

from company_lab.evaluation.choices import ComparedChoices
from company_lab.evaluation.statistics.intervals import wilson
from company_lab.reports.diagnoses import Diagnoses
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.store import Store

IN_WORDS = {"missing_reply", "not_finished", "false_claim"}
"""Failures of an episode whose records and actions were all as they should be."""


def passed_rows(runs: Mapping[str, list[StoredEpisode]]) -> Iterator[list[str]]:
    """A row for each scenario: how many episodes passed, with the interval."""
    for scenario in sorted({one.scenario for stored in runs.values() for one in stored}):
        row = [f"`{scenario}`"]
        for stored in runs.values():
            own = [one for one in stored if one.scenario == scenario]
            row.append(_share(sum(one.verdict.outcome == "passed" for one in own), len(own)))
        yield row


def figure_rows(runs: Mapping[str, list[StoredEpisode]]) -> Iterator[list[str]]:
    """A row for each figure over all episodes of an agent."""
    for name, figure in FIGURES.items():
        yield [name, *(figure(stored) for stored in runs.values())]


def _share(part: int, whole: int) -> str:
    if not whole:
        return "none played"
    low, high = wilson(successes=part, trials=whole)
    return f"{part} of {whole} ({low:.3f} to {high:.3f})"


def _counted(found: Iterable[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in Counter(found).most_common()) or "none"


def _records(stored: Iterable[StoredEpisode], kind: str) -> Iterator[Mapping[str, object]]:
    return (record for one in stored for record in one.trace.by_kind(kind))


def _books_right(stored: list[StoredEpisode]) -> str:
    codes = ({failure.code for failure in one.verdict.failures} for one in stored)
    return _share(sum(found <= IN_WORDS for found in codes), len(stored))


def _tokens(stored: list[StoredEpisode]) -> str:
    used = list(_records(stored, "usage"))
    read, wrote = (sum(int(str(one[key] or 0)) for one in used) for key in ("input_tokens", "output_tokens"))
    return f"{read:,}, {wrote:,}"


def _seconds(stored: list[StoredEpisode]) -> str:
    walls = [float(str(one.timings["wall_ms"])) / 1000 for one in stored]
    return f"{median(walls):.0f} s, {max(walls):.0f} s"


FIGURES = {
    "passed": lambda stored: _share(sum(one.verdict.outcome == "passed" for one in stored), len(stored)),
    "books and actions right, whatever was said": _books_right,
    "stopped by": lambda stored: _counted(str(one.trace.stop) for one in stored),
    "replies": lambda stored: str(len(list(_records(stored, "reply")))),
    "attempts": lambda stored: _counted(str(one["tool"]) for one in _records(stored, "action")),
    "what came of them": lambda stored: _counted(str(one["outcome"]) for one in _records(stored, "result")),
    "episodes with a failure of code": lambda stored: _counted(
        code for one in stored for code in {failure.code for failure in one.verdict.failures}
    ),
    "episodes with a critical failure of class": lambda stored: _counted(
        found
        for one in stored
        for found in {str(failure.failure_class) for failure in one.verdict.failures if failure.failure_class}
    ),
    "different trajectories": lambda stored: str(len({(one.scenario, _path(one)) for one in stored})),
    "tokens of the language model, in and out": _tokens,
    "seconds of an episode, median and longest": _seconds,
}


def _began_right(one: StoredEpisode, reader: Diagnoses) -> bool:
    """Whether the first thing done is an executed call of a tool of the reference; a reply, where it makes no call."""
    scenario = reader.scenario(one.scenario)
    wanted = {step.tool for turn in scenario.reference for step in turn.do} if scenario else set()
    action, result = (next(iter(one.trace.by_kind(kind)), None) for kind in ("action", "result"))
    if action is None or result is None:
        return not wanted
    return action["tool"] in wanted and result["outcome"] == "executed"


def _path(one: StoredEpisode) -> str:
    return str([(action["tool"], action["args"]) for action in one.trace.by_kind("action")])


def main() -> None:
    """Print tables in Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store", type=Path)
    parser.add_argument("run", nargs="+", metavar="NAME=RUN")
    given = parser.parse_args()
    named = dict(text.split("=", 1) for text in given.run)
    with Store(given.store) as store:
        runs = {name: list(store.stored(run)) for name, run in named.items()}
        for rows in (passed_rows(runs), figure_rows(runs)):
            print("|  |", " | ".join(named), "|")
            print("|---" * (len(named) + 1) + "|")
            print(*(f"| {' | '.join(row)} |" for row in rows), "", sep="\n")
        for name, run in named.items():
            reader = Diagnoses(store, store.plan(run))
            found = [one for stored in runs[name] if (one := reader.of(stored)) is not None]
            right = sum(_began_right(stored, reader) for stored in runs[name])
            print(f"{name}: begins as the reference could, in {right} of {len(runs[name])}")
            print(f"{name}: {_counted(f'{one.fault} by {one.by}' for one in found)}")
            compared = ComparedChoices()
            for stored in runs[name]:
                compared.add(reader.choices(stored))
            if compared.compared:
                print(f"  choices: {_counted(one.option for one in compared.compared)}")
                print(
                    f"  as the reference: {compared.agreed} of {len(compared.compared)}; {compared.calibration()}"
                )


if __name__ == "__main__":
    main()
