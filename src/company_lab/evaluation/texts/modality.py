"""Rules about what is not, not yet, not wholly or not surely so: conditions, the future, parts, hedges."""

from __future__ import annotations

from company_lab.evaluation.texts import lexicon
from company_lab.evaluation.texts.findings import Ruling
from company_lab.evaluation.texts.negation import starts_anew
from company_lab.evaluation.texts.sentences import Sentence

_NEAR = 4
"""Words between a condition and what depends on it, up to which they belong together."""
_PROGRESS = frozenset(("going", "about", "due", "being"))


def _is_past(words: list[str]) -> bool:
    return any(word in lexicon.PAST or (word.endswith("ed") and len(word) > 4) for word in words)


def _is_gerund(first: list[str]) -> bool:
    return first != [] and first[0].endswith("ing") and not first[0].endswith("thing")


def condition(sentence: Sentence) -> Ruling | None:
    """ "once the refund is made", "if it is settled", "should the refund be made"."""
    local = sentence.local
    if any(word in lexicon.CONDITIONS for word in sentence.gap):
        return "no", "conditional"
    if local and local[0] == "should" and not sentence.is_question:
        return "no", "conditional: 'should ...'"
    for index in range(len(local) - 1, -1, -1):
        word = local[index]
        timed = word in lexicon.TIME_CONDITIONS
        if not timed and word not in lexicon.CONDITIONS:
            continue
        between = local[index + 1 :]
        if word == "onlyif":
            return "no", "holds under one condition alone"
        if any(token in ("and", "und", "et") for token in between):
            return "unclear", f"{word!r} stands before an 'and'"
        past = any(token in lexicon.PAST for token in between + sentence.inside)
        if (timed or word == "once") and past:
            return "unclear", f"{word!r} with something past"
        if timed and _is_gerund(between[:1]):
            return None
        if len(between) > _NEAR:
            return "unclear", f"{word!r} stands far away"
        return "no", f"depends on {word!r}"
    return _condition_before_comma(sentence)


def _condition_before_comma(sentence: Sentence) -> Ruling | None:
    for piece in sentence.clause[:-1]:
        for index, word in enumerate(piece[:3]):
            if word in lexicon.CONDITIONS:
                return "unclear", f"{word!r} in an earlier clause"
            factual = _is_past(piece) or _is_gerund(piece[index + 1 : index + 2])
            if word in lexicon.TIME_CONDITIONS and not factual:
                return "unclear", f"{word!r} in an earlier clause"
    return None


def later_condition(sentence: Sentence) -> Ruling | None:
    """ "is settled once the money arrives": a condition that follows."""
    pieces = [sentence.after]
    rest = sentence.right[len(sentence.after) :]
    if rest[:1] == [","]:
        pieces.append(rest[1:2])
    for piece in pieces:
        for word in piece:
            if word == "onlyif":
                return "no", "holds under one condition alone"
            if word in lexicon.CONDITIONS:
                return "unclear", f"followed by {word!r}"
            if word in lexicon.TIME_CONDITIONS and not any(
                token in lexicon.PERFECT for token in sentence.local[-3:] + sentence.inside + sentence.gap
            ):
                return "unclear", f"followed by {word!r}"
    return None


def requirement(sentence: Sentence) -> Ruling | None:
    """ "express is required for a guaranteed delivery", "a guaranteed delivery costs more": only described."""
    if any(word in lexicon.LINKS for word in sentence.inside):
        return None
    local = sentence.local
    for index in range(len(local) - 1, -1, -1):
        if local[index] == "that" or (local[index] in lexicon.AND_WORDS and starts_anew(local[index + 1 :])):
            break
        if local[index] in lexicon.REQUIRED and any(
            word in ("for", "to", "f\u00fcr", "zu") for word in local[index + 1 :]
        ):
            return "no", f"what something is {local[index]!r} for"
    for word in sentence.after[:4]:
        if word in lexicon.ASKS_FOR:
            return "no", f"described with what it {word}"
        if word in lexicon.LINKS:
            break
    if local[-1:] in (["a"], ["an"], ["any"]):
        return "unclear", "any one, not this one"
    return None


