"""Sentences and clauses around a place in folded text.

Only a window around the place is read, so that a text without full stops costs no more than any other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from company_lab.evaluation.texts import lexicon
from company_lab.evaluation.texts.phrases import Mention

_BEHIND = 400
_AHEAD = 300
_MONTH = r"(?:jan|feb|mar|m\u00e4r|apr|ma[iy]|ju[inl]|aug|sep|o[ck]t|nov|de[cz]|f\u00e9v|avr|ao\u00fb)"
_NOT_AFTER = "".join(
    rf"(?<!\b{short}\.)"
    for short in ("no", "nr", "mr", "mrs", "dr", r"e\.g", r"i\.e", r"z\.b", "ca", "vs", "inkl")
)
_CLOSERS = r"[\"')\]*_]*(?=\s|$)"
_SENTENCE_END = re.compile(
    r"[.!?\n](?:"
    rf"(?<=\.)(?<!\.\.)(?!\.){_NOT_AFTER}(?!(?<=[0-9]\.)\s+{_MONTH}){_CLOSERS}"
    rf"|(?<=[!?])[!?.]*{_CLOSERS}"
    r"|(?<=\n)(?:[ \t]*\n|(?=[ \t]*(?:[-*\u2022>|#+]|[0-9]{1,2}[.)]\s))|(?=[^\n:.,]{1,40}:\s)))"
)
_TOKEN = re.compile(
    r"[0-9]+(?:[.,:/][0-9]+)*|[^\W\d_]+(?:[-'][^\W\d_]+)*'?(?=\W|_|\d|$)|\w+|[,;:()|=?\n]|(?<=\s)--?(?=\s)|n/a"
)
_STRONG = frozenset((";", ":", "|", "-", "--", "="))
_URL_CHARACTERS = re.compile(r"\S{0,300}\Z")
_ADDRESS = re.compile(r"://|@|\bwww\.")
_OPENING_QUOTE = re.compile(r"(?<!\w)'(?=\w)")
_CLOSING_QUOTE = re.compile(r"(?<=[\w.!?,])'(?!\w)")


def tokens(folded: str) -> list[str]:
    """Words, numbers and the marks that separate clauses; set phrases that only look negative are one
    neutral token."""
    plain = lexicon.HARMLESS.sub(" _ ", folded)
    plain = lexicon.GOOD_NEWS.sub(" _tell ", plain)
    plain = lexicon.RESTRICTIONS.sub(" onlyif ", plain)
    plain = lexicon.CONDITION_STARTS.sub(" if ", plain)
    return _TOKEN.findall(plain)


@dataclass(frozen=True)
class Sentence:
    """The sentence around one mention, cut at the mention."""

    folded: str
    mention: Mention
    start: int
    end: int

    @cached_property
    def left(self) -> list[str]:
        """Tokens of the sentence before the mention."""
        return tokens(self.folded[self.start : self.mention.start])

    @cached_property
    def right(self) -> list[str]:
        """Tokens of the sentence after the mention."""
        return tokens(self.folded[self.mention.end : self.end])

    @cached_property
    def inside(self) -> list[str]:
        """Tokens of the mention itself."""
        return _TOKEN.findall(self.folded[self.mention.start : self.mention.end])

    @cached_property
    def gap(self) -> list[str]:
        """Tokens that the phrase left open."""
        return [token for start, end in self.mention.gaps for token in tokens(self.folded[start:end])]

    @cached_property
    def clause(self) -> list[list[str]]:
        """The left side back to the last strong break, in pieces between commas; the last one holds the
        mention."""
        pieces: list[list[str]] = [[]]
        for token in self.left[self._clause_start() :]:
            if token in (",", "\n"):
                pieces.append([])
            elif token not in ("(", ")"):
                pieces[-1].append(token)
        return pieces

    @property
    def local(self) -> list[str]:
        """The tokens between the last comma and the mention."""
        return self.clause[-1]

    @cached_property
    def after(self) -> list[str]:
        """The right side up to the end of the clause."""
        found: list[str] = []
        for token in self.right:
            if (
                token in (",", "\n", ")")
                or token in _STRONG
                or token in lexicon.AND_WORDS
                or token in lexicon.CLAUSE_WORDS
            ):
                break
            found.append(token)
        return found

    def _clause_start(self) -> int:
        depth = 0
        left = self.left
        for index in range(len(left) - 1, -1, -1):
            token = left[index]
            if token == ")":
                depth += 1
            elif token == "(":
                if depth == 0:
                    return index + 1
                depth -= 1
            elif depth == 0 and (
                token in _STRONG or (token in lexicon.CLAUSE_WORDS and self._begins_clause(index))
            ):
                return index + 1
        return 0

    def _begins_clause(self, index: int) -> bool:
        following = self.left[index + 1] if index + 1 < len(self.left) else (self.inside or [""])[0]
        return following not in ("been", "then", "be") and not (
            self.left[index] in ("instead", "while", "since") and following == "of"
        )

    @cached_property
    def before_break(self) -> str:
        """The token just before the strong break at which the clause begins; empty where there is none."""
        start = self._clause_start()
        return self.left[start - 2] if start >= 2 else ""

    @property
    def break_mark(self) -> str:
        """The strong break at which the clause begins; empty where there is none."""
        start = self._clause_start()
        return self.left[start - 1] if start >= 1 else ""

    @property
    def is_question(self) -> bool:
        """Whether the sentence ends with a question mark."""
        return "?" in self.folded[max(self.start, self.end - 4) : self.end]

    @property
    def is_cited_line(self) -> bool:
        """Whether the line is set off as somebody else's with ">"."""
        line = self.folded.rfind("\n", max(0, self.mention.start - 2_000), self.mention.start) + 1
        return self.folded[line : line + 4].lstrip()[:1] == ">"

    @property
    def is_in_address(self) -> bool:
        """Whether the mention is part of a web or mail address."""
        word = _URL_CHARACTERS.search(self.folded, max(0, self.mention.start - 300), self.mention.start)
        tail = self.folded[self.mention.start : self.mention.end + 60].split(None, 1)[0]
        return _ADDRESS.search((word.group() if word else "") + tail) is not None

    @cached_property
    def quoted(self) -> str:
        """The quotation that holds the mention, empty where it stands in none."""
        paragraph = self.folded.rfind("\n\n", max(0, self.mention.start - _BEHIND), self.mention.start) + 1
        begin = max(paragraph, self.mention.start - _BEHIND)
        before = self.folded[begin : self.mention.start]
        after = self.folded[self.mention.end : self.mention.end + _AHEAD]
        if before.count('"') % 2 and '"' in after:
            return self.folded[begin + before.rindex('"') + 1 : self.mention.end + after.index('"')]
        opened = [match.start() for match in _OPENING_QUOTE.finditer(before + "x")]
        if not opened or _CLOSING_QUOTE.search(before, opened[-1] + 1):
            return ""
        closed = _CLOSING_QUOTE.search(self.folded, self.mention.end, self.mention.end + _AHEAD)
        return self.folded[begin + opened[-1] + 1 : closed.start()] if closed else ""


def sentence_around(folded: str, mention: Mention) -> Sentence:
    """The sentence that holds a mention, at most a few hundred characters on either side."""
    start = floor = max(0, mention.start - _BEHIND)
    for match in _SENTENCE_END.finditer(folded, floor, mention.start):
        start = match.end()
    ceiling = min(len(folded), mention.end + _AHEAD)
    end = _SENTENCE_END.search(folded, mention.end, ceiling)
    return Sentence(folded, mention, start, end.end() if end else ceiling)
