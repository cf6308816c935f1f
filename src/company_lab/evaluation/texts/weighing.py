"""Every place where phrases stand is judged by its sentence; the strongest decision counts for the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from company_lab.evaluation.texts.findings import Decision, Finding, Ruling
from company_lab.evaluation.texts.languages import foreign
from company_lab.evaluation.texts.phrases import MOST_MENTIONS, Phrases, compile_phrases
from company_lab.evaluation.texts.reading import Reading, read
from company_lab.evaluation.texts.sentences import Sentence, sentence_around

_LONGEST_CLAUSE = 300
_FURTHER = re.compile(r";|,\s+(?:and|but|while|whereas|und|aber|sondern)\b|\s-\s")


Judge = Callable[[Sentence], Ruling]
_Judged = tuple[Decision, str, Sentence]
_TOO_MANY = "more places than are looked at"


def weigh(
    text: str,
    phrases: Phrases | tuple[str, ...],
    judge: Judge,
    nothing: Finding,
    languages: tuple[str, ...] | None,
) -> Finding:
    """The first place judged `yes`, without one the first `unclear`, then the first `no`, and else `nothing`.

    A text with more than `MOST_MENTIONS` places is unclear unless one of those looked at says `yes`. In place of a
    `no` a sentence that is written in none of `languages` makes it unclear; None takes the phrases to cover every text.
    """
    finding = _strongest(text, phrases, judge) or nothing
    return (_unread(text, languages) or finding) if finding.decision == "no" else finding


def _strongest(text: str, phrases: Phrases | tuple[str, ...], judge: Judge) -> Finding | None:
    compiled = phrases if isinstance(phrases, Phrases) else compile_phrases(phrases)
    reading = read(text)
    if not compiled.occur_in(reading.folded):
        return None
    weaker: _Judged | None = None
    for decision, why, sentence in _judged(reading.folded, compiled, judge):
        if decision == "yes":
            return _located(reading, [(decision, why, sentence)])[0]
        if weaker is None or (decision == "unclear" and (weaker[0] == "no" or why == _TOO_MANY)):
            weaker = decision, why, sentence
    return None if weaker is None else _located(reading, [weaker])[0]


def weigh_each(
    text: str, phrases: Phrases | tuple[str, ...], judge: Judge, languages: tuple[str, ...] | None
) -> tuple[Finding, ...]:
    """Every place judged `yes` or `unclear`, in order; as `weigh` for texts with too many places."""
    compiled = phrases if isinstance(phrases, Phrases) else compile_phrases(phrases)
    reading = read(text)
    if compiled.occur_in(reading.folded):
        made = [judged for judged in _judged(reading.folded, compiled, judge) if judged[0] != "no"]
        if made:
            return tuple(_located(reading, made))
    doubt = _unread(text, languages)
    return () if doubt is None else (doubt,)


def _unread(text: str, languages: tuple[str, ...] | None) -> Finding | None:
    """Doubt about a text of which a sentence is written in none of `languages`."""
    place = None if languages is None else foreign(text, languages)
    if place is None:
        return None
    start, end, language = place
    return Finding(
        decision="unclear",
        start=start,
        end=end,
        clause=text[start:end].strip()[:_LONGEST_CLAUSE],
        why=f"written in {language}, which the phrases do not cover",
    )


def _judged(folded: str, phrases: Phrases, judge: Judge) -> Iterator[_Judged]:
    for place, mention in enumerate(phrases.mentions(folded)):
        sentence = sentence_around(folded, mention)
        if place == MOST_MENTIONS:
            yield "unclear", _TOO_MANY, sentence
            return
        yield *judge(sentence), sentence


def _located(reading: Reading, judged: list[_Judged]) -> list[Finding]:
    """The findings with their places in the text as it was written."""
    edges = [_edges(sentence) for _, _, sentence in judged]
    places = sorted({place for four in edges for place in four})
    original = reading.places(places)
    return [
        Finding(
            decision=decision,
            start=original[start],
            end=original[end],
            clause=reading.text[original[first] : original[last]].strip(),
            why=why,
            about=_about(reading.text, original[first], original[end], original[last]),
        )
        for (decision, why, _), (first, start, end, last) in zip(judged, edges, strict=True)
    ]


def _about(text: str, first: int, end: int, last: int) -> str:
    further = _FURTHER.search(text, end, last)
    return text[first : further.start() if further else last].strip()


def _edges(sentence: Sentence) -> tuple[int, int, int, int]:
    mention = sentence.mention
    first = max(sentence.start, mention.start - _LONGEST_CLAUSE)
    last = max(mention.end, min(sentence.end, mention.end + _LONGEST_CLAUSE))
    return first, mention.start, mention.end, last
