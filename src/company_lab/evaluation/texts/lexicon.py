"""The words on which reading a sentence rests: English in full, the negations and conditions of German
and French.

Everything is folded. A language that is not listed here is read like English words that happen to be
spelled the same.
"""

from __future__ import annotations

import re


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATIONS = words(
    "not no never none nothing neither nor nobody nowhere without cannot cant dont doesnt didnt isnt "
    "arent wasnt werent hasnt havent hadnt wont wouldnt couldnt shouldnt unable hardly barely "
    "scarcely impossible unlikely doubt doubts non un nicht kein keine keinen keiner keinem keines "
    "nie niemals nichts weder ohne pas jamais rien aucun aucune sans ni"
)
NEGATIVE_BEFORE_TO = words(
    "fail fails failed failing refuse refuses refused decline declines declined try tries tried "
    "trying attempted yet wrong false incorrect untrue premature early"
)
NEGATIVE_BEFORE_THAT = words("deny denies denied false untrue incorrect wrong dispute disputes")
NEGATIVE_PAIRS = frozenset(
    (
        ("instead", "of"),
        ("rather", "than"),
        ("far", "from"),
        ("waiting", "for"),
        ("lack", "of"),
        ("anstatt", "zu"),
    )
)
HALF_NEGATIONS = re.compile(r"ne|n'.+")
"""French: decided only together with its second half."""

NEGATIVE_ANSWERS = words(
    "no none nothing never false not 0 n/a nein nicht keine nichts non rien aucun pending open "
    "outstanding unknown offen"
)
NEGATIVE_OBJECTS = words(
    "nothing none no nobody neither nichts kein keine keinen niemanden rien aucun aucune pas nicht zero"
)
LATE_NEGATIONS = words("nicht nichts kein keine keinen pas rien jamais")

CONDITIONS = words(
    "if unless until till once whether assuming suppose supposing lest onlyif wenn falls sobald ob bis sofern"
    " si s'il s'ils"
)
TIME_CONDITIONS = words("when whenever after before nachdem bevor als quand lorsque")
CONDITION_STARTS = re.compile(
    r"\b(?:as (?:soon|long) as|in case|in the event|on (?:the )?condition"
    r"|provided(?= (?:that|the|it|you|we|your)\b)"
    r"|(?:on|under) (?:one|two|three|this|that|these|those|certain|some|the following|[0-9]) conditions?"
    r"|d[e\u00e8]s qu[e']|subject to|vorausgesetzt)\b"
)
RESTRICTIONS = re.compile(
    r"\b(?:only|nur) (?:with|if|in combination with|as part of|in case|for those who|mit|wenn|bei|in verbindung mit)\b"
)
"""What follows, or stands before, holds under this condition alone."""
REQUIRED = words(
    "required requires require needed needs need necessary requirement prerequisite condition n\u00f6tig "
    "notwendig erforderlich voraussetzung braucht brauchen ben\u00f6tigt ben\u00f6tigen"
)
ASKS_FOR = words(
    "requires require needs need costs cost depends depend takes kostet braucht ben\u00f6tigt setzt erfordert"
)
"""What follows a thing that is only described, with its price or its condition."""
PAST = words("was were had did")
PERFECT = words("was were had did has have been wurde wurden ist sind")

FUTURE = words("will shall wird werden sera seront")
DOUBTFUL_MODALS = words(
    "may might should could can must would ought sollte sollten k\u00f6nnte k\u00f6nnten kann "
    "k\u00f6nnen d\u00fcrfte m\u00fcsste soll sollen muss m\u00fcssen darf d\u00fcrfen m\u00f6chte m\u00f6chten "
    "pourrait peut devrait doit"
)
VERB_LAST = words("wird werden w\u00fcrde w\u00fcrden h\u00e4tte h\u00e4tten w\u00e4re w\u00e4ren")
"""German: with these the participle at the end of the clause has not come about, however far it stands off."""
VERB_LAST_DOUBTFUL = words(
    "kann k\u00f6nnen k\u00f6nnte k\u00f6nnten soll sollen sollte sollten muss m\u00fcssen darf d\u00fcrfen "
    "d\u00fcrfte m\u00f6chte m\u00f6chten"
)
WHOLES = words(
    "all every everything everybody everyone each nothing nobody alle allen alles jeder jede nichts"
)
COUNTERFACTUAL = words(
    "would could w\u00fcrde w\u00fcrden h\u00e4tte h\u00e4tten w\u00e4re w\u00e4ren k\u00f6nnte k\u00f6nnten"
)
"""What stands directly behind these is thought of, not so."""
SOON = words("tomorrow tonight soon shortly later next morgen bald demn\u00e4chst n\u00e4chste n\u00e4chsten")
WANTS = words(
    "want wants wanted wish wishes wished need needs needed ask asks asked request requested requests demand demands "
    "demanded would will like prefer love"
)
ENABLING = words("let lets allow allows enable enables permit permits")
ORDERING = words("book choose order pick select take add upgrade pay send give let switch buy")
DETERMINERS = words("a an the your our my his her their its this that these those it them everything all")
BETWEEN_MODAL_AND_VERB = words(
    "be been have now soon then also only just still first all both able to it they that the this already yet"
)
HEDGES = words(
    "screenshot picture photo attachment "
    "think believe guess assume suppose probably perhaps maybe possibly presumably likely apparently "
    "seemingly seems seem seemed appears appear hope hopefully expect reportedly allegedly supposedly "
    "theoretically unsure uncertain vermutlich wahrscheinlich vielleicht glaube denke hoffe "
    "hoffentlich angeblich wohl anscheinend offenbar m\u00f6glicherweise eventuell "
    "scheint probablement peut-\u00eatre semble pense crois"
)
PARTIAL = words(
    "partially partly half almost nearly virtually semi teilweise anteilig halb fast beinahe partiellement presque"
)

