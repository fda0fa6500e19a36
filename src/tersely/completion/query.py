"""What a person typed: keywords, phrases in quotes that stay together, and how it is to end.

10 min late             keywords, in order
"ice cream" friday      ice and cream stay together
where station?          ends with the question mark
meet Paris              a capital that was typed stays on its word
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tersely.text.tokens import SHIFT, tokenise

ENDINGS = frozenset((".", "?", "!", "…", "...", "?!", "!?", "!!", "!!!", "??", "???"))
_PHRASE = re.compile(r"[\"“”„]([^\"“”„]*)[\"“”„]")

Block = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Typed:
    """Keywords, and which of them must directly follow the one before."""

    tokens: tuple[str, ...]
    glued: tuple[bool, ...]  # one more than tokens: the last tells whether the end must follow

    @classmethod
    def of_blocks(cls, blocks: Sequence[Block], *, ends: bool = False) -> "Typed":
        """Put blocks, each of which stays together, one after the other."""
        tokens = tuple(token for block in blocks for token in block)
        glued = tuple(place > 0 for block in blocks for place in range(len(block)))
        return cls(tokens, (*glued, ends))

    @property
    def ends(self) -> bool:
        """Whether the last token ends the sentence."""
        return self.glued[-1]

    def without_marks(self) -> tuple["Typed", tuple[bool, ...]]:
        """The keywords without case marks, and which of them asked for one."""
        tokens, glued, capital = [], [], []
        is_marked = is_glued = False
        for token, follows in zip(self.tokens, self.glued, strict=False):
            # A mark is glued to its word; whether both follow directly, the first of them tells.
            is_glued = follows if not is_marked else is_glued
            if token == SHIFT:
                is_marked = True
                continue
            tokens.append(token)
            glued.append(is_glued)
            capital.append(is_marked)
            is_marked = False
        return Typed(tuple(tokens), (*glued, self.ends)), tuple(capital)

    def blocks(self) -> list[Block]:
        """Cut into what stays together: words, phrases, a capital and its word."""
        found: list[list[str]] = []
        for token, is_glued in zip(self.tokens, self.glued, strict=False):
            if is_glued and found:
                found[-1].append(token)
            else:
                found.append([token])
        return [tuple(block) for block in found]


def read_typed(text: str) -> Typed:
    """Read keywords as people type them; a quote that is not closed is just a character."""
    blocks: list[Block] = []
    for part, is_phrase in _parts(text):
        own = tuple(tokenise(part).tokens)
        if is_phrase and own:
            blocks.append(own)
        else:
            blocks += _words(own)
    return Typed.of_blocks(blocks, ends=bool(blocks) and blocks[-1][-1] in ENDINGS)


def _words(tokens: Sequence[str]) -> list[Block]:
    """One block a word, with the case marks before it."""
    found: list[Block] = []
    marks: Block = ()
    for token in tokens:
        if token == SHIFT:
            marks = (*marks, token)
        else:
            found.append((*marks, token))
            marks = ()
    return [*found, marks] if marks else found


def _parts(text: str) -> list[tuple[str, bool]]:
    """Cut at quotes: what is in them is a phrase."""
    parts, start = [], 0
    for match in _PHRASE.finditer(text):
        parts += [(text[start : match.start()], False), (match[1], True)]
        start = match.end()
    return [*parts, (text[start:], False)]
