"""Index: finding the records of a fixture by the value of a field, or by words of it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping

from company_lab.formats.canonical import Json, boundary, canonical, same

Tables = Mapping[str, Mapping[str, Mapping[str, Json]]]
"""Table, then record id, then record."""
Key = Callable[[Json], Json]
"""What values are compared through."""

MANY = 256
"""From so many candidates on, what was found among them is remembered."""


def exactly(value: Json) -> Json:
    """The key under which values are found as they are."""
    return value


def folded(value: Json) -> Json:
    """The key under which text is found without regard to letter case and surrounding space."""
    return value.strip().casefold() if isinstance(value, str) else value


def words_of(value: Json) -> list[str]:
    """The words of a text, without letter case; of anything else there are none."""
    return value.casefold().replace(".", " ").split() if isinstance(value, str) else []


def has_words(value: Json, wanted: list[str]) -> bool:
    """Whether each of the wanted words begins some word of a text; no words are in no text."""
    known = words_of(value)
    return bool(wanted) and all(any(word.startswith(part) for word in known) for part in wanted)


class Index:
    """Where the records of a fixture are; built at first use and shared by all episodes.

    The lists it gives belong to it: whoever wants to change one takes a copy.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._every: dict[str, list[str]] = {}
        self._places: dict[str, dict[str, int]] = {}
        self._built: dict[tuple[str, str, Key], dict[object, list[str]]] = {}
        self._found: dict[object, list[str]] = {}
        self._words: dict[tuple[str, str], tuple[list[str], list[list[str]]]] = {}

    def every(self, table: str) -> list[str]:
        """Every id of a table, in order."""
        known = self._every.get(table)
        if known is None:
            known = self._every[table] = list(self._tables.get(table, ()))
        return known

    def ids(self, table: str, where: Mapping[str, Json], key: Key) -> list[str]:
        """Ids of the records whose fields, seen through `key`, have the values of `where`, in order."""
        candidates = [
            (self._with(table, field, key).get(_hashable(key(value)), []), field)
            for field, value in where.items()
        ]
        fewest, by = min(candidates, key=lambda found: len(found[0]))
        rest = {field: key(value) for field, value in where.items() if field != by}
        if not rest:
            return fewest
        records = self._tables.get(table, {})

        def fits(id: str) -> bool:
            record = records[id]
            return all(field in record and same(key(record[field]), value) for field, value in rest.items())

        if len(fewest) < MANY:
            return [id for id in fewest if fits(id)]
        asked = (table, key, *((field, _hashable(key(value))) for field, value in where.items()))
        known = self._found.get(asked)
        if known is None:
            if len(self._found) >= MANY:
                self._found.clear()
            known = self._found[asked] = [id for id in fewest if fits(id)]
        return known

    def _with(self, table: str, field: str, key: Key) -> dict[object, list[str]]:
        built = self._built.get((table, field, key))
        if built is None:
            built = {}
            for id, record in self._tables.get(table, {}).items():
                if field in record:
                    built.setdefault(_hashable(key(record[field])), []).append(id)
            self._built[(table, field, key)] = built
        return built

    def with_words(self, table: str, field: str, wanted: list[str]) -> list[str]:
        """Ids of the records in whose field each wanted word begins some word, in order."""
        sets = [self._beginning(table, field, word) for word in dict.fromkeys(wanted)]
        if not sets:
            return []
        found = set.intersection(*sorted(sets, key=len))
        places = self._placed(table)
        return sorted(found, key=places.__getitem__)

    def _beginning(self, table: str, field: str, word: str) -> set[str]:
        words, lists = self._listed_words(table, field)
        found: set[str] = set()
        for position in range(bisect_left(words, word), len(words)):
            if not words[position].startswith(word):
                break
            found.update(lists[position])
        return found

    def _listed_words(self, table: str, field: str) -> tuple[list[str], list[list[str]]]:
        """The words of a field in alphabetical order, and for each of them where it stands."""
        known = self._words.get((table, field))
        if known is None:
            places: dict[str, list[str]] = {}
            for id, record in self._tables.get(table, {}).items():
                for word in dict.fromkeys(words_of(record.get(field))):
                    places.setdefault(word, []).append(id)
            words = sorted(places)
            known = self._words[(table, field)] = (words, [places[word] for word in words])
        return known

    def place(self, table: str, id: str) -> int:
        """The position of a record in its table."""
        return self._placed(table)[id]

    def _placed(self, table: str) -> dict[str, int]:
        places = self._places.get(table)
        if places is None:
            places = self._places[table] = {id: position for position, id in enumerate(self.every(table))}
        return places


def _hashable(value: Json) -> object:
    """What stands for a value in an index: equal for values that are the same, and for no others."""
    if isinstance(value, bool):
        return (bool, value)
    return (list, canonical(boundary(value))) if isinstance(value, (list, dict)) else value
