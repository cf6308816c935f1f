"""Rules about who says it: addresses, cited lines, questions, requests, quotations, attributions."""

from __future__ import annotations

import re

from company_lab.evaluation.texts import lexicon
from company_lab.evaluation.texts.findings import Ruling
from company_lab.evaluation.texts.negation import starts_anew
from company_lab.evaluation.texts.sentences import Sentence

_YES = re.compile(r"\s*(?:yes|yep|yeah|correct|indeed|ja|oui)\b")
_SEPARATE = frozenset((";", ":", "-", "--", "("))
_REASONS = frozenset(("as", "since", "because"))
_WRITINGS = frozenset(
    ("message", "mail", "email", "e-mail", "request", "note", "letter", "chat", "complaint", "ticket")
)
_OUR_OWN = frozenset(("system", "systems", "records", "record", "ledger", "books", "data", "policy", "terms"))
_NO_OBJECT = frozenset(("to", "us", "me", "about", "for", "earlier", "yesterday", "today", "before", "above"))


def in_address(sentence: Sentence) -> Ruling | None:
    """Part of a web or mail address."""
    return ("no", "part of an address") if sentence.is_in_address else None


def cited_line(sentence: Sentence) -> Ruling | None:
    """On a line that begins with ">"."""
    return ("no", "on a cited line") if sentence.is_cited_line else None


def question(sentence: Sentence) -> Ruling | None:
    """Asked, not said."""
    if not sentence.is_question:
        return None
    if _YES.match(sentence.folded, sentence.end, sentence.end + 40):
        return "unclear", "a question that is answered with yes"
    right = sentence.right
    for index, token in enumerate(right):
        if token in _SEPARATE and any(
            word in lexicon.QUESTION_STARTS for word in right[index + 1 : index + 2]
        ):
            return None
    first = next(iter(sentence.left), "") or (sentence.inside or [""])[0]
    if first in lexicon.QUESTION_STARTS:
        return "no", "a question"
    opening = (sentence.local + sentence.inside)[:1]
    if "," not in right or any(word in lexicon.QUESTION_STARTS for word in opening):
        return "no", "a question"
    return "unclear", "a statement in a sentence that ends as a question"


def request(sentence: Sentence) -> Ruling | None:
    """ "please confirm that it was refunded", "let me know that it is settled"."""
    local = sentence.local
    for index, word in enumerate(local):
        if word in ("please", "kindly", "bitte", "veuillez") or (
            word == "let" and local[index + 1 : index + 2] in (["me"], ["us"])
        ):
            rest = local[index : index + 4]
            if not any(token in lexicon.REQUESTS for token in rest):
                return None
            if any(token in _REASONS or token in lexicon.AND_WORDS for token in local[index + 1 :]):
                return "unclear", "after a request in the same clause"
            return "no", "asked for, not said"
    return None


def quotation(sentence: Sentence) -> Ruling | None:
    """Somebody else's words in quotation marks; one or two quoted words are only emphasis or a status."""
    quoted = sentence.quoted
    if not quoted:
        return None
    speaker = _speaker(sentence.left)
    if speaker == "second":
        return "no", "quotes the reader"
    if len(quoted.split()) <= 2 and speaker == "":
        return None
    return "unclear", "inside a quotation"


def attribution(sentence: Sentence) -> Ruling | None:
    """ "you say it is settled", "according to your mail it was refunded"."""
    local = sentence.local
    for index, word in enumerate(local):
        if word == "according" or word == "laut":
            return _according(local[index + 1 : index + 4])
    opening = next((piece for piece in sentence.clause if piece[:2] == ["according", "to"]), None)
    if opening is not None:
        return _according(opening[1:4])
    for index in range(len(local) - 1, -1, -1):
        if local[index] not in lexicon.SAYING:
            continue
        between = local[index + 1 :]
        if any(token in lexicon.AND_WORDS for token in between) and starts_anew(between + sentence.inside):
            return None
        if between[:1] == ["for"] or between[:1] == ["about"]:
            return None
        speaker = _speaker(local[: index + 1])
        if speaker == "first" or (speaker == "second" and _is_relative(sentence, index, between)):
            return None
        if speaker == "second":
            return "no", f"what the reader {local[index]}"
        return "unclear", f"what others {local[index]}"
    return _german_clause(sentence) or _announced(sentence)


def _german_clause(sentence: Sentence) -> Ruling | None:
    """ "Er meint, das Konto sei geändert": in German a comma parts what is said from who says it."""
    if len(sentence.clause) < 2:
        return None
    who = sentence.clause[-2]
    if not who or who[-1] not in lexicon.SAYING_IN_GERMAN or who[0] == "wie":
        return None
    speaker = _speaker(who)
    if speaker == "second":
        return "no", f"what the reader {who[-1]}"
    return ("unclear", f"what others {who[-1]}") if speaker == "third" else None


def _announced(sentence: Sentence) -> Ruling | None:
    """ "Her mail says: it was refunded": the words after a colon are somebody else's."""
    if sentence.before_break not in lexicon.SAYING or sentence.break_mark != ":":
        return None
    speaker = _speaker(sentence.left[: sentence.left.index(sentence.before_break) + 1])
    if speaker == "second":
        return "no", f"what the reader {sentence.before_break}"
    return ("unclear", f"what others {sentence.before_break}") if speaker == "third" else None


def _according(words: list[str]) -> Ruling | None:
    if any(word in lexicon.FIRST_PERSON for word in words):
        return None
    if any(word in lexicon.SECOND_PERSON for word in words):
        return "no", "according to the reader"
    return "unclear", "according to others"


def _speaker(words: list[str]) -> str:
    """Who says what follows: first, second or third person, or nobody."""
    places = [index for index, word in enumerate(words) if word in lexicon.SAYING]
    if not places:
        return ""
    before = words[max(0, places[-1] - 4) : places[-1]]
    if before[-1:] == ["to"]:
        return "first"
    if any(word in ("been", "was", "were") for word in before[-1:]):
        return "third"
    for word in reversed(before):
        if word in lexicon.SECOND_PERSON:
            return "third" if word == "your" and before[-1] not in _WRITINGS | {"your"} else "second"
        if word in lexicon.FIRST_PERSON:
            return "third" if word in ("our", "my") and before[-1] not in _OUR_OWN else "first"
    return "third"


def _is_relative(sentence: Sentence, place: int, between: list[str]) -> bool:
    """ "the invoice you mentioned is settled": the verb of saying only describes the subject."""
    if any(word not in _NO_OBJECT for word in between) or (
        sentence.inside and sentence.inside[0] not in lexicon.LINKS
    ):
        return False
    subject = next(
        (index for index in range(place - 1, -1, -1) if sentence.local[index] in lexicon.SECOND_PERSON), 0
    )
    return subject > 0 and sentence.local[subject - 1] not in lexicon.CLAUSE_WORDS | lexicon.AND_WORDS | {
        "that",
        "as",
        "when",
        "if",
    }
