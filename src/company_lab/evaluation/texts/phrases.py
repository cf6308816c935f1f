"""Phrases: the small patterns by which a world declares how something is said.

| written | matches |
|---|---|
| `fully settled` | these words, whole, in this order |
| `(is\\|was\\|has been) settled` | one of the alternatives |
| `is [now] settled` | with or without the word |
| `refund*` | any word that begins so, the word itself included |
| `refund ... made` | up to six words in between, in the same clause |

Matching is done on the text as people read it (see `reading`), across line breaks inside a sentence, Markdown emphasis
and quotes, but never across a comma, a full stop or another mark that ends a clause. Groups do not nest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from company_lab.evaluation.texts.findings import Span
from company_lab.evaluation.texts.folding import fold
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
_PART = re.compile(r"\.\.\.|\([^()\[\]]*\)|\[[^()\[\]]*\]|[^\s()\[\]]+")
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
    regex: re.Pattern[str]
    anchors: tuple[str, ...]
    """One of these occurs in every text that the pattern matches."""
    negative: bool


@dataclass(frozen=True, slots=True)
class Phrases:
    """Compiled phrases; built by `compile_phrases`."""

    sources: tuple[str, ...]
    _patterns: tuple[_Pattern, ...]
    _anchors: tuple[str, ...]

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
    for match in pattern.regex.finditer(folded):
        if "\n" in match.group() and _PARAGRAPH.search(match.group()):
            continue
        gaps = tuple(match.span(group) for group in range(1, pattern.regex.groups + 1) if match.group(group))
        yield Mention(match.start(), match.end(), gaps, pattern.negative)


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
    return Phrases(phrases, patterns, tuple(anchors))


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
    for part in parts:
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
        body = "|".join(_BETWEEN.join(_word(word, phrase) for word in words) for words in alternatives)
        lead = (_GAP if pending_gap else "") + (_BETWEEN if needs_space else "")
        if part[0] == "[":
            if pending_gap:
                raise _bad(phrase, "an optional word can not follow a gap")
            regex.append(rf"(?:{lead}(?:{body}))?" if needs_space else rf"(?:(?:{body}){_BETWEEN})?")
            continue
        regex.append(rf"{lead}(?:{body})")
        needs_space = True
        pending_gap = False
        candidates.append(tuple(max((word.rstrip("*") for word in words), key=len) for words in alternatives))
    if pending_gap:
        raise _bad(phrase, "a gap needs a word that must occur on both sides")
    if not candidates:
        raise _bad(phrase, "at least one word must not be optional")
    if gaps > _MOST_GAPS:
        raise _bad(phrase, f"{gaps} gaps; at most {_MOST_GAPS} are allowed")
    anchors = max(candidates, key=lambda words: min(map(len, words)))
    first = re.split(r"[\s|]", parts[0].strip("([])"))[0]
    return _Pattern(
        re.compile(rf"(?<!{_LETTER}){''.join(regex)}(?!{_LETTER})"),
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
    return rf"{re.escape(word)}(?!{_LETTER})"


def _bad(phrase: str, reason: str) -> BadPhrase:
    return BadPhrase(f"phrase {phrase!r}: {reason}")
