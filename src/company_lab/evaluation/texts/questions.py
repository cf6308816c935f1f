"""Whether a text asks something.

A place where the phrases stand asks if its sentence ends with a question mark, or if a request stands
before it in the same sentence ("please tell us which ...", "let me know", "could you confirm", "I need to
know"). The same words in a statement do not ask. Cited lines, and questions that the text only reports
("You asked which invoice ..."), do not ask; a negated request does not, a conditional one ("once you let
us know") is unclear.
"""

from __future__ import annotations

import re

from company_lab.evaluation.texts import lexicon
from company_lab.evaluation.texts.findings import Finding, Ruling
from company_lab.evaluation.texts.negation import negations
from company_lab.evaluation.texts.phrases import Phrases
from company_lab.evaluation.texts.sentences import Sentence, tokens
from company_lab.evaluation.texts.weighing import weigh

_DO = (
    r"(?:tell|send|confirm|let (?:me|us) know|provide|share|specify|state|clarify|name|give|indicate|advise"
    r"|reply|answer|say|check)"
)
_WISH = r"(?:i|we)(?: would|'d| will|'ll)?(?: still| also| only)?"
_REQUEST = re.compile(
    rf"\b(?:(?:please|kindly)(?: \w+)?? {_DO}|let (?:me|us) know|(?:tell|send|give) (?:me|us)"
    rf"|(?:can|could|would|will) you (?:please |kindly |also )?{_DO}"
    rf"|{_WISH} (?:like to know|need|require)|may (?:i|we) ask|wonder(?:ing)?"
    r"|bitte(?: \w+){0,2}? (?:mitteilen|sagen|senden|nennen|angeben|best\u00e4tigen)"
    r"|(?:teilen|sagen|nennen|senden) sie|k\u00f6nn(?:t)?en sie"
    r"|veuillez|merci de|pourriez-vous|pouvez-vous)\b"
)
_ASKED = frozenset(("asked", "ask", "asks", "wanted", "wondered", "wrote", "fragten", "demandez"))
NOT_ASKED = Finding(decision="no", why="no phrase of the question stands in the text")


def asks(text: str, phrases: Phrases | tuple[str, ...], languages: tuple[str, ...] | None = None) -> Finding:
    """Whether `text` asks the question that `phrases` declare, and the place that decides.

    `languages` are those the phrases cover ("en"); a text in another one is unclear. None takes them to cover every
    text. Raises `BadPhrase` where phrases are given as texts and one of them is malformed.
    """
    return weigh(text, phrases, _judge, NOT_ASKED, languages)


def _judge(sentence: Sentence) -> Ruling:
    if sentence.is_in_address:
        return "no", "part of an address"
    if sentence.is_cited_line:
        return "no", "on a cited line"
    reported = _reported(sentence)
    if sentence.quoted:
        return ("no", "quotes somebody's question") if reported else ("unclear", "inside a quotation")
    if sentence.is_question:
        return "yes", "a question"
    if reported:
        return "no", "reports somebody's question"
    before = sentence.folded[sentence.start : sentence.mention.end]
    request = _REQUEST.search(before)
    if request is None:
        first = (sentence.local + sentence.inside)[:1]
        if first and first[0] in lexicon.QUESTION_STARTS and not sentence.left:
            return "unclear", "begins like a question, without a question mark"
        return "no", "a statement"
    ahead = tokens(before[: request.start()])
    ahead = ahead[
        max((index + 1 for index, token in enumerate(ahead) if token in (",", ";", ":")), default=0) :
    ]
    if negations(ahead) or negations(tokens(request.group())):
        return "no", "a request that is negated"
    if any(word in lexicon.CONDITIONS or word in lexicon.TIME_CONDITIONS for word in ahead):
        return "unclear", "a request under a condition"
    return "yes", f"a request: {request.group()!r}"


def _reported(sentence: Sentence) -> bool:
    """ "You asked which invoice is meant": the asking was done by the reader or somebody else."""
    words = sentence.left
    for index, word in enumerate(words):
        if word in _ASKED:
            speaker = words[max(0, index - 3) : index]
            return not any(token in lexicon.FIRST_PERSON for token in speaker) or word in (
                "asked",
                "wrote",
                "wondered",
            )
    return False
