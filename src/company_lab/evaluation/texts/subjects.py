"""Rules about whom and what a sentence is about: other people's deeds, things in general, all but some."""

from __future__ import annotations

import re

from company_lab.evaluation.texts import lexicon
from company_lab.evaluation.texts.findings import Ruling
from company_lab.evaluation.texts.sentences import Sentence

_OTHERS = lexicon.words(
    "you he she they customer client supplier bank carrier sender sie er kunde kundin lieferant"
)
_POSSESSIVES = lexicon.words("his her their your ihre seine")
_LETTERS = lexicon.words("mail email e-mail message letter nachricht")
_GONE_OUT = lexicon.words("sent out to gesendet verschickt versandt geschickt")
_BY_OTHERS = re.compile(
    r"\s+(?:by|von|vom) (?:(?:the|a|an|her|his|their|your|another|der|dem|den|ihrer|seiner|einem) )?(?:\w+ )?"
    r"(?:customers?|clients?|suppliers?|banks?|carriers?|senders?|servers?|machines?|somebody|someone|you|him|them"
    r"|kund\w+|lieferant\w*|absender\w*|ihnen)\b(?! (?:team|account|details|transfer|card))"
)
_EXCEPTION = re.compile(
    r"\b(?:except|excepting|apart from|aside from|other than|save for|with the exception of"
    r"|bis auf|au\u00dfer|ausser|abgesehen von|mit ausnahme)\b"
    r"|(?<!,) but (?:for |the |one|two|three|four|five|[a-z]{1,4}-?[0-9])|, but (?:for|not|one|two|three|the one)\b"
)
_GENERAL = frozenset(("a", "an", "any", "every", "each", "ein", "eine", "jede", "jeder", "jedes"))
_RELATIVE = frozenset(("that", "which", "who"))
_ABOUT = frozenset(("about", "regarding", "concerning"))
_COMPOUND = frozenset(("payment", "transfer", "deposit", "refund", "order", "delivery", "quote", "reminder"))
_COMPOUND_HEADS = lexicon.words(
    "reminder reminders request requests advice details method methods plan plans proposal proposals question "
    "questions enquiry enquiries terms notice schedule date dates form forms policy"
)


def done_by_others(sentence: Sentence) -> Ruling | None:
    """ "you cancelled the order", "a case was opened by the customer", "their mail was sent": not our doing."""
    inside, local = sentence.inside, sentence.local
    if not inside:
        return None
    doer = _BY_OTHERS.match(sentence.folded, sentence.mention.end, sentence.end)
    if doer is not None and "by" not in inside:
        # what a bank or a carrier did may still be what the claim is about
        ours = any(word in doer.group() for word in ("bank", "carrier", "supplier", "lieferant"))
        return "unclear" if ours else "no", "done by somebody else"
    if local[-1:] and local[-1] in _POSSESSIVES and inside[0] in _LETTERS and inside[-1] in _GONE_OUT:
        return "unclear", f"{local[-1]} {inside[0]}, not ours"
    if inside[-1] == "to" and sentence.after[:1] in (["us"], ["me"]):
        return "unclear", "done to us"
    active = inside[0].endswith("ed") or inside[0] in ("sent", "wrote", "paid", "gave", "took")
    if active and local and local[-1] in _OTHERS and _begins(local):
        return "unclear", f"what {local[-1]} did"
    goes_on = active and len(local) > 1 and local[-1] in lexicon.AND_WORDS and local[0] in _OTHERS
    if goes_on and not any(word in lexicon.PERSONS for word in local[1:]):
        return "unclear", f"what {local[0]} did"
    return None


def _begins(local: list[str]) -> bool:
    """Whether the last of these words is the subject of what follows."""
    ahead = local[:-1]
    if ahead[-1:] and ahead[-1] in lexicon.DETERMINERS:
        ahead = ahead[:-1]
    return (
        not ahead or ahead[-1] in lexicon.AND_WORDS or ahead[-1] in ("that", "as", "because", "when", "since")
    )


def exception(sentence: Sentence) -> Ruling | None:
    """ "all reminders were sent except one", "everything but one piece has arrived": not all."""
    if sentence.inside[:1] and sentence.inside[0] in lexicon.WHOLES:
        found = _EXCEPTION.search(sentence.folded, sentence.mention.start, sentence.end)
        if found is not None:
            return "no", f"all, {found.group().strip(' ,')!r}"
    following = next(iter(sentence.after), "")
    some = following in _RELATIVE or following in ("i", "we", "whom")
    if some and sentence.inside[-1:] and sentence.inside[-1] in lexicon.WHOLES:
        return "unclear", f"only of those '{following} ...'"
    return None


def in_general(sentence: Sentence) -> Ruling | None:
    """ "a charge that has been refunded", "only approved amounts are refunded", "your payment reminder"."""
    local, after = sentence.local, sentence.after
    if (
        after[:1]
        and after[0] in _COMPOUND_HEADS
        and sentence.inside[-1:]
        and sentence.inside[-1] in _COMPOUND
    ):
        return "no", f"only part of {after[0]!r}"
    if after[:1] in (["seriously"], ["ernst"]) and "take" in sentence.inside:
        return "no", "only taken seriously"
    gap = sentence.gap
    if gap[-1:] and gap[-1] in _RELATIVE:
        return "unclear", "only describes which one"
    if len(gap) > 1 and gap[-1] in lexicon.DETERMINERS and gap[-2] in _ABOUT:
        return "no", f"only {gap[-2]!r} it"
    words = local + sentence.inside
    for index in range(1, len(local)):
        if local[index] in _RELATIVE and _GENERAL & {*local[max(0, index - 3) : index]}:
            between = words[index + 1 : len(local)]
            if all(word in lexicon.LINKS or word.endswith("ly") for word in between):
                return "unclear", "said of any one that is so"
    if local[:1] in (["only"], ["nur"]) and words[len(local) - 1] in ("is", "are", "ist", "sind"):
        named = any(word in lexicon.DETERMINERS - _GENERAL or not word.isalpha() for word in local[1:3])
        if not named and len(local) > 2:
            return "no", "a rule about what alone is"
    return None
