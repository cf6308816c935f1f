"""Whether a text states an amount, a number or a literal.

These checks look for what is written, not for what the sentence does with it: an amount inside a
question, a condition or a negation is still named. Exceptions: on a cited line (">") it is somebody
else's statement and does not count; straight after "not", "instead of" or "rather than", and straight
after "about" or "more than", it is unclear; and so is a literal to which something does not go ("will not
go to Lindenallee 17").

With roles, the amount must stand next to one of the role's phrases (see `roles`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import islice

from company_lab.evaluation.texts.amounts import MOST_NUMBERS, Amount, read_amounts
from company_lab.evaluation.texts.currencies import spellings
from company_lab.evaluation.texts.dates import is_in_date
from company_lab.evaluation.texts.findings import Decision
from company_lab.evaluation.texts.folding import contains_phrase, fold, fold_characters
from company_lab.evaluation.texts.negation import negations
from company_lab.evaluation.texts.neighbours import look_after, look_before
from company_lab.evaluation.texts.numbers import NUMBER, readings
from company_lab.evaluation.texts.roles import decide_in_role
from company_lab.evaluation.texts.sentences import tokens
from company_lab.formats.money import exponent

_NUMBER_WORDS = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million)"
)
_IN_WORDS = re.compile(
    rf"(?<![a-z]){_NUMBER_WORDS}[ -](?:us |swiss )?(?:[a-z]{{3}}\b|euro|dollar|pound|franc|rupee|kron)"
)
_MULTIPLE = re.compile(r"[0-9][ \u00a0\u202f]?[kKmMbBtT]")
_NOT_QUITE = re.compile(
    r"(?:\bnot|n't|\binstead of|\brather than|\bnicht|\bstatt|\bpas|\babout|\baround|\bapproximately"
    r"|\broughly|\balmost|\bnearly|\bmore than|\bless than|\bca\.|\bcirca|\betwa|\bungef\u00e4hr"
    r"|\benviron)\s+(?:the |a |just )?[*_\\]*\Z",
    re.IGNORECASE,
)
_DIRECTIONS = frozenset(("to", "at", "an", "nach", "\u00e0"))
_CLAUSE_ENDS = frozenset((",", ";", ":", "\n", "and", "but", "und", "aber"))
_NEAR = 7
"""Words before a literal in which a negation is looked for."""
_GOES_ON = re.compile(r"[\w/:]|[-\u2010\u2011\u2013]\w")
_WORDS_FOR = {
    0: ("zero",), 2: ("two", "zwei"), 3: ("three", "drei"), 4: ("four", "vier"), 5: ("five", "f\u00fcnf"),
    6: ("six", "sechs"), 7: ("seven", "sieben"), 8: ("eight", "acht"), 9: ("nine", "neun"),
    10: ("ten", "zehn"), 11: ("eleven",), 12: ("twelve", "zw\u00f6lf"),
}  # fmt: skip


def states_amount(
    text: str, *, amount_minor: int, currency: str, locale: str | None, role_phrases: tuple[str, ...] = ()
) -> Decision:
    """Whether `text` states exactly `amount_minor` minor units of `currency`.

    `yes` needs an amount in this currency that has one possible value, equal to the last minor unit, sign
    included. `unclear`: the number agrees, but its separators are ambiguous in `locale`, or no currency
    is written, or only "cents"; or an amount in this currency is written in words. Anything else is `no`.
    A sign such as "$" counts for every currency it can mean; where the locale's region has another one of
    its own, it is unclear. Raises `UnknownCurrency`, and `BadPhrase` for a malformed role.
    """
    digits, may_be_multiple = _digits_of(amount_minor, currency)
    if digits not in text and not (may_be_multiple and _MULTIPLE.search(text)):
        return "unclear" if _in_words(text, currency) else "no"
    wanted = _Wanted(text, amount_minor, currency, digits)
    amounts, complete = read_amounts(text, locale)
    if role_phrases:
        decision = decide_in_role(text, amounts, role_phrases, wanted.decide)
    else:
        decisions = {wanted.decide(amount) for amount in amounts}
        decision = "yes" if "yes" in decisions else "unclear" if "unclear" in decisions else "no"
    if decision == "no" and (not complete or _in_words(text, currency)):
        return "unclear"
    return decision


@lru_cache(maxsize=4096)
def _digits_of(amount_minor: int, currency: str) -> tuple[str, bool]:
    """Digits that stand together wherever the amount is written in figures; whether "k" or "million" may
    replace them."""
    major, rest = divmod(abs(amount_minor), 10 ** exponent(currency))
    if major == 0:
        return str(rest).rstrip("0") or "0", False
    return str(major)[-3:], major >= 1_000


def _in_words(text: str, currency: str) -> bool:
    lowered = text.lower()
    for spelling in spellings(currency):
        if spelling in lowered:
            return _IN_WORDS.search(lowered) is not None
    return False


@dataclass(frozen=True, slots=True)
class _Wanted:
    text: str
    amount_minor: int
    currency: str
    digits: str

    def decide(self, amount: Amount) -> Decision:
        """Whether this one amount is the wanted one."""
        if amount.candidates and self.currency not in amount.candidates:
            return "no"
        agreeing = amount.matches(self.amount_minor, self.currency)
        if not agreeing:
            return "unclear" if self.digits in amount.raw else "no"
        if not any(agreeing) or _is_cited(self.text, amount.start):
            return "no"
        if not all(agreeing) or not amount.candidates:
            return "unclear"
        if amount.currency not in (self.currency, None) or (amount.minor and amount.currency is None):
            return "unclear"
        if _NOT_QUITE.search(self.text[max(0, amount.start - 24) : amount.start]):
            return "unclear"
        return "yes"


def _is_cited(text: str, position: int) -> bool:
    line = text.rfind("\n", max(0, position - 2_000), position) + 1
    return text[line : line + 8].lstrip()[:1] == ">"


def states_literal(text: str, literal: str) -> bool:
    """Whether `literal` stands in `text` as whole words, both folded. No currency, number or negation is
    understood."""
    return contains_phrase(text, literal)


def tells_literal(text: str, literal: str) -> Decision:
    """Whether `text` tells somebody `literal`: as `states_literal`, but `unclear` where it only names it on a cited
    line, or as what something does not go to, or is not sent or delivered to."""
    if not contains_phrase(text, literal):
        return "no"
    folded, wanted = fold_characters(text), fold(literal)
    words = r"\s+".join(re.escape(word) for word in wanted.split())
    places = [match.start() for match in islice(re.finditer(words, folded), MOST_NUMBERS)]
    for place in places:
        if not _is_cited(folded, place) and not _is_turned_away(folded, place):
            return "yes"
    return "unclear" if places else "yes"


def _is_turned_away(folded: str, place: int) -> bool:
    before = tokens(folded[max(0, place - 120) : place])
    clause = before[
        max((index + 1 for index, word in enumerate(before) if word in _CLAUSE_ENDS), default=0) :
    ]
    if clause[-1:] and clause[-1] in _DIRECTIONS:
        return bool(negations(clause[-_NEAR:]))
    return False


def states_number(text: str, number: int | Decimal, locale: str | None = None) -> bool:
    """Whether `text` states this number as a token of its own, not inside an id, a date, a time or an
    amount of money.

    Thousands may be grouped where `locale` decides how that is read; zero and two to twelve count in English words,
    two to ten and twelve in German ones. A percentage states its number. Only the first `MOST_NUMBERS` numbers of a
    text are looked at.
    """
    words = _WORDS_FOR.get(int(number), ()) if number == int(number) else ()
    if any(contains_phrase(text, word) for word in words):
        return True
    digits = str(abs(int(number)))[-3:]
    if digits not in text:
        return False
    for found in islice(NUMBER.finditer(text), MOST_NUMBERS):
        if digits not in found.group() or readings(found.group(), locale) != (abs(number),):
            continue
        start, end = found.span()
        before = look_before(text, start, 0)
        if (
            before is None
            or before.minus != (number < 0)
            or _GOES_ON.match(text, end)
            or _has_currency(text, start, end)
        ):
            continue
        if not is_in_date(text, start):
            return True
    return False


def _has_currency(text: str, start: int, end: int) -> bool:
    before = look_before(text, start, 0)
    after = look_after(text, end, None)
    return (before is not None and before.mark is not None) or (after is not None and after.mark is not None)
