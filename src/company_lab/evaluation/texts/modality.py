"""Rules about what is not, not yet, not wholly or not surely so: conditions, the future, parts, hedges."""

from __future__ import annotations

from company_lab.evaluation.texts import lexicon
from company_lab.evaluation.texts.findings import Ruling
from company_lab.evaluation.texts.negation import starts_anew
from company_lab.evaluation.texts.sentences import Sentence

_NEAR = 4
"""Words between a condition and what depends on it, up to which they belong together."""
_NARROWING = frozenset(("with", "if", "when", "once", "after", "under", "mit", "wenn", "bei"))
_LINKS_ON = frozenset((",", "-", "--", ";", "but", "and", "though", "however", "aber", "und"))
_PERFORMED = ("guarant", "promis", "garant", "zugesagt", "versproch")
_PROMISED_IF = frozenset(("if", "once", "wenn", "falls", "sobald"))
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
    if _is_inverted(local) and not sentence.is_question:
        return "no", f"conditional: '{local[0]} ...'"
    if any(word in lexicon.TIME_CONDITIONS for word in sentence.gap):
        return "no", "part of another clause"
    if local[:1] and local[0] in lexicon.ORDERING and sentence.clause[0] is local and "and" in local:
        return "unclear", "'do this and ...'"
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
        if word in _PROMISED_IF and any(
            token in ("will", "werden") or token.endswith("ll") for token in sentence.inside
        ):
            return "unclear", f"promised under a condition: {word!r}"
        return "no", f"depends on {word!r}"
    return _condition_before_comma(sentence)


def _is_inverted(words: list[str]) -> bool:
    """ "should you book", "had we refunded it", "were it paid"."""
    if words[:1] == ["should"]:
        return True
    return words[:1] in (["had"], ["were"]) and (words[1:2] == [] or words[1] in lexicon.SUBJECTS)


def _condition_before_comma(sentence: Sentence) -> Ruling | None:
    for piece in sentence.clause[:-1]:
        if _is_inverted(piece) and len(piece) > 1:
            return "unclear", f"'{piece[0]} ...' in an earlier clause"
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
    if _holds_only(sentence, rest):
        return "no", "holds under one condition alone"
    if rest[:1] == [","]:
        pieces.append(rest[1:2])
    if _comes_with(sentence):
        return "unclear", "with something else, which may be the condition"
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


def _holds_only(sentence: Sentence, rest: list[str]) -> bool:
    """ "we only guarantee it with express", "with express only", ", but only with express"."""
    after, near = sentence.after, sentence.local[-3:] + sentence.gap
    narrowed = any(word in _NARROWING for word in after)
    if narrowed and any(word in ("only", "nur") for word in after):
        return True
    if narrowed and any(word in ("only", "nur") for word in near):
        return "can" in near or not any(word.endswith("ed") for word in sentence.inside[:1])
    further = next((word for word in rest if word not in _LINKS_ON), "")
    return further == "onlyif"


def _comes_with(sentence: Sentence) -> bool:
    """ "with express we can guarantee it", "express guarantees it": said of an offer, not of this order."""
    inside = sentence.inside
    if not any(word.startswith(_PERFORMED) for word in inside):
        return False
    opening = sentence.clause[0][:1]
    with_it = any(word in ("with", "mit") for word in (*opening, *sentence.right[:8]))
    return with_it or inside[0] in ("guarantees", "promises", "garantiert", "verspricht")


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
    if rulings and not any(word.startswith(_PERFORMED) for word in sentence.inside[:2]):
        return next((ruling for ruling in rulings if ruling[0] == "no"), rulings[0])
    if "to" in sentence.gap and sentence.gap[-1] == "be":
        return "no", "not yet: 'to be'"
    local = sentence.local
    if "werden" in sentence.after[:3] or sentence.after[:1] == ["wird"]:
        return "no", "not yet: 'werden'"
    if local[-1:] == ["being"]:
        return "no", "not yet: 'being'"
    if _wants_done(sentence):
        return "no", "what somebody may have done"
    if _is_scheduled(sentence):
        return "no", "not yet: only planned"
    if any(word in lexicon.ENABLING for word in local[-3:-1]) and local[-1] in ("us", "me", "to"):
        return "unclear", "only made possible"
    for index in range(len(local) - 1, max(-1, len(local) - 7), -1):
        word = local[index]
        ruling = None if word in _PROGRESS else _not_yet(word)
        if ruling is not None:
            if word.endswith("'d") and local[index + 1 :][:1] == ["have"]:
                return "no", f"only thought of: {word!r}"
            possible = word == "can" and local[index + 1 :][:1] == ["be"]
            return ("no", "only possible: 'can be'") if possible else ruling
        if word == "to" and local[max(0, index - 2) : index] == ["in", "order"]:
            return "no", "a purpose: 'in order to'"
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


