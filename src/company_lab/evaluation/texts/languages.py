"""Languages: which language a sentence is written in, as far as small words and scripts show it.

This is for one question only: whether a text may say something in a language that the phrases of a claim do not
cover. A sentence counts as written in a language if it holds a word that tells it from others (a pronoun, a form of
"to be" or "to have") and more small words of that language than English ones: two of them, or one inside a sentence
without any English; or if most of its letters belong to a script in which neither English nor a listed language is
written.

Names, addresses and quoted words decide nothing. What is too short or too mixed to tell is no language.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from company_lab.evaluation.texts.lexicon import words

_ENOUGH = 2
"""Small words that tell a language; one is enough where nothing is English."""
_SHORTEST = 3
"""Words of a sentence in which one small word is enough."""
_MOST_SENTENCES = 400

_ENGLISH = words(
    "the a an and or but of to in on at for with from by is are was were be been has have had will would can "
    "could should may not no we i you he she it they our your my his her their us me him them this that these "
    "those there here which who what when where if as so all any please thank thanks dear hello hi do does did "
    "about into out up over now today still only also more than then yes both each some such its your"
)
_TELLING = {
    "de": words(
        "ich wir sie ihnen ihr ihre ihrem ihren ihrer uns unser unsere unserem unseren ist sind wurde wurden wird "
        "werden habe haben hat hatte bin kein keine keinen nicht nichts dass bitte mehr auch noch schon zur zum "
        "eine einen einem einer vom worden sei seien w\u00e4re w\u00e4ren w\u00fcrde w\u00fcrden niemand"
    ),
    "fr": words(
        "je nous vous votre vos notre nos est sont avons avez ai \u00eates sommes a\u00e9t\u00e9 \u00e9t\u00e9 ne "
        "n'est n'a n'avons pas plus rien merci bonjour c'est j'ai qu'il qu'elle"
    ),
    "es": words(
        "yo nosotros usted ustedes su sus nuestro nuestra es son est\u00e1 est\u00e1n ha han hemos he fue ser\u00e1 "
        "le les se gracias hola qu\u00e9 ya muy"
    ),
    "it": words(
        "io noi lei voi suo sua vostro vostra nostro nostra \u00e8 sono abbiamo avete ho ha hanno stato stata "
        "stati non grazie buongiorno gi\u00e0 c'\u00e8"
    ),
    "nl": words(
        "ik wij we u uw onze jij jullie hebben heeft heb zijn werd wordt worden niet geen bedankt zodra wij"
    ),
    "pt": words(
        "eu n\u00f3s voc\u00ea seu sua nosso nossa \u00e9 s\u00e3o foi est\u00e1 est\u00e3o temos tem j\u00e1 "
        "n\u00e3o obrigado obrigada ser\u00e1"
    ),
    "pl": words(
        "jest s\u0105 zosta\u0142 zosta\u0142a zosta\u0142o nie ju\u017c pa\u0144stwo pana pani nasz nasza twoja "
        "tw\u00f3j prosz\u0119 dzi\u0119kujemy b\u0119dzie \u017ce"
    ),
    "scandinavian": words(
        "jeg vi dere deres vores v\u00e5r v\u00e5rt er har ble blev \u00e4r din ditt din ni jag inte ikke ej tack takk "
        "tak og och"
    ),
    "tr": words(
        "bir bu \u015fu siz sizin biz bizim de\u011fil i\u00e7in oldu edildi yap\u0131ld\u0131 te\u015fekk\u00fcrler"
    ),
}  # fmt: skip
_SMALL = {
    "de": words(
        "der die das den dem des ein und oder aber f\u00fcr mit von auf aus bei nach \u00fcber an am im in zu wenn "
        "weil alles vollst\u00e4ndig heute jetzt"
    ),
    "fr": words(
        "le la les un une des du de et ou mais pour avec sur par dans en au aux ce cette ces que qui enti\u00e8rement"
    ),
    "es": words("el la los las un una unos de del y o pero para con por en al que como todo completamente"),
    "it": words("il lo la i gli le un una di del della e o ma per con da in al alla che come tutto completamente"),
    "nl": words("de het een en of maar voor met van op in aan te bij naar dat die volledig vandaag"),
    "pt": words("o a os as um uma de do da dos das e ou mas para com por em no na que como tudo totalmente"),
    "pl": words("i w na do z o dla po od za to ca\u0142kowicie"),
    "scandinavian": words(
        "en et ett det den de til till for f\u00f6r med av p\u00e5 i som at att \u00e5 fra fr\u00e5n"
    ),
    "tr": words("ve ile da de mi ama veya"),
}  # fmt: skip
_SCRIPTS = {
    "CYRILLIC": "Cyrillic",
    "GREEK": "Greek",
    "ARABIC": "Arabic",
    "HEBREW": "Hebrew",
    "DEVANAGARI": "Devanagari",
    "THAI": "Thai",
    "HANGUL": "Korean",
    "HIRAGANA": "Chinese or Japanese",
    "KATAKANA": "Chinese or Japanese",
    "CJK": "Chinese or Japanese",
    "ARMENIAN": "Armenian",
    "GEORGIAN": "Georgian",
}
_NAMES = {
    "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "nl": "Dutch", "pt": "Portuguese",
    "pl": "Polish", "scandinavian": "a Scandinavian language", "tr": "Turkish",
}  # fmt: skip
_END = re.compile(
    r"(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bMrs)[.!?:;\u3002\uff01\uff1f]+(?=\s|$)|[\u3002\uff01\uff1f]+|\n+"
)
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_QUOTED = re.compile(
    r"\"[^\"\n]{0,600}+\"|\u201e[^\u201c\u201d\u201e\n]{0,600}+[\u201c\u201d]"
    r"|\u201c[^\u201c\u201d\n]{0,600}+\u201d|\u00ab[^\u00ab\u00bb\n]{0,600}+\u00bb"
)
_CITED = re.compile(r"(?m)^[ \t]{0,8}>.*$")
_ADDRESS = re.compile(r"(?<!\S)(?:[^\s@]{0,120}+@|[^\s:]{0,40}+://)\S{0,200}")
_LONGEST = 1_000
"""Characters of a sentence that are looked at."""


@lru_cache(maxsize=64)
def foreign(text: str, languages: tuple[str, ...] = ("en",)) -> tuple[int, int, str] | None:
    """The first sentence of `text` that is written in none of `languages`, as its two ends and the language in
    words; None where there is none.

    Cited lines and quotations are left out: they are somebody else's. `languages` are codes such as "en" and "de".
    Linear in the length of the text.
    """
    plain = text
    for pattern in (_CITED, _QUOTED, _ADDRESS):
        plain = pattern.sub(lambda match: " " * len(match.group()), plain)
    for start, end in _sentences(plain):
        language = language_of(plain[start : min(end, start + _LONGEST)])
        if language is not None and language not in languages:
            return start, end, _NAMES.get(language, language)
    return None


def _sentences(plain: str) -> Iterator[tuple[int, int]]:
    start, count = 0, 0
    for mark in _END.finditer(plain):
        if plain[start : mark.start()].strip():
            yield start, mark.end()
            count += 1
            if count == _MOST_SENTENCES:
                return
        start = mark.end()
    if plain[start:].strip():
        yield start, len(plain)


@lru_cache(maxsize=4096)
def language_of(sentence: str) -> str | None:
    """The code of the language a sentence is written in ("de"), the name of a script, or None."""
    if not sentence.isascii():
        script = _script(sentence)
        if script is not None:
            return script
    written = [word.replace("\u2019", "'") for word in _WORD.findall(sentence)]
    found = [word.casefold() for word in written]
    small = [word for word in written[1:] if word[0].islower()]
    english = sum(word in _ENGLISH for word in found)
    best, most = None, 0
    for language, telling in _TELLING.items():
        candidates = found if language == "de" else [*found[:1], *small]  # names are written large
        told = sum(word in telling for word in candidates)
        score = told + sum(word in _SMALL[language] for word in candidates)
        alone = english == 0 and len(found) >= _SHORTEST and any(word in telling for word in small)
        if told and (score >= _ENOUGH or alone) and score > most:
            best, most = language, score
    return best if most > english else None


def _script(sentence: str) -> str | None:
    """The script most letters belong to, where it is not the Latin one and whole words are written in it."""
    counts: dict[str, int] = {}
    latin = 0
    for word in _WORD.findall(sentence):
        scripts = {_script_of(letter) for letter in word}
        if len(scripts) == 1:
            (script,) = scripts
            if script is None:
                latin += len(word)
            else:
                counts[script] = counts.get(script, 0) + len(word)
    if not counts:
        return None
    script = max(counts, key=lambda name: counts[name])
    return script if counts[script] > latin and counts[script] >= _ENOUGH else None


@lru_cache(maxsize=4096)
def _script_of(letter: str) -> str | None:
    name = unicodedata.name(letter, "").split(" ")[0].split("-")[0]
    return _SCRIPTS.get(name)
