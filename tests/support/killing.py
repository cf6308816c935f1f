"""Kills real runs of the real command at random points, resumes them, and compares what they export.

Run as a program: `python killing.py FOLDER POINTS`. Everything is imported once; each run is then a process
of its own, forked from here, that reads its own command line. All runs begin from copies of one store that
holds a plan and no episode, so their ids are the same and exports can be compared byte for byte.
"""

from __future__ import annotations

import fcntl
import importlib
import os
import pkgutil
import random
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

TRIALS = 50
BEGUN = ("--store", "begun.db", "--trials", str(TRIALS), "--max-episodes", "0")
EPISODES = 2 * TRIALS
EXPORTS = ("traces", "verdicts", "jsonl", "csv")

AGENT = """
from company_lab import declare

@declare(kind="scripted")
def agent(task, session):
    session.call("repairs.get", id="R-7")
    if "second" in task.message:
        return "Your bicycle is ready."
    session.call("repairs.write_to_owner", id="R-7", text="We are still working on your bicycle.")
    return "I wrote to the owner."
"""
"""Passes in one scenario and fails in the other."""


def prepare(folder: Path) -> None:
    """A project with two scenarios, an agent, and a store with a plan and no episode."""
    import company_lab.cli

    starter = Path(company_lab.cli.__file__).parent / "starter"
    shutil.copytree(starter, folder, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    (folder / "killed_agent.py").write_text(AGENT, "utf-8")
    text = (folder / "scenarios" / "not_ready_yet.yaml").read_text("utf-8")
    second = text.replace("id: not_ready_yet", "id: second").replace(
        "message: ", "message: The second time. "
    )
    assert second.count("second") == 2
    (folder / "scenarios" / "second.yaml").write_text(second, "utf-8")
    os.chdir(folder)
    run(["run", "scenarios", "--agent", "killed_agent:agent", *BEGUN], expected=3)


def load_everything() -> None:
    """Import what commands import when they are asked, so that it is paid for once."""
    import company_lab
    from company_lab.runs.code import code_identity

    for module in pkgutil.walk_packages(company_lab.__path__, "company_lab."):
        if "starter" not in module.name and not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except ModuleNotFoundError as error:  # an extra that is not installed
                if (error.name or "").startswith("company_lab"):
                    raise
    code_identity([])


def run(*commands: Sequence[str], output: Path | None = None, expected: int = 0) -> None:
    """Run commands one after another in a process of their own; all must end with the same code."""
    child = start(*commands, output=output)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == expected, (commands, status)


def start(*commands: Sequence[str], output: Path | None = None, pipe: int | None = None) -> int:
    """Fork a process that runs commands and writes to a file, a pipe, or nowhere; its id."""
    child = os.fork()
    if child:
        return child
    code: int | str | None = None
    try:
        from company_lab.cli import main

        target = os.open(output or os.devnull, os.O_WRONLY | os.O_CREAT) if pipe is None else pipe
        os.dup2(target, 1)
        for arguments in commands:
            try:
                main(arguments)
            except SystemExit as leaving:
                if code not in (None, leaving.code):
                    os._exit(97)
                code = leaving.code
        os._exit(code if isinstance(code, int) else 99)
    finally:
        os._exit(98)


def kill_after(arguments: Sequence[str], lines: int, wait: float) -> None:
    """Run the command, read so many lines of its output, wait a little, and kill it."""
    told, tells = os.pipe()
    # A small pipe: the run can not get ahead of the reader by more than some lines.
    fcntl.fcntl(tells, fcntl.F_SETPIPE_SZ, 4096)
    child = start(arguments, pipe=tells)
    os.close(tells)
    seen = 0
    while seen < lines:
        data = os.read(told, 256)
        if not data:
            break
        seen += data.count(b"\n")
    time.sleep(wait)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(told)


def stored(path: Path) -> int:
    """How many episodes a store holds."""
    from company_lab.runs import Store

    with Store(path, create=False) as store:
        return store.entry(store.resolve()).stored


def exported(path: Path) -> dict[str, bytes]:
    """Everything that can be exported of the run in a store, and its report."""
    files = {form: path.with_suffix(f".{form}") for form in EXPORTS}
    report = path.with_suffix(".report")
    run(
        *(
            ["export", "--form", form, "--output", str(file), "--store", str(path)]
            for form, file in files.items()
        ),
        ["runs", "last", "--store", str(path)],
        output=report,
    )
    found = {form: file.read_bytes() for form, file in files.items()}
    told = report.read_bytes().rpartition(b"finished; began")[0]  # when it ended may differ
    found["figures"] = told.replace(path.name.encode(), b"a store")  # the command lines it gives name it
    return found


def main_program(folder: Path, points: int) -> None:
    """Kill, resume, compare; says how many kills left a run half done."""
    load_everything()
    prepare(folder)
    shutil.copy("begun.db", "undisturbed.db")
    run(["run", "--resume", "--store", "undisturbed.db"], expected=1)
    undisturbed = exported(folder / "undisturbed.db")
    assert undisturbed["traces"].count(b'"kind":"started"') == EPISODES
    assert undisturbed["jsonl"].count(b'"outcome":"failed"') == TRIALS
    assert b"pass^" in undisturbed["figures"]

    draws = random.Random(5)
    hands: list[list[str]] = [[], [], ["--workers", "3"], ["--processes", "2"]]
    half = 0
    for number in range(points):
        path = folder / f"killed{number}.db"
        shutil.copy("begun.db", path)
        command = ["run", "--resume", "--json-lines", "--store", str(path), *hands[number % len(hands)]]
        # Anywhere from before the first episode to after the last; some runs are killed twice.
        for _ in range(1 + (number % 5 == 4)):
            kill_after(command, draws.randrange(0, EPISODES), draws.uniform(0, 0.004))
        half += 0 < stored(path) < EPISODES
        run(["run", "--resume", "--quiet", "--store", str(path)], expected=1)
        found = exported(path)
        for what, content in undisturbed.items():
            assert found[what] == content, f"kill {number}: {what} differ"
    sys.stdout.write(f"{half}\n")


if __name__ == "__main__":
    main_program(Path(sys.argv[1]), int(sys.argv[2]))
