"""Clones: the same scenario retold, with other names, amounts, currencies, dates and ids.

A clone is isomorphic to its origin: its conducts do the same, come out the same, and see the same, retold. This
is played before a clone is handed over; where no retelling comes through, the scenario is refused with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from fractions import Fraction
from itertools import islice
from random import Random

from company_lab.formats import money
from company_lab.formats.canonical import Json, same
from company_lab.formats.errors import CompanyLabError, Problems
from company_lab.formats.randomness import stream
from company_lab.formats.shapes import shown
from company_lab.formats.time import parse_moment
from company_lab.probing.new_names import Draws, new_ids, new_words, texts_in
from company_lab.probing.recast import WORDS_FOR, NotFitting, Recast, Uncertain, is_money
from company_lab.probing.rehearse import Rehearsal, rehearse
from company_lab.probing.retelling import Retelling
from company_lab.scenarios.loader import load_document
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.short_form import STIMULUS_KEYS
from company_lab.worlds.world import World

ALIKE = (
    ("EUR", "USD", "GBP", "CHF", "SEK", "NOK", "PLN", "CAD", "AUD"),
    ("JPY", "KRW", "CLP", "VND"),
    ("KWD", "BHD", "JOD", "TND"),
)
"""Currencies with equally many decimals, which can stand for one another."""
FACTORS = tuple(
    Fraction(*parts)
    for parts in ((11, 10), (6, 5), (9, 10), (4, 5), (7, 5), (3, 2), (2, 1), (3, 1), (21, 20))
)
SAME_CALENDAR = timedelta(weeks=574)
"""Eleven years: every day of 2026 has the same name and weekday in 2037."""
_LINKS: tuple[str, ...] = ("twin_of", "variant")
_COUNTING = frozenset({"quantity", "cancelled", "refunded", "days", "payment_terms_days", "percent"})
MOST_ATTEMPTS = 400
MOST_PLAYED = 60


class CanNotClone(CompanyLabError):
    """A scenario that no retelling is certain for; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clone:
    """A scenario retold. What could not be changed, because the company hangs on it, stands in `kept`."""

    scenario: Scenario
    origin: str
    links: Mapping[str, str]
    """What `twin_of` and `variant` of the origin name."""
    kept: tuple[str, ...]


def clone(scenario: Scenario, world: World, *, seed: int) -> Clone:
    """A held-out clone of a scenario. The same seed gives the same clone; twins are retold alike.

    Raises `CanNotClone` with the reason.
    """
    document = dict(scenario.document)
    _refuse_what_has_fixed_names(scenario, document, world)
    originals = list(rehearse(scenario, world))
    if not all(rehearsal.as_declared for rehearsal in originals):
        raise CanNotClone("its own conducts do not come out as declared")
    family = scenario.family or scenario.id

    def draws(purpose: str) -> Random:
        return stream(seed, family, 0, f"clone: {purpose}")

    reason = "nothing in it can be changed"
    played = 0
    for recast in islice(_recasts(scenario, document, world, draws), MOST_ATTEMPTS):
        retelling = Retelling(recast)
        try:
            retold = _retold(scenario, document, retelling, seed)
            candidate = load_document(retold, worlds=lambda name: world.spec)
            played += 1
            _same_course(originals, list(rehearse(candidate, world)), retelling)
        except Uncertain as uncertain:
            raise CanNotClone(str(uncertain)) from None
        except NotFitting as misfit:
            reason = str(misfit)
        except Problems as problems:
            reason = str(next(iter(problems.problems), "it can not be loaded any more"))
        else:
            links = {link: str(document[link]) for link in _LINKS if link in document}
            return Clone(
                scenario=candidate, origin=scenario.id, links=links, kept=tuple(_kept(recast, document))
            )
        if played >= MOST_PLAYED:
            break
    raise CanNotClone(reason)


def clone_id(id: str, *, seed: int) -> str:
    """The id of the clone of a scenario."""
    return f"{id}_{stream(seed, id, 0, 'clone id').randrange(16**6):06x}"


def _refuse_what_has_fixed_names(scenario: Scenario, document: Mapping[str, Json], world: World) -> None:
    if scenario.is_contract:
        raise CanNotClone("a contract scenario asks for an action whose arguments the world fixes")
    stimulus = document.get("stimulus")
    named = [name for name in stimulus if name not in STIMULUS_KEYS] if isinstance(stimulus, dict) else []
    if scenario.initial.facts or scenario.expected.facts or named:
        raise CanNotClone("its facts are about records whose ids the world fixes")


def _recasts(scenario: Scenario, document: dict[str, Json], world: World, draws: Draws) -> Iterator[Recast]:
    """Ways to retell a scenario, the one that changes most first."""
    clock = parse_moment(scenario.clock).date()
    plain = Recast(
        words=new_words(document, draws),
        ids=new_ids(document, world.spec, draws),
        clock=clock,
        majors=frozenset(_majors(document)),
        things=frozenset(_things(document)),
        thirds=any(money.exponent(code) == 3 for code in _currencies_of(document)),
    )
    dates = draws("dates")
    shifts = [timedelta(weeks=dates.choice((-1, 1)) * weeks) for weeks in dates.sample(range(5, 60), 2)]
    if hangs_on_the_calendar(document):
        shifts = []
    factors = draws("amounts").sample(FACTORS, len(FACTORS)) if _holds_money(document) else [Fraction(1)]
    others = _other_currencies(document, draws)
    for shift in (*shifts, SAME_CALENDAR):
        for currencies in (others, {}) if others else ({},):
            for factor in factors:
                yield replace(plain, currencies=currencies, factor=factor, shift=shift)