SAYING_IN_GERMAN = words(
    "schreiben schrieben schreibt schrieb sagen sagten sagt sagte behaupten behaupteten behauptet behauptete "
    "meinen meinten meint meinte glauben glaubten glaubt glaubte"
)
SAYING = SAYING_IN_GERMAN | words(
    "say says said saying believes thinks assumes suspects maintains argues argued hopes fears "
    "write writes wrote written claim claims claimed mention mentions mentioned "
    "state states stated tell tells told report reports reported think thought believe believed "
    "assume assumed ask asks asked suggest suggests suggested indicate indicates indicated insist "
    "insists insisted expect expected announce announced promise promised "
    "dites dit disiez \u00e9crivez \u00e9crit affirmez"
)
SECOND_PERSON = words("you your yours you've sie ihre ihrer ihr ihnen vous votre vos")
FIRST_PERSON = words("i we our my i've we've i'd we'd i'll we'll ich wir unser unsere je nous notre me us")
COMPLEMENT = words(
    "confirm confirmed say said says see seen saw guarantee promise think believe know known mean "
    "find found state tell you us me sure certain evidence proof record sign indication confirmation "
    "claim assume indicate true possible case report show shows verify verified clear aware notice it "
    "told promised agreed agree"
)
GERMAN_COMPLEMENT = words("best\u00e4tigen sagen behaupten feststellen erkennen sehen finden zusagen")
GERMAN_ABLE = words("kann k\u00f6nnen konnte konnten")
REQUESTS = words(
    "confirm verify check tell ensure make let ask say send advise clarify provide share give best\u00e4tigen "
    "pr\u00fcfen sagen mitteilen teilen lassen senden"
)

LINKS = words(
    "is are was were be been being has have had does do did am 's wurde wurden ist sind est a \u00e9t\u00e9"
)
SUBJECTS = words(
    "i we you he she they it the your our my this that these those all everything your ich wir sie es "
    "der die das je nous vous il le la"
)
PERSONS = words("i we you he she they it one ich wir sie er es man")
CLAUSE_WORDS = words(
    "but however although though whereas because since while therefore nevertheless nonetheless "
    "instead aber sondern weil obwohl denn jedoch allerdings mais car cependant"
)
AND_WORDS = words("and or und oder et ou")
RELATIVES = words("which who whose whom die\u00df welche welcher welches lequel laquelle")

QUESTION_STARTS = words(
    "is are was were do does did has have had can could will would should shall may might what which "
    "who whom whose when where why how ist sind hat haben kann k\u00f6nnen wird wurde was wer wann wo "
    "warum wie welche welcher welches est-ce quel quelle quels quelles qui quand pourquoi comment"
)

HARMLESS = re.compile(
    r"\b(?:not (?:only|just|merely|least)|nicht nur|non seulement"
    r"|no (?:doubt|problems?|worries|matter)|no (?:later|less|more) than|nothing but"
    r"|without (?:a |any |further |undue )*(?:doubt|delay|question|exception|problems?|issues?)"
    r"|at no (?:extra |additional )?(?:cost|charge)|at once|once (?:again|more)|more than once|why not"
    r"|if you (?:have|need|would like|want|wish))\b"
    r"|\b(?:invoice|order|case|ticket|quote|receipt|bill|account|ref|reference|rechnung|bestellung)"
    r" no\.?(?=\s*[\w#])|\bno\.\s*(?=[0-9#])"
)
"""Set phrases that contain a negation or a condition and mean neither."""

GOOD_NEWS = re.compile(
    r"\b(?:you(?:'ll| will| can| should) (?:now |also |be )*(?:glad |happy |pleased |relieved )?(?:to )?"
    r"(?:hear|see|find|notice|learn|know)"
    r"|(?:can|may) (?:now |also |gladly |happily )*(?:confirm|tell you|inform you|assure you)"
    r"|(?:would )?(?:happy|glad|pleased|able|like|love|want|wanted|writing) to "
    r"(?:confirm|tell you|inform you|let you know|announce|say|report)"
    r"|(?:are|am|'re|'m) (?:now |very |more than )?(?:happy|glad|pleased|delighted) to"
    r"|let (?:me|us) (?:just |quickly |also |gladly )*(?:tell|inform|assure|reassure) you)\b"
)
"""Wordings that only introduce a statement."""
