"""New names: other people, companies and ids for the ones a scenario has, the same everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from random import Random

from company_lab.formats.canonical import Json
from company_lab.probing.name_lists import CALENDAR, FAMILIES, MEN, ORDINARY, SHARED_BOXES, WOMEN
from company_lab.scenarios.spec import WorldSpec

Draws = Callable[[str], Random]
"""A random stream for a purpose, so that what one name becomes does not hang on the others."""
_NAMING = frozenset({"name", "company", "vendor", "payer", "household", "owner", "issuer"})
_NO_PERSON = frozenset({"account", "budget_minor", "currency", "kind", "role", "quantity"})
"""Fields of records whose name is that of a thing."""
ADDRESS = re.compile(r"[\w.+-]+@[\w.-]+\w")
_WORD = re.compile(r"[^\W\d_]+")


def texts_in(value: Json) -> Iterator[str]:
    """Every text anywhere in a value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts_in(item)


def new_words(document: Mapping[str, Json], draws: Draws) -> dict[str, str]:
    """For every word of a person's or company's name, in lower case, another one with the same first letter.

    Initials stay right that way. Words that also stand in the texts as ordinary words keep their places, and so do
    names of months and weekdays, which nobody could tell from dates.
    """
    texts = [ADDRESS.sub(" ", text) for text in texts_in(dict(document))]
    ordinary = {word for text in texts for word in _WORD.findall(text) if word.islower()} | ORDINARY
    made: dict[str, str] = {}
    taken = {word.lower() for text in texts for word in _WORD.findall(text)}
    for word, first in _name_words(dict(document)):
        low = word.lower()
        if low in made or low in ordinary or low in CALENDAR or len(low) < 2:
            continue
        pool = _pool(low, first=first)
        free = [one for one in pool if one[0].lower() == low[0] and one.lower() not in taken]
        if free:
            made[low] = draws(f"name {low}").choice(free)
            taken.add(made[low].lower())
    return made


def _pool(word: str, *, first: bool) -> tuple[str, ...]:
    if not first:
        return FAMILIES
    for pool in (WOMEN, MEN):
        if any(one.lower() == word for one in pool):
            return pool
    # A guess, so that "her" and "him" stay right for most; nothing that is judged hangs on it.
    return WOMEN if word.endswith(("a", "e", "i", "y")) else MEN


def _name_words(value: Json, key: str = "") -> Iterator[tuple[str, bool]]:
    """Words of names with whether each is a person's first name."""
    if isinstance(value, dict):
        for name, item in value.items():
            if name != "name" or not _NO_PERSON & value.keys():
                yield from _name_words(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from _name_words(item, key)
    elif isinstance(value, str) and key in _NAMING:
        words = _WORD.findall(value)
        yield from ((word, key == "name" and place == 0) for place, word in enumerate(words))
    elif isinstance(value, str) and key == "from" and "<" in value:
        words = _WORD.findall(value.split("<")[0])
        yield from ((word, place == 0) for place, word in enumerate(words))


def new_label(label: str, words: Mapping[str, str]) -> str:
    """A part of a mail address with the names in it replaced, also where they are written as one word."""
    return "".join(
        part if not part.isalpha() else _new_part(part, words) for part in re.split(r"([^A-Za-zÀ-ÿ]+)", label)
    )


def _new_part(part: str, words: Mapping[str, str]) -> str:
    low = part.lower()
    if low in SHARED_BOXES:
        return part
    if low in words:
        return like(part, words[low])
    for cut in range(len(low) - 1, 1, -1):
        if low[:cut] in words:
            return like(part[:cut], words[low[:cut]]) + _new_part(part[cut:], words)
        if low[cut:] in words:
            return _new_part(part[:cut], words) + like(part[cut:], words[low[cut:]])
    return part


def like(old: str, new: str) -> str:
    """A new word in the letter case of the old one."""
    if old.islower():
        return new.lower()
    return new.upper() if old.isupper() and len(old) > 1 else new


def new_ids(document: Mapping[str, Json], spec: WorldSpec, draws: Draws) -> dict[str, str]:
    """For every id with a number in it another number of the same length.

    Ids that the world generates keep their counters, and ids without a number are names that mean something.
    """
    generated = re.compile("|".join(f"{re.escape(table.singular)}_[0-9]+" for table in spec.tables.values()))
    ids = [id for id in _ids(document, spec) if re.search(r"[0-9]", id) and not generated.fullmatch(id)]
    made: dict[str, str] = {}
    taken = set(ids)
    for id in dict.fromkeys(ids):
        if id.isdigit():
            continue
        found = next(_renumbered(id, draws(f"id {id}"), taken), None)
        if found is not None:
            made[id] = found
            taken.add(found)
    return made


def _renumbered(id: str, random: Random, taken: set[str]) -> Iterator[str]:
    place = [*re.finditer(r"[0-9]+", id)][-1]
    length = len(place[0])
    for attempt in range(60):
        digits = length + attempt // 40
        number = str(random.randrange(10 ** (digits - 1), 10**digits))
        candidate = f"{id[: place.start()]}{number}{id[place.end() :]}"
        if candidate not in taken:
            yield candidate


def _ids(document: Mapping[str, Json], spec: WorldSpec) -> Iterator[str]:
    tenants = document.get("other_tenants")
    for tables in (document.get("initial"), *(tenants.values() if isinstance(tenants, dict) else ())):
        for name, records in tables.items() if isinstance(tables, dict) else ():
            if name in spec.tables and isinstance(records, dict):
                yield from records
    events = document.get("events")
    for event in events if isinstance(events, list) else ():
        if isinstance(event, dict):
            yield str(event["id"])
            data, declared = event.get("data"), spec.events.get(str(event.get("type")))
            for key in declared.brings if declared and isinstance(data, dict) else ():
                if isinstance(data, dict) and isinstance(data.get(key), str):
                    yield str(data[key])