def hangs_on_the_calendar(document: Mapping[str, Json]) -> bool:
    """Whether a month, a quarter or a time zone matters in it, so that only whole years can be moved."""
    texts = " ".join(texts_in(dict(document))).lower()
    return "'zone'" in repr(document.get("initial")) or any(
        word in texts for word in ("month", "quarter", "year", "summer", "spring", "winter")
    )


def _majors(value: Json, key: str = "") -> Iterator[int]:
    """Amounts in whole major units, and as they are in minor ones, where those are not small."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _majors(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from _majors(item, key)
    elif isinstance(value, int) and not isinstance(value, bool) and is_money(key):
        for places in (1, 100, 1000):
            if value % places == 0 and value // places >= 10:
                yield value // places


def _things(value: Json, key: str = "") -> Iterator[int]:
    """Whole numbers that are no amounts: quantities, versions, days."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _things(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from _things(item, key)
    elif type(value) is int and value >= 10 and key in _COUNTING:
        yield value


def _holds_money(value: Json, key: str = "") -> bool:
    if isinstance(value, dict):
        return any(_holds_money(item, name) for name, item in value.items())
    if isinstance(value, list):
        return any(_holds_money(item, key) for item in value)
    return type(value) is int and value != 0 and is_money(key)


def _currencies_of(document: Mapping[str, Json]) -> list[str]:
    known = money.currencies()
    found = dict.fromkeys(text for text in texts_in(dict(document)) if text in known)
    prose = " ".join(texts_in(dict(document)))
    for code in (code for group in ALIKE for code in group):
        spelled = (code, *WORDS_FOR.get(code, ())[:1])
        if any(word in prose.replace("/", " ").split() for word in spelled):
            found[code] = None
    return list(found)


def _other_currencies(document: Mapping[str, Json], draws: Draws) -> dict[str, str]:
    """For every currency of a scenario another one with as many decimals, each for one only."""
    mine = _currencies_of(document)
    prose = " ".join(texts_in(dict(document))).lower()
    made: dict[str, str] = {}
    for code in mine:
        group = next((group for group in ALIKE if code in group), ())
        free = [one for one in group if one not in mine and one not in made.values()]
        if "cent" in prose.split() or "cents" in prose:
            free = [one for one in free if one in ("USD", "CAD", "AUD")]
        if any(word in prose for word in WORDS_FOR.get(code, ())):
            free = [one for one in free if one in ("EUR", "PLN")]
        if free:
            made[code] = draws(f"currency {code}").choice(free)
    return made


def _retold(
    scenario: Scenario, document: Mapping[str, Json], retelling: Retelling, seed: int
) -> dict[str, Json]:
    retold = retelling.value({key: value for key, value in document.items() if key not in _OUTER})
    assert isinstance(retold, dict)
    outer: dict[str, Json] = {
        key: document[key] for key in _OUTER if key in document and key not in ("id", "split", "origin")
    }
    for link in _LINKS:
        outer.pop(link, None)
    return {
        "format": 1,
        "id": clone_id(scenario.id, seed=seed),
        **{key: value for key, value in retold.items() if key == "title"},
        **outer,
        "clock": retelling.text(scenario.clock),
        "split": "held_out",
        "origin": scenario.id,
        **{key: value for key, value in retold.items() if key != "title"},
    }


_OUTER = (
    "format",
    "id",
    "world",
    "failure_class",
    "family",
    "severity",
    "split",
    "tags",
    "origin",
    "twin_of",
    "variant",
    "clock",
)


def _same_course(originals: list[Rehearsal], clones: list[Rehearsal], retelling: Retelling) -> None:
    """Raise `NotFitting` unless every conduct of the clone comes out the same and sees the same, retold."""
    for before, after in zip(originals, clones, strict=True):
        if not after.as_declared or before.verdict.codes != after.verdict.codes:
            raise NotFitting(
                f"{before.conduct} came out as {', '.join(after.verdict.codes) or after.verdict.outcome} when retold"
            )
        theirs, ours = (
            _course(before, lambda value: retelling.value(value)),
            _course(after, lambda value: value),
        )
        for one, other in zip(theirs, ours, strict=False):
            if not same(one, other):
                raise NotFitting(f"{before.conduct} sees something else when retold: {_shown(one, other)}")
        if len(theirs) != len(ours):
            raise NotFitting(f"{before.conduct} takes another course when retold")


def _shown(one: Json, other: Json) -> str:
    return f"{shown(other, 200)} instead of {shown(one, 200)}"


def _course(rehearsal: Rehearsal, told: Callable[[Json], Json]) -> list[Json]:
    """What happened: each decision, result and effect, without the wording of errors."""
    course: list[Json] = []
    for record in rehearsal.episode.trace.records:
        if record["kind"] == "guard":
            course.append([record["decision"], record["reason"]])
        elif record["kind"] == "result":
            error = record["error"]
            reason = (error["code"], error["reason"]) if error else (None, None)
            course.append([record["outcome"], *reason, told(record["value"])])
        elif record["kind"] == "effect":
            course.append([record["provider"], record["op"], told(record["payload"])])
    return course


def _kept(recast: Recast, document: dict[str, Json]) -> Iterator[str]:
    if not recast.words:
        yield "names"
    if recast.factor == 1 and _holds_money(document):
        yield "amounts"
    if not recast.currencies and _currencies_of(document):
        yield "currencies"
