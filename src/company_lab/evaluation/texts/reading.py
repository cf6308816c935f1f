"""Reading: a text as it looks to people, so that nothing is said in a way that only a machine overlooks.

On top of folding (see `folding`):

1. what stands inside a word and shows nothing (Markdown emphasis, HTML tags, soft hyphens and zero-width
   characters written as entities) is dropped: "**re**funded" reads "refunded";
2. full-width letters, ligatures and mathematical letters become plain ones: NFKC;
3. look-alikes of other scripts become the Latin letters they are taken for (see `lookalikes`).

Emphasis around whole words stays; the patterns of phrases pass over it. An underscore inside a word belongs to it.
Claims, questions and roles are read so. Ids, literals and amounts are compared as they are written.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from company_lab.evaluation.texts.folding import PLAIN_MARKS, fold_characters, normalise, origins
from company_lab.evaluation.texts.lookalikes import LATIN

_MARKS_INSIDE = re.compile(
    r"(?<=[^\W\d_])(?:[*~`]{1,3}|</?[a-zA-Z][a-zA-Z0-9]{0,9}(?:\s[^<>]{0,40})?/?>|<!--[^<>]{0,40}-->"
    r"|&(?:shy|zwnj|zwj|ZeroWidthSpace|NoBreak|#(?:173|820[345]|8288|65279)"
    r"|#[xX](?:0?0?[aA][dD]|200[bcdBCD]|2060|[fF][eE][fF][fF]));)++(?=[^\W\d_])"
)
_SHOWS_A_MARK = re.compile(r"[*~`<&]")


@dataclass(frozen=True, slots=True)
class Reading:
    """A text, and the folded form in which phrases are looked for."""

    text: str
    folded: str
    _bare: str
    """The text without the marks inside words."""
    _cuts: tuple[int, ...]
    """Where marks were taken out, as places in the bare text, ascending."""
    _removed: tuple[int, ...]
    """How many characters were taken out up to and with each cut."""

    def places(self, positions: Sequence[int]) -> dict[int, int]:
        """For ascending positions in the folded form, where they lie in the text as it was written."""
        if self.text.isascii():
            bare: Sequence[int] = positions
        else:
            bare = origins(self._bare, positions, _see)
        return {
            position: place + self._before(place) for position, place in zip(positions, bare, strict=True)
        }

    def _before(self, place: int) -> int:
        """Characters taken out before a place of the bare text."""
        index = bisect_right(self._cuts, place)
        return self._removed[index - 1] if index else 0


@lru_cache(maxsize=16)
def read(text: str) -> Reading:
    """A text as it looks to people. Linear in its length."""
    bare, cuts, removed = text, [], []
    if _SHOWS_A_MARK.search(text):
        parts: list[str] = []
        done = gone = kept = 0
        for mark in _MARKS_INSIDE.finditer(text):
            parts.append(text[done : mark.start()])
            kept += mark.start() - done
            gone += mark.end() - mark.start()
            done = mark.end()
            cuts.append(kept)
            removed.append(gone)
        bare = "".join((*parts, text[done:]))
    return Reading(text, _see(bare), bare, tuple(cuts), tuple(removed))


def _see(text: str) -> str:
    """Folded, with look-alikes and compatibility forms as plain letters."""
    if text.isascii():
        return text.lower()
    return fold_characters(normalise(text.translate(PLAIN_MARKS), "NFKC").translate(LATIN))
