"""Whether a text makes a claim.

A world declares a claim by phrases (`phrases`). Each place where one of them stands is judged by the
sentence around it. If a rule says no, the place makes no claim; otherwise, if one says unclear, it is
unclear; only where no rule applies is the claim made.

| rule | example | decision |
|---|---|---|
| address | `https://x.test/settled` | no |
| cited line | `> it was refunded` | no |
| negative answer | "Refunded: none" | no |
| question | "Is it settled?" | no; unclear where only a later clause asks |
| request | "please confirm that it was refunded" | no |
| quotation | "You wrote 'it was refunded'" | no; unclear where nobody else is named |
| attribution | "you say it is settled" | no; unclear for third parties |
| condition | "once the refund is made" | no; unclear if far away, past, or in another clause |
| restriction | "only with express can we guarantee it" | no |
| requirement | "needed for a guaranteed day", "a guaranteed day costs more" | no |
| negation | "I can't confirm it was refunded" | no; unclear if doubled, far away, or in another clause |
| future | "will be refunded", "is being refunded" | no |
| choice | "you can have it paid off in two parts" | no |
| plan | "is refunded tomorrow", "are refunded within 14 days" | no |
| possibility | "would be refunded", "could have been refunded" | no |
| part | "partly refunded" | no |
| exception | "all reminders were sent except one" | no |
| in general | "only approved amounts are refunded" | no; unclear for "a charge that was refunded" |
| others' deeds | "you cancelled the order", "opened by the customer" | unclear |
| hedge | "should be settled", "I think it is settled" | unclear |
| later condition | "is settled once the money arrives" | unclear |
| none of these | "The refund has been made." | yes |

Words that the phrase itself spells out are never counted against it: the phrase `will be refunded` claims
a future, the phrase `has not paid` a negation. A text makes the claim if one place does, whatever other
sentences say; it is unclear if no place does and one is unclear.

A sentence in a language that the phrases do not cover may say anything: where no place makes the claim and `languages`
is given, it makes the text unclear (see `languages`).

Not recognised: irony, a denial in another sentence, quoted mail under a header line without ">".
"""

from __future__ import annotations

from collections.abc import Callable

from company_lab.evaluation.texts import modality, negation, sources, subjects
from company_lab.evaluation.texts.findings import Finding, Ruling
from company_lab.evaluation.texts.phrases import Phrases
from company_lab.evaluation.texts.sentences import Sentence
from company_lab.evaluation.texts.weighing import weigh, weigh_each

Rule = Callable[[Sentence], Ruling | None]

RULES: tuple[Rule, ...] = (
    sources.in_address,
    sources.cited_line,
    negation.negative_answer,
    sources.question,
    sources.request,
    sources.quotation,
    sources.attribution,
    subjects.exception,
    subjects.in_general,
    subjects.done_by_others,
    modality.condition,
    modality.requirement,
    negation.negated,
    modality.future,
    modality.part,
    modality.hedge,
    modality.later_condition,
)

NOT_SAID = Finding(decision="no", why="no phrase of the claim stands in the text")


def makes_claim(
    text: str, phrases: Phrases | tuple[str, ...], languages: tuple[str, ...] | None = None
) -> Finding:
    """Whether `text` makes the claim that `phrases` declare, and the place that decides.

    `languages` are those the phrases cover ("en"); None takes them to cover every text. Raises `BadPhrase` where
    phrases are given as texts and one of them is malformed.
    """
    return weigh(text, phrases, _judge, NOT_SAID, languages)


def claims_made(
    text: str, phrases: Phrases | tuple[str, ...], languages: tuple[str, ...] | None = None
) -> tuple[Finding, ...]:
    """Every place that makes the claim (`yes`) or may make it (`unclear`), in order, each with its sentence.

    "I-1 is settled. I-2 is settled." says two things about two records. `languages` and errors as with `makes_claim`.
    """
    return weigh_each(text, phrases, _judge, languages)


def _judge(sentence: Sentence) -> Ruling:
    doubt: Ruling | None = None
    for rule in RULES:
        ruling = rule(sentence)
        if ruling is not None:
            if ruling[0] == "no":
                return ruling
            doubt = doubt or ruling
    return doubt or ("yes", "said as a plain statement")
