"""Held out: a set of clones that stays private, and the hash by which it is known that it did not change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from company_lab.formats.canonical import Json, NotJson, canonical, digest, parse
from company_lab.formats.errors import WrongUse
from company_lab.formats.whole_files import write_whole
from company_lab.formats.yaml import read_yaml
from company_lab.probing.clones import CanNotClone, Clone, clone
from company_lab.runs.casting import HELD_OUT
from company_lab.scenarios.model import Scenario
from company_lab.worlds.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A scenario that could not be cloned, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """Clones of a suite, and what was refused."""

    clones: tuple[Clone, ...]
    refused: tuple[Refused, ...]

    @property
    def documents(self) -> list[dict[str, Json]]:
        """The clones as documents; links lead to clones of the same set, others are left out."""
        made = {one.origin: one.scenario.id for one in self.clones}
        return [_linked(one.scenario.document, one.links, made) for one in self.clones]


def clone_suite(
    scenarios: Iterable[Scenario],
    worlds: Callable[[str], World],
    *,
    seed: int,
    watch: Callable[[Clone | Refused], None] = lambda _: None,
) -> HeldOut:
    """Clone every scenario that is not held out itself and is no contract scenario. `watch` hears of each one."""
    clones: list[Clone] = []
    refused: list[Refused] = []
    for scenario in scenarios:
        if scenario.is_contract or scenario.split == HELD_OUT:
            continue
        try:
            clones.append(clone(scenario, worlds(scenario.world), seed=seed))
            watch(clones[-1])
        except CanNotClone as reason:
            refused.append(Refused(id=scenario.id, reason=str(reason)))
            watch(refused[-1])
    return HeldOut(clones=tuple(clones), refused=tuple(refused))


def _linked(
    document: Mapping[str, Json], links: Mapping[str, str], made: Mapping[str, str]
) -> dict[str, Json]:
    kept: dict[str, Json] = {name: made[target] for name, target in links.items() if target in made}
    return {**document, **kept}


def write_set(held_out: HeldOut, folder: Path) -> Path:
    """Write a set into a folder that holds nothing else, one file each, and its commitment beside it.

    The commitment is small and gives nothing away; it can be committed while the folder stays private. Raises
    `WrongUse` where the folder holds other files.
    """
    documents = held_out.documents
    mine = {f"{document['id']}.yaml" for document in documents}
    strange = sorted({file.name for file in folder.iterdir()} - mine) if folder.is_dir() else []
    if strange:
        raise WrongUse(f"{folder} holds {strange[0]}, which is not of this set: name an empty folder")
    folder.mkdir(parents=True, exist_ok=True)
    for document in documents:
        write_whole(folder / f"{document['id']}.yaml", as_yaml(document).encode())
    beside = commitment_file(folder)
    write_whole(beside, (canonical(commitment([digest(document) for document in documents])) + "\n").encode())
    return beside


def as_yaml(document: Mapping[str, Json]) -> str:
    """A document as YAML that reads back as the same document."""
    text = yaml.safe_dump(dict(document), sort_keys=False, allow_unicode=True, width=110)
    if [read.value for read in read_yaml(text)] != [dict(document)]:
        # YAML 1.1, which is written here, takes a few words for text that YAML 1.2 reads as numbers; JSON is both.
        text = canonical(dict(document)) + "\n"
    return text


def commitment_file(folder: Path) -> Path:
    """Where the commitment of a set lies: beside its folder."""
    return folder.with_name(f"{folder.resolve().name}.commitment.json")


def commitment(digests: Sequence[str]) -> dict[str, Json]:
    """What is committed of a set: how many scenarios, and one hash over their digests, sorted."""
    return {"format": 1, "scenarios": len(digests), "digest": digest(sorted(digests))}


def differences(scenarios: Iterable[Scenario], file: Path) -> tuple[str, ...]:
    """What speaks against a set being the one that was committed; empty where it is. Raises `WrongUse`."""
    scenarios = tuple(scenarios)
    try:
        committed = parse(file.read_bytes())
    except FileNotFoundError:
        raise WrongUse(f"there is no commitment at {file}") from None
    except (OSError, NotJson) as error:
        raise WrongUse(f"the commitment {file} can not be read: {error}") from None
    if not isinstance(committed, dict):
        raise WrongUse(f"{file} is no commitment")
    found: list[str] = [
        f"{scenario.id} is not held out" for scenario in scenarios if scenario.split != HELD_OUT
    ]
    now = commitment([digest(scenario.document) for scenario in scenarios])
    for name, value in now.items():
        if committed.get(name) != value:
            found.append(f"{name} was {committed.get(name)} when it was committed and is {value}")
    return tuple(found)
