"""Retelling: the same story with other names, amounts, currencies, dates and ids, in records and in prose."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction

from company_lab.formats import money
from company_lab.formats.canonical import Json
from company_lab.probing.days_in_words import ISO, PATTERNS, Days
from company_lab.probing.new_names import like, new_label
from company_lab.probing.recast import WORDS_FOR, NotFitting, Recast, Uncertain, is_money

_FORMAT = (
    "tool type provider op before after asks question world severity split tenant permissions "
    "permission approves codes locale format kind unit period status stop failure_class family tags "
    "zone language is regex "
)
_KEPT = frozenset(_FORMAT.split())
"""Keys under which words of the format or of the world stand."""
_MATCHERS = frozenset({"equals", "one_of", "at_least", "at_most", "contains", "any", "unordered"})
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?: \d{3})+\.\d+|\d+\.\d{1,3}(?![\d.])|\d+"
_UNITS = (
    "%|percent|st\\b|nd\\b|rd\\b|th\\b|h\\b|hours?|days?|weeks?|months?|years?|minutes?|seconds?|ms\\b|pieces?|times|x\\b|"
    "o'clock|am\\b|pm\\b|banners?|flyers?|walls?|copies|sheets?|posters?|cards?|cases?|people|persons?"
)
_SPELLED = re.compile(
    r"\b(?:ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand)"
    r"(?:[ -]\w+)? (?:euros?|dollars?|pounds?|francs?|yen|cents?|kron\w+)\b",
    re.IGNORECASE,
)
_CONTINENTAL = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{3})+,\d{2}(?!\d)|(?<![\d.,])\d+,\d{2}(?![\d,])")
_SLASHED = re.compile(r"(?<!\d)\d{1,2}/\d{1,2}/\d{2,4}(?!\d)")


class Retelling:
    """Applies a recast to documents, values and texts."""

    def __init__(self, recast: Recast) -> None:
        self._recast = recast
        self._pattern = _pattern(recast)
        self._rules: Mapping[str, Callable[[re.Match[str]], str]] = {
            **Days(recast).rules,
            "mail": self._mail,
            "account": self._digits,
            "id": lambda found: recast.ids[found[0]],
            "paid": self._paid,
            "paid_in": self._paid,
            "code": lambda found: recast.currencies.get(found[0], found[0]),
            "currency": lambda found: self._currency_word(found[0]),
            "number": self._bare,
            "word": self._word,
        }

    def value(self, value: Json, key: str = "") -> Json:
        """A value with everything in it retold; `key` is the name it stands under."""
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, int):
            return self.minor(value) if is_money(key) else value
        if isinstance(value, str):
            return value if key in _KEPT else self.text(value)
        if isinstance(value, list):
            return [self.value(item, key) for item in value]
        if isinstance(value, dict):
            return {self._key(name): self.value(item, _context(name, key)) for name, item in value.items()}
        return value

    def minor(self, amount: int) -> int:
        """An amount in minor units, multiplied. Raises `NotFitting` where it would not be whole."""
        beside = self._beside(amount)
        scaled = (amount - beside) * self._recast.factor
        if scaled.denominator != 1:
            raise NotFitting(f"{amount} x {self._recast.factor} is no whole number of minor units")
        return int(scaled) + beside

    def _beside(self, minor: int) -> int:
        """One, for an amount that is one more than another one, such as a bound just beyond a limit."""
        if (minor * self._recast.factor).denominator == 1:
            return 0
        return next((beside for beside in (1, -1) if minor - beside in self._recast.majors), 0)

    def text(self, text: str) -> str:
        """A text, or an id, retold."""
        if self._recast.factor != 1:
            for strange in (_SPELLED, _CONTINENTAL):
                found = strange.search(text)
                if found:
                    raise Uncertain(f"the amount {found[0]!r} is not written like 1,234.50")
        if self._recast.shift and _SLASHED.search(text):
            raise Uncertain(f"the date in {text[:60]!r} can be read in two ways")
        return self._pattern.sub(lambda found: self._rules[str(found.lastgroup)](found), text)

    def _key(self, name: str) -> str:
        recast = self._recast
        if name in recast.ids or name in recast.currencies:
            return recast.ids.get(name) or recast.currencies[name]
        return name

    # what stands in texts

    def _mail(self, found: re.Match[str]) -> str:
        local, _, domain = found[0].partition("@")
        return f"{new_label(local, self._recast.words)}@{new_label(domain, self._recast.words)}"

    def _digits(self, found: re.Match[str]) -> str:
        return found[0].translate(str.maketrans("123456789", "739184625"))

    def _paid(self, found: re.Match[str]) -> str:
        number = re.search(_NUMBER, found[0])
        assert number is not None
        before, after = found[0][: number.start()], found[0][number.end() :]
        return f"{self._mark(before)}{self._scaled(number[0])}{self._mark(after)}"

    def _mark(self, mark: str) -> str:
        return re.sub(r"[^\s]+", lambda part: self._currency_word(part[0]), mark)

    def _currency_word(self, word: str) -> str:
        for old, new in self._recast.currencies.items():
            if word == old:
                return new
            for spelled, instead in zip(WORDS_FOR.get(old, ()), WORDS_FOR.get(new, ()), strict=False):
                if word.lower() == spelled.lower():
                    return like(word, instead)
        return word

    def _scaled(self, number: str) -> str:
        """An amount in prose, multiplied; whole ones get decimals where they need them."""
        spaced, places = " " in number, len(number.partition(".")[2])
        amount = Fraction(Decimal(number.replace(",", "").replace(" ", "")))
        for decimals in dict.fromkeys((places, places or 2)):
            beside = Fraction(self._beside(int(amount * 10**decimals)), 10**decimals) if places else 0
            whole = ((amount - beside) * self._recast.factor + beside) * 10**decimals
            if whole.denominator == 1:
                break
        else:
            raise NotFitting(f"{number} x {self._recast.factor} needs more decimals")
        major, rest = divmod(int(whole), 10**decimals)
        grouped = f"{major:,}" if spaced or "," in number or amount < 1000 else str(major)
        grouped = grouped.replace(",", " ") if spaced else grouped
        return f"{grouped}.{rest:0{decimals}d}" if decimals else grouped

    def _bare(self, found: re.Match[str]) -> str:
        number = found[0]
        after = found.string[found.end() : found.end() + 12]
        if "." in number or "," in number:
            # Three decimals are a rate, unless some currency here has as many.
            places = 3 if self._recast.thirds else 2
            return (
                self._scaled(number) if re.search(rf"\.\d{{{places}}}$|\.\d\d$|,\d{{3}}", number) else number
            )
        count = int(number)
        if count == self._recast.clock.year and len(number) == 4:
            return str((self._recast.clock + self._recast.shift).year)
        if count not in self._recast.majors or re.match(rf"[ -]?(?:{_UNITS})", after):
            return number
        if self._recast.factor != 1 and count in self._recast.things:
            raise Uncertain(f"{number} may be an amount or a number of things in {found.string[:60]!r}")
        return self._scaled(number)

    def _word(self, found: re.Match[str]) -> str:
        new = self._recast.words.get(found[0].lower())
        if new is None:
            return found[0]
        return (
            new
            if found[0][0].isupper() and not (found[0].isupper() and len(found[0]) > 1)
            else like(found[0], new)
        )


def _context(name: str, outer: str) -> str:
    if name in _MATCHERS:
        return outer
    if outer == "amounts":
        return "amounts_minor"
    return name


def _pattern(recast: Recast) -> re.Pattern[str]:
    ids = "|".join(re.escape(id) for id in sorted(recast.ids, key=len, reverse=True)) or r"(?!)"
    codes = "|".join(sorted(money.currencies()))
    words = "|".join(
        re.escape(word)
        for word in sorted({word for three in WORDS_FOR.values() for word in three}, key=len, reverse=True)
    )
    mark = rf"(?:(?:{codes}|{words}|cents?|micros)(?![^\W\d_]))"
    parts = {
        "iso": ISO,
        "mail": r"[\w.+-]+@[\w.-]+\w",
        "id": rf"(?<![A-Za-z0-9_])(?:{ids})(?![\w]|-\w)",
        "account": r"\b[A-Z]{2}\d{2}[0-9A-Z]{6,28}\b",
        "paid": rf"(?<![\w.-])(?:{_NUMBER})\s?{mark}",
        "paid_in": rf"(?<![^\W\d_]){mark}\s?(?:{_NUMBER})",
        **PATTERNS,
        "code": rf"(?<![\w-])(?:{codes})(?![\w-])",
        "currency": rf"(?<!\w)(?:{words})(?!\w)",
        "number": rf"(?<![\w.:/-])(?:{_NUMBER})(?![\w:/])",
        "word": r"(?<![^\W\d_])[^\W\d_]+",
    }
    return re.compile("|".join(f"(?P<{name}>{part})" for name, part in parts.items()))