def future(sentence: Sentence) -> Ruling | None:
    """ "will be refunded", "is being refunded", "is to be refunded"; and, unclear, "can be refunded"."""
    rulings = [ruling for word in sentence.gap if (ruling := _not_yet(word)) is not None]
    if rulings:
        return next((ruling for ruling in rulings if ruling[0] == "no"), rulings[0])
    if "to" in sentence.gap and sentence.gap[-1] == "be":
        return "no", "not yet: 'to be'"
    local = sentence.local
    if "werden" in sentence.after[:3]:
        return "no", "not yet: 'werden'"
    if local[-1:] == ["being"]:
        return "no", "not yet: 'being'"
    if _wants_done(local):
        return "no", "what somebody may have done"
    for index in range(len(local) - 1, max(-1, len(local) - 7), -1):
        word = local[index]
        ruling = None if word in _PROGRESS else _not_yet(word)
        if ruling is not None:
            return ruling
        if word == "to" and (index == 0 or local[index - 1] != "able"):
            soon = index > 0 and local[index - 1] in _PROGRESS
            return (
                ("no", "not yet: 'to'")
                if soon or local[index + 1 :][:1] == ["be"]
                else ("unclear", "after 'to'")
            )
        if word not in lexicon.BETWEEN_MODAL_AND_VERB and not word.endswith("ly"):
            inverted = _not_yet(local[index - 1]) if index and word in lexicon.PERSONS else None
            return inverted or _distant_future(local[: index + 1]) or _wish(local)
    return None


def _wants_done(local: list[str]) -> bool:
    """ "you can have the balance paid off", "if you want to get it settled"."""
    for index, word in enumerate(local[1:-1], 1):
        if word in ("have", "get") and local[index + 1] in lexicon.DETERMINERS:
            before = local[max(0, index - 3) : index]
            if any(token == "to" or _not_yet(token) is not None for token in before):
                return not any(token == "that" or token in lexicon.LINKS for token in local[index + 1 :])
    return False


def _wish(local: list[str]) -> Ruling | None:
    """ "we ask that the order be refunded", "to have the invoice settled, please ..."."""
    if local[-1] == "be":
        return "no", "wished for: 'be' without a finite verb"
    if local[0] == "to" and local[1:2] and local[1] not in lexicon.SUBJECTS:
        return "no", "a purpose: 'to ...'"
    return None


def _not_yet(word: str) -> Ruling | None:
    if word in lexicon.FUTURE or word == "being" or word.endswith("'ll"):
        return "no", f"not yet: {word!r}"
    if word in lexicon.DOUBTFUL_MODALS or word.endswith("'d"):
        return "unclear", f"not certain: {word!r}"
    return None


def _distant_future(words: list[str]) -> Ruling | None:
    """ "We will make sure that the invoice is settled"."""
    for index in range(len(words) - 1, -1, -1):
        word = words[index]
        if word in lexicon.AND_WORDS and starts_anew(words[index + 1 :]):
            return None
        if word in lexicon.VERB_LAST:
            return "no", f"not yet: {word!r}"
        if word in ("will", "shall", "would") or word in lexicon.VERB_LAST_DOUBTFUL or word.endswith("'ll"):
            return "unclear", f"{word!r} earlier in the clause"
    return None


def part(sentence: Sentence) -> Ruling | None:
    """ "partially settled", "settled in part": less than the claim."""
    near = sentence.local[-2:] + sentence.gap + [word for word in sentence.after[:2] if word != "("][:1]
    for word in near:
        if word in lexicon.PARTIAL:
            return "no", f"only {word!r}"
    if sentence.after[:2] == ["in", "part"]:
        return "no", "only in part"
    return None


def hedge(sentence: Sentence) -> Ruling | None:
    """ "I think it is settled", "it is settled, as far as I can see"."""
    local = sentence.local
    words = local
    for index in range(len(local) - 1, -1, -1):
        if local[index] in ("and", "und", "et") and starts_anew(local[index + 1 :] + sentence.inside):
            words = local[index + 1 :]
            break
    rest = sentence.right[len(sentence.after) :]
    aside = rest[1:7] if rest[:1] in ([","], ["("]) else []
    short = [word for piece in sentence.clause[:-1] if len(piece) <= 5 for word in piece]
    for word in (*words, *sentence.gap, *sentence.after[:3], *short, *aside):
        if word in lexicon.HEDGES:
            return "unclear", f"hedged with {word!r}"
    wide = " ".join((*short, *words, "/", *sentence.after, "/", *aside))
    for hedging in ("as far as", "looks like", "to my knowledge", "not sure", "supposed to", "so that"):
        if hedging in wide:
            return "unclear", f"hedged with {hedging!r}"
    return None
