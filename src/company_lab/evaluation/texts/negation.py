"""Rules about negation: in the clause, in an answer after a colon, doubled, or left open by a comma."""

from __future__ import annotations

from company_lab.evaluation.texts import lexicon
from company_lab.evaluation.texts.findings import Ruling
from company_lab.evaluation.texts.sentences import Sentence, tokens

_FAR = 7
"""Words between a negation and what it negates, beyond which nobody should be sure."""
_ADVERBIAL = frozenset(("without", "ohne", "sans"))
"""Beside another negation they only describe the circumstances."""
_PERCEIVED = frozenset(("see", "sees", "saw", "find", "finds", "found", "show", "shows"))
_ANSWERED = frozenset((":", "=", "|", "?", "-", "--", "("))
_SO_FAR = frozenset(("visible", "yet", "until", "up", "far", "in", "on", "recorded", "listed"))


def negative_answer(sentence: Sentence) -> Ruling | None:
    """ "Refunded: none", "Refund made - no", "We refunded nothing"."""
    right = sentence.right
    if not right:
        return None
    first = right[0]
    if first not in _ANSWERED and (":" in right[:4] or "=" in right[:4]):
        right = right[next(index for index, token in enumerate(right) if token in (":", "=")) :]
        first = right[0]
    if first in _ANSWERED:
        answer = right[1] if right[1:] not in ([], ["\n"]) else _answer_on_next_line(sentence)
        if answer == "_" or (answer in lexicon.NEGATIVE_ANSWERS) or _is_zero(answer):
            return "no", f"answered with {answer!r}"
        return None
    if first in lexicon.NEGATIVE_OBJECTS:
        return "no", f"followed by {first!r}"
    if first == "not" or "pending" in sentence.after[:2]:
        return "unclear", f"followed by {first!r}"
    for index, token in enumerate(sentence.after):
        if token in lexicon.LATE_NEGATIONS:
            return "unclear", f"{token!r} later in the clause"
        if token in ("is", "was", "isn't", "wasn't") and any(
            word in ("not", "untrue", "false", "wrong", "incorrect", "true", "correct")
            for word in sentence.after[index + 1 : index + 3]
        ):
            return "unclear", "called true or false in the same clause"
    return None


def _answer_on_next_line(sentence: Sentence) -> str:
    words = tokens(sentence.folded[sentence.end : sentence.end + 40])
    return next((word for word in words if word not in ("-", "\n", "*")), "")


def _is_zero(token: str) -> bool:
    return token[:1] == "0" and not token.strip("0.,")


def negations(words: list[str]) -> list[int]:
    """Where negations stand; a chain such as "neither ... nor" or "not ... nor" counts once, at its end."""
    found: list[int] = []
    for index, word in enumerate(words):
        following = words[index + 1] if index + 1 < len(words) else ""
        if (
            word in lexicon.NEGATIONS
            or word.endswith("n't")
            or (following == "to" and word in lexicon.NEGATIVE_BEFORE_TO)
            or (following == "that" and word in lexicon.NEGATIVE_BEFORE_THAT)
            or (word, following) in lexicon.NEGATIVE_PAIRS
        ):
            if word in ("nor", "ni") or (found and words[found[-1]] in ("neither", "weder", "ni")):
                found = found[:-1]
            found.append(index)
    if len(found) > 1:
        found = [index for index in found if words[index] not in _ADVERBIAL]
    return found


def negated(sentence: Sentence) -> Ruling | None:
    """A negation that reaches the mention, or may."""
    in_gap = negations(sentence.gap)
    local = sentence.local
    before = negations(local)
    if len(before) + len(in_gap) > 1:
        return "unclear", "more than one negation"
    if in_gap:
        return "no", f"negated by {sentence.gap[in_gap[0]]!r}"
    if before:
        return _reach(sentence, before[0])
    if sentence.mention.negative and local and local[-1] in _PERCEIVED:
        return "no", "only says what was seen"
    if sentence.mention.negative and any(word in _SO_FAR for word in sentence.right[:3]):
        return "unclear", "only says what was seen so far"
    if any(lexicon.HALF_NEGATIONS.fullmatch(word) for word in local[-4:]):
        return "unclear", "half of a French negation"
    return _carried_over(sentence)


def _reach(sentence: Sentence, place: int) -> Ruling | None:
    """Whether the negation at `place` of the local words reaches the mention."""
    word = sentence.local[place]
    between = sentence.local[place + 1 :]
    joint = max((index for index, token in enumerate(between) if token in ("and", "und", "et")), default=-1)
    if joint >= 0:
        if "that" in between[:joint] or not starts_anew(between[joint + 1 :] + sentence.inside):
            return "unclear", f"{word!r} stands before an 'and'"
        return None
    for index, token in enumerate(between):
        if token in lexicon.RELATIVES or (
            token == "that"
            and index > 0
            and between[index - 1] not in lexicon.COMPLEMENT
            and between[index - 1] != "_tell"
        ):
            return "unclear", f"{word!r} stands outside a relative clause"
    if len(between) > _FAR:
        return "unclear", f"{word!r} stands far away"
    return "no", f"negated by {word!r}"


def starts_anew(words: list[str]) -> bool:
    """Whether words after an "and" form a clause of their own: a subject or a finite verb stands among
    them."""
    return any(
        word in lexicon.LINKS or word in lexicon.SUBJECTS or word.endswith(("'s", "'ve")) for word in words
    )


def _not_known(words: list[str]) -> bool:
    """ "Ich kann nicht best\u00e4tigen": German has a comma before what English says without one."""
    return (
        len(negations(words)) == 1
        and negations(words)[0] == len(words) - 2
        and words[-1] in lexicon.GERMAN_COMPLEMENT
        and any(word in lexicon.GERMAN_ABLE for word in words)
    )


def _carried_over(sentence: Sentence) -> Ruling | None:
    """A negation before a comma or a stronger break that may still hold after it."""
    earlier = [piece for piece in sentence.clause[:-1] if piece]
    for index, piece in enumerate(earlier):
        places = negations(piece)
        if (
            places
            and places[-1] == len(piece) - 1
            and not (index == 0 and len(piece) == 1 and piece[0] in ("no", "nein", "non"))
        ):
            return "unclear", f"{piece[-1]!r} is left open before a comma"
    local = sentence.local
    if local[:1] == ["dass"] and earlier and _not_known(earlier[-1]):
        return "no", f"nobody could say so: {earlier[-1][-1]!r}"
    continues = local[:1] and local[0] in ("that", "whether", "dass", "que")
    goes_on = continues or all(word in lexicon.AND_WORDS or word in ("nor", "then", "also") for word in local)
    if goes_on and any(negations(piece) for piece in earlier):
        return "unclear", "a negation before the comma may still hold"
    if negations([sentence.before_break]):
        return "unclear", f"{sentence.before_break!r} is left open before a break"
    return None
