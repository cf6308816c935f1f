"""Writing mutants as scenario files: one file each, the same bytes every time, nothing overwritten unasked."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse
from company_lab.formats.whole_files import write_whole
from company_lab.probing.held_out import as_yaml
from company_lab.probing.mutate.deriving import Mutant


def mutant_text(mutant: Mutant, *, linked: bool) -> str:
    """A mutant as YAML. `variant` is left out where it would lead nowhere; `origin` says it in any case."""
    document: dict[str, Json] = dict(mutant.scenario.document)
    if not linked:
        document.pop("variant", None)
    return as_yaml(document)


def write_mutants(
    mutants: Iterable[Mutant], folder: Path, *, force: bool = False, beside: Collection[str] = ()
) -> tuple[Path, ...]:
    """Write mutants into a folder. `beside` names the scenarios of the suite that the folder lies in.

    Raises `WrongUse` where a file is there and says something else, before anything is written.
    """
    files = {
        folder / f"{one.scenario.id}.yaml": mutant_text(one, linked=one.origin in beside).encode()
        for one in mutants
    }
    if folder.exists() and not folder.is_dir():
        raise WrongUse(f"{folder} is a file: name a folder")
    strange = [file for file, text in files.items() if file.exists() and file.read_bytes() != text]
    if strange and not force:
        raise WrongUse(
            f"{strange[0]} is there and says something else: name another folder, or overwrite it with --force"
        )
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        write_whole(file, text)
    return tuple(files)