def _wants_done(sentence: Sentence) -> bool:
    """ "you can have the balance paid off", "if you want to get it settled", "I wanted the charge refunded"."""
    local = sentence.local
    for index, word in enumerate(local[:-1]):
        if word in ("have", "get"):
            before = local[max(0, index - 3) : index]
            wanted = local[index + 1] in lexicon.DETERMINERS or local[index + 1][0].isdigit()
            meant = any(token == "to" or _not_yet(token) is not None for token in before)
        else:
            wanted = local[index + 1] in lexicon.DETERMINERS or local[index + 1][0].isdigit()
            meant = word in lexicon.WANTS
        if not wanted or not meant:
            continue
        rest = local[index + 1 :]
        finite = any(
            token == "that" or token in lexicon.LINKS or token in lexicon.AND_WORDS for token in rest
        )
        return not finite and rest[-1] not in lexicon.PERSONS - {"it"}
    return False


def _is_scheduled(sentence: Sentence) -> bool:
    """ "is refunded tomorrow", "are refunded within 14 days": the present of what is yet to come."""
    near = (*sentence.local[-3:], *sentence.gap, *sentence.inside)
    if any(word in lexicon.PERFECT - {"ist", "sind"} or word in lexicon.FUTURE for word in near):
        return False
    if not any(word in ("is", "are", "ist", "sind") for word in near) or any(
        word.startswith(_PERFORMED) for word in sentence.inside
    ):
        return False
    after = sentence.after
    return any(
        word in lexicon.SOON or (word == "within" and after[index + 1 :][:1] not in ([], ["the"], ["our"]))
        for index, word in enumerate(after)
    )


def _wish(local: list[str]) -> Ruling | None:
    """ "we ask that the order be refunded", "to have the invoice settled, please ..."."""
    if local[-1] == "be":
        return "no", "wished for: 'be' without a finite verb"
    begin = 2 if local[:3] == ["in", "order", "to"] else 0
    if local[begin] == "to" and local[begin + 1 :][:1] and local[begin + 1] not in lexicon.SUBJECTS:
        if any(word in ("i", "we", "they") for word in local[begin + 2 :]):
            return None
        return "no", "a purpose: 'to ...'"
    return None


def _not_yet(word: str) -> Ruling | None:
    if word in lexicon.COUNTERFACTUAL:
        return "no", f"only thought of: {word!r}"
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
    if "part" in sentence.after[1:4] and "in" in sentence.after[:3]:
        return "no", "only in part"
    if _is_all_of_it(sentence.after):
        return None
    paid = sentence.inside[-1:] in (["paid"], ["bezahlt"], ["gezahlt"])
    if sentence.inside[-2:] == ["paid", "up"] and sentence.after[:1] == ["to"]:
        return "no", "says how much was paid"
    if paid and sentence.after == ["100"]:
        return "unclear", "100 of what"
    if paid and (sentence.after[:2] == ["up", "to"] or (sentence.after and sentence.after[0][0].isdigit())):
        return "no", "says how much was paid"
    return None


def _is_all_of_it(after: list[str]) -> bool:
    """ "paid up to the last cent", "paid up to date", "paid 100 percent"."""
    rest = after[after[:1] == ["up"] :]
    if rest[:1] == ["to"]:
        return rest[1:2] == ["date"] or rest[1:3] in (["the", "last"], ["the", "final"], ["the", "full"])
    return rest[:1] == ["100"] and rest[1:2] in (["percent"], ["per"], ["prozent"])


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
