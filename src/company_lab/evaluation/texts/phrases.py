"""Phrases: the small patterns by which a world declares how something is said.

| written | matches |
|---|---|
| `fully settled` | these words, whole, in this order |
| `(is\\|was\\|has been) settled` | one of the alternatives |
| `is [now] settled` | with or without the word |
| `refund*` | any word that begins so, the word itself included |
| `refund ... made` | up to six words in between, in the same clause |
| `# is settled`, `paid #` | at either end, the id of a record: I-400, ch_1 |

Matching is done on the text as people read it (see `reading`), across line breaks inside a sentence, Markdown emphasis
and quotes, but never across a comma, a full stop or another mark that ends a clause. Groups do not nest.

A phrase is written in full and found contracted, too: `(i|we) have sent` in "I've sent", `did not pay` in "didn't pay".
Between any two words one adverb ("now", "already", "gladly") may stand; it is read like the words of a gap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from company_lab.evaluation.texts.findings import Span
from company_lab.evaluation.texts.folding import fold
from company_lab.evaluation.texts.lexicon import words
from company_lab.evaluation.texts.reading import read
from company_lab.formats.errors import CompanyLabError

MOST_MENTIONS = 1_000
"""Occurrences of one phrase that are looked at in one text; a text with more is hostile."""

_LONGEST_GAP = 6
_MOST_GAPS = 3
_LETTER = r"[^\W_]"
_BETWEEN = r"(?:[^\w.,;:!?|]|_)++"
WORD = rf"{_LETTER}++(?:[.,'\-_]{_LETTER}++)*+"
_GAP = rf"((?:{_BETWEEN}{WORD}){{0,{_LONGEST_GAP}}}?)"
_ADVERB = rf"(now|just|already|also|today|hereby|{_LETTER}{{2,12}}ly|jetzt|nun|bereits|schon|heute|damit)"
_JOIN = rf"{_BETWEEN}(?:{_ADVERB}{_BETWEEN})?"
"""Between two words. An adverb is read with the gaps: "was hardly refunded" must be noticed."""
_CONTRACTED = {
    "have": r"(?<=')ve",
    "will": r"(?<=')ll",
    "are": r"(?<=')re",
    "am": r"(?<=\bi')m",
    "is": r"(?:(?<=\bit')|(?<=\bhe')|(?<=\bshe')|(?<=\bthat')|(?<=\bthere'))s",
    "has": r"(?:(?<=\bit')|(?<=\bhe')|(?<=\bshe')|(?<=\bthat')|(?<=\bthere'))s",
}
"""How a word is written where it leans on the one before: "we've", "it's"."""
_TAKES_NOT = words("do does did is are was were has have had could would should must need")
_PART = re.compile(r"\.\.\.|\([^()\[\]]*\)|\[[^()\[\]]*\]|[^\s()\[\]]+")
_ID = r"[a-z]{1,12}[-_]?[0-9][a-z0-9_-]*+"
ID = re.compile(_ID, re.IGNORECASE)
"""The id of a record as `#` finds it."""
_WORD = re.compile(rf"{_LETTER}(?:[\w'.,@/&+\-]*{_LETTER})?\*?")
_PARAGRAPH = re.compile(r"\n\s*(?:\n|[-*\u2022>|#])")


class BadPhrase(CompanyLabError, ValueError):
    """A phrase that does not follow the syntax of phrases."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One occurrence in the folded text, and the spans of the words that stood in gaps."""

    start: int
    end: int
    gaps: tuple[tuple[int, int], ...] = ()
    negative: bool = False
    """The phrase itself begins with a negative word."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    source: str
    """The regular expression, compiled when a text first needs it: most texts need few."""
    anchors: tuple[str, ...]
    """One of these occurs in every text that the pattern matches."""
    negative: bool


@dataclass(frozen=True, slots=True)
class Phrases:
    """Compiled phrases; built by `compile_phrases`."""

    sources: tuple[str, ...]
    _patterns: tuple[_Pattern, ...]
    _anchors: tuple[str, ...]
    name_records: bool = False
    """Some of them begin or end with the id of a record."""

    def find(self, text: str) -> list[Span]:
        """Where any of the phrases stands in `text`, in order; one inside another is left out."""
        reading = read(text)
        mentions = list(islice(self.mentions(reading.folded), MOST_MENTIONS))
        edges = sorted({edge for mention in mentions for edge in (mention.start, mention.end)})
        original = reading.places(edges)
        return [Span(original[mention.start], original[mention.end]) for mention in mentions]

    def occur_in(self, folded: str) -> bool:
        """Whether a phrase can occur at all: a cheap test that may say yes too often, never no."""
        for anchor in self._anchors:  # noqa: SIM110 - a generator costs more than the test itself
            if anchor in folded:
                return True
        return False

    def mentions(self, folded: str) -> Iterator[Mention]:
        """Every occurrence in folded text, in order, the longest where one contains another."""
        if not self.occur_in(folded):
            return
        found: list[Mention] = []
        for pattern in self._patterns:
            if any(anchor in folded for anchor in pattern.anchors):
                found.extend(islice(_occurrences(pattern, folded), MOST_MENTIONS + 1))
        found.sort(key=lambda mention: (mention.start, -mention.end))
        end = -1
        for mention in found:
            if mention.end > end:
                end = mention.end
                yield mention


def _occurrences(pattern: _Pattern, folded: str) -> Iterator[Mention]:
    regex = _compiled(pattern.source)
    place = 0
    while (match := regex.search(folded, place)) is not None:
        if "\n" in match.group() and _PARAGRAPH.search(match.group()):
            place = (
                match.start() + 1
            )  # the words may stand together further on: under a subject that has them, too
            continue
        place = match.end()
        gaps = tuple(match.span(group) for group in range(1, regex.groups + 1) if match.group(group))
        yield Mention(match.start(), match.end(), gaps, pattern.negative)


@lru_cache(maxsize=4096)
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source)


@lru_cache(maxsize=1024)
def compile_phrases(phrases: tuple[str, ...]) -> Phrases:
    """Phrases ready for matching. Raises `BadPhrase` (a `ValueError`) that names the phrase and what is
    wrong with it.

    No phrases at all are refused too: nothing could ever match.
    """
    if not phrases:
        raise BadPhrase("no phrases given; at least one is needed, for otherwise nothing could ever match")
    patterns = tuple(_compile(phrase) for phrase in phrases)
    anchors = dict.fromkeys(anchor for pattern in patterns for anchor in pattern.anchors)
    return Phrases(phrases, patterns, tuple(anchors), any("#" in phrase.split() for phrase in phrases))


def ends_in_ids(mention: str) -> tuple[str, ...]:
    """The ids at either end of what a phrase matched, which only `#` leaves there."""
    words = mention.split()
    return tuple(word for word in dict.fromkeys((words[0], words[-1]) if words else ()) if ID.fullmatch(word))


def _compile(phrase: str) -> _Pattern:
    folded = fold(phrase.replace("\u2026", "..."))
    if _PART.sub("", folded).strip():
        raise _bad(phrase, "brackets that do not pair, or one group inside another")
    parts = _PART.findall(folded)
    regex: list[str] = []
    candidates: list[tuple[str, ...]] = []
    pending_gap = False
    needs_space = False
    gaps = 0
    if "#" in (part for part in parts[1:-1]):
        raise _bad(phrase, "# stands at an end of a phrase")
    for part in parts:
        if part == "#":
            regex.append((_JOIN if needs_space else "") + _ID)
            needs_space = True
            if pending_gap:
                raise _bad(phrase, "# can not follow a gap")
            continue
        if part == "...":
            if not candidates or pending_gap:
                raise _bad(phrase, "a gap needs a word that must occur on both sides")
            gaps += 1
            pending_gap = True
            continue
        if part[0] in "([":
            alternatives = [alternative.split() for alternative in part[1:-1].split("|")]
            if not all(alternatives):
                raise _bad(phrase, f"{part} has an empty alternative")
        else:
            alternatives = [[part]]
        body = "|".join(_words(words, phrase) for words in alternatives)
        # what may be left out, and what is open, take an adverb along
        join = _BETWEEN if part[0] == "[" or pending_gap else _JOIN
        lead = (_GAP if pending_gap else "") + (join if needs_space else "")
        if alternatives == [["not"]] and needs_space and not pending_gap:
            lead, body = "", rf"n't(?!{_LETTER})|{_JOIN}{body}"
        if part[0] == "[":
            if pending_gap:
                raise _bad(phrase, "an optional word can not follow a gap")
            regex.append(rf"(?:{lead}(?:{body}))?" if needs_space else rf"(?:(?:{body}){_BETWEEN})?")
            continue
        regex.append(rf"{lead}(?:{body})")
        needs_space = True
        pending_gap = False
        candidates.append(tuple(max((_anchor(word) for word in words), key=len) for words in alternatives))
    if pending_gap:
        raise _bad(phrase, "a gap needs a word that must occur on both sides")
    if not candidates:
        raise _bad(phrase, "at least one word must not be optional")
    if gaps > _MOST_GAPS:
        raise _bad(phrase, f"{gaps} gaps; at most {_MOST_GAPS} are allowed")
    anchors = max(candidates, key=lambda words: min(map(len, words)))
    first = re.split(r"[\s|]", parts[0].strip("([])"))[0]
    return _Pattern(
        rf"(?<!{_LETTER}){''.join(regex)}(?!{_LETTER})",
        anchors,
        first in ("no", "not", "never", "kein", "keine"),
    )


def _word(word: str, phrase: str) -> str:
    if not _WORD.fullmatch(word) or ".." in word:
        raise _bad(
            phrase,
            f"{word!r} is no word (letters and digits, inside also ' - . and the like, at the end also *)",
        )
    if word.endswith("*"):
        return rf"{re.escape(word[:-1])}{_LETTER}*+"
    end = rf"(?:(?!{_LETTER})|(?=n't))" if word in _TAKES_NOT else rf"(?!{_LETTER})"
    if word in _CONTRACTED:
        return rf"(?:{word}{end}|{_CONTRACTED[word]}(?!{_LETTER}))"
    return re.escape(word) + end


def _words(words: list[str], phrase: str) -> str:
    """The pattern of words in a row."""
    parts = [_word(words[0], phrase)]
    if words[:2] == ["has", "been"]:
        parts = [rf"(?:has(?!{_LETTER})|(?<=')s(?!{_LETTER}))"]
    for word in words[1:]:
        parts.append(
            rf"(?:n't(?!{_LETTER})|{_JOIN}not(?!{_LETTER}))" if word == "not" else _JOIN + _word(word, phrase)
        )
    return "".join(parts)


def _anchor(word: str) -> str:
    """Letters that stand in every text in which the word does, written in full or contracted."""
    return word[-2:] if word in _CONTRACTED else "n" if word == "not" else word.rstrip("*")


def _bad(phrase: str, reason: str) -> BadPhrase:
    return BadPhrase(f"phrase {phrase!r}: {reason}")
