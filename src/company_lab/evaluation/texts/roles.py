"""Which amount plays a role: the one next to "refund", not the one next to "charge".

Next to means: the nearest amount on either side of the role's phrase in the same sentence, with nothing
but linking words between ("refund of", "refund:", "was refunded"). If one on each side is linked, "for"
leads on to another thing ("860.00 EUR came in for 860.00 CHF"); otherwise, if they differ, or if other words
stand between and the clause holds amounts that differ, it is unclear. An amount next to the role that can not
be read is unclear, never replaced by another number; a negated role ("we did not refund 10 EUR") is unclear as
well. Where the role is not named beside any amount, the amount elsewhere in the text is unclear.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import islice

from company_lab.evaluation.texts import negation
from company_lab.evaluation.texts.amounts import Amount
from company_lab.evaluation.texts.findings import Decision
from company_lab.evaluation.texts.folding import fold_characters
from company_lab.evaluation.texts.lexicon import words
from company_lab.evaluation.texts.phrases import MOST_MENTIONS, compile_phrases
from company_lab.evaluation.texts.reading import read
from company_lab.evaluation.texts.sentences import Sentence, sentence_around, tokens

_LINKING = words(
    "of is was were are be been has have had will the a an your our this to for in with over at total "
    "amount amounts sum only just now still already also totalling totals value worth made issued paid back "
    "you him her them _ von \u00fcber h\u00f6he betr\u00e4gt noch bereits sind war ist wurde wurden werden "
    "de du est sont a \u00e9t\u00e9 d'un montant ( ) : = | -"
)
_BREAK = re.compile(r"[,;](?=\s)|\s-+\s")
_UNREADABLE = re.compile(
    r"(?:[\s:=*_\\]|\b(?:of|is|was|will be|amounts to|over|von|de)\b)*"
    r"(?:[$\u00a3\u20ac\u00a5]|[0-9][0-9.,']*[^\W\d]|[0-9][0-9.,']*\s*(?:[.;!?\n]|$))"
)


def decide_in_role(
    text: str, amounts: Sequence[Amount], role_phrases: tuple[str, ...], decide: Callable[[Amount], Decision]
) -> Decision:
    """The decision about the amount in the role; `decide` judges one amount. Raises `BadPhrase`."""
    mentioned = _mentioned(text, amounts, role_phrases)
    decisions: set[Decision] = set()
    for sentence, start, end, near in mentioned:
        decision = _beside(text, start, end, near, decide)
        if decision is not None and negation.negated(sentence) is not None:
            decision = "unclear"
        if decision is not None:
            decisions.add(decision)
    if len(mentioned) == MOST_MENTIONS and "yes" not in decisions:
        return "unclear"
    if decisions:
        return "yes" if "yes" in decisions else "unclear" if "unclear" in decisions else "no"
    return "no" if all(decide(amount) == "no" for amount in amounts) else "unclear"


def in_role(text: str, amounts: Sequence[Amount], role_phrases: tuple[str, ...]) -> list[Amount]:
    """The amounts that `text` plainly puts in a role: linked with one of its phrases, and with no other number.

    Raises `BadPhrase`.
    """
    found: list[Amount] = []
    for sentence, start, end, near in _mentioned(text, amounts, role_phrases):
        if negation.negated(sentence) is not None:
            continue
        beside = linked_amounts(text, start, end, near)
        if len(beside) == 1 and beside[0] not in found:
            found.append(beside[0])
    return found


def _mentioned(
    text: str, amounts: Sequence[Amount], role_phrases: tuple[str, ...]
) -> list[tuple[Sentence, int, int, Sequence[Amount]]]:
    """Where the role is named: the sentence, both ends of the phrase in `text`, and the amounts of that sentence."""
    reading = read(text)
    sentences = [
        sentence_around(reading.folded, mention)
        for mention in islice(compile_phrases(role_phrases).mentions(reading.folded), MOST_MENTIONS)
    ]
    original = reading.places(sorted({place for sentence in sentences for place in _places(sentence)}))
    starts = [amount.start for amount in amounts]
    found: list[tuple[Sentence, int, int, Sequence[Amount]]] = []
    for sentence in sentences:
        first, start, end, last = (original[place] for place in _places(sentence))
        near = amounts[bisect_left(starts, first) : bisect_left(starts, last)]
        found.append((sentence, start, end, near))
    return found


def linked_amounts(text: str, start: int, end: int, near: Sequence[Amount]) -> list[Amount]:
    """Of amounts in order: those inside the words from `start` to `end`, or else the linked ones on either side."""
    inside = [amount for amount in near if start <= amount.start and amount.end <= end]
    if inside:
        return inside
    before = next((amount for amount in reversed(near) if amount.end <= start), None)
    after = next((amount for amount in near if amount.start >= end), None)
    if after is not None and is_linked(text[end : after.start]):
        return [after]
    return [before] if before is not None and is_linked(text[before.end : start]) else []


def _places(sentence: Sentence) -> tuple[int, int, int, int]:
    """Start of the sentence, start and end of the role, end of the sentence or of the line that a colon
    announces."""
    mention, end = sentence.mention, sentence.end
    if sentence.folded[mention.end : end].strip(" *_\n") in (":", ""):
        line = sentence.folded.find("\n", end + 1, end + 200)
        if sentence.folded[mention.end : end].strip(" *_\n"):
            end = line if line >= 0 else min(len(sentence.folded), end + 200)
    return sentence.start, mention.start, mention.end, end


def _beside(
    text: str, start: int, end: int, near: Sequence[Amount], decide: Callable[[Amount], Decision]
) -> Decision | None:
    before = next((amount for amount in reversed(near) if amount.end <= start), None)
    after = next((amount for amount in near if amount.start >= end), None)
    linked_before = before is not None and is_linked(text[before.end : start])
    linked_after = after is not None and is_linked(text[end : after.start])
    if not linked_after and _UNREADABLE.match(text, end, min(len(text), end + 60)):
        return "unclear"
    if linked_before and linked_after and after is not None and _leads_on(text[end : after.start]):
        linked_after = False
    if before is not None and after is not None and linked_before == linked_after:
        decisions = {decide(before), decide(after)}
        if not linked_before:
            decisions |= {decide(amount) for amount in _same_clause(text, start, end, near)}
        return decisions.pop() if len(decisions) == 1 else "unclear"
    chosen = after if linked_after or before is None else before if linked_before or after is None else None
    if chosen is None:
        return None
    decision = decide(chosen)
    if linked_before or linked_after:
        return decision
    others = {decide(amount) for amount in _same_clause(text, start, end, near)}
    return decision if others <= {decision} else "unclear"


def _leads_on(between: str) -> bool:
    """ "860.00 EUR came in for 860.00 CHF": what follows is another thing."""
    return tokens(fold_characters(between))[:1] in (["for"], ["against"], ["on"], ["instead"], ["f\u00fcr"])


def is_linked(between: str) -> bool:
    """Whether nothing but linking words stands between an amount and what it is about."""
    if len(between) > 120:
        return False
    return all(token in _LINKING for token in tokens(fold_characters(between)))


def _same_clause(text: str, start: int, end: int, near: Sequence[Amount]) -> list[Amount]:
    """The amounts not separated from the role by a comma or a stronger mark; all, if none is."""
    inside = [
        amount
        for amount in near
        if not _BREAK.search(text, *((amount.end, start) if amount.end <= start else (end, amount.start)))
    ]
    return inside or list(near)
