"""Containing: whether words stand in a sentence the way they were typed.

Search makes sentences where they do; this tells of others, such as remembered ones. Phrases
stay together, and what ends the sentence stays at its end. Case does not matter unless a
capital was typed; within a phrase, too, a word may have one.
"""

from collections.abc import Sequence

from tersely.completion.query import Block, Typed
from tersely.text.tokens import SHIFT


def contains(tokens: Sequence[str], typed: Typed, *, prefix: bool = False) -> bool:
    """Whether the keywords stand there in order; with `prefix`, the last as a beginning."""
    *others, last = typed.blocks() or [()]
    start = 0
    for block in others:
        ends = _ends(tokens, block, start)
        if not ends:
            return False
        start = min(ends)  # as early as can be leaves the most room for those that follow
    ends = _ends(tokens, last, start, prefix=prefix)
    return len(tokens) in ends if typed.ends else bool(ends or not last)


def contains_each(tokens: Sequence[str], typed: Typed, *, prefix: bool = False) -> bool:
    """The same in any order; a word that was typed twice need not come twice."""
    *others, last = typed.blocks() or [()]
    ending = Typed.of_blocks([last], ends=typed.ends)
    return all(holds(tokens, block) for block in others) and contains(tokens, ending, prefix=prefix)


def holds(tokens: Sequence[str], block: Block) -> bool:
    """Whether these words stand there together."""
    return bool(_ends(tokens, block, 0))


def _ends(tokens: Sequence[str], block: Block, start: int, *, prefix: bool = False) -> list[int]:
    """Where a block may end that begins at `start` or later."""
    places = range(start, len(tokens))
    ends = (_end(tokens, place, block, prefix=prefix) for place in places)
    return [end for end in ends if end is not None]


def _end(tokens: Sequence[str], place: int, block: Block, *, prefix: bool) -> int | None:
    for number, word in enumerate(block):
        if number and word != SHIFT and place < len(tokens) and tokens[place] == SHIFT:
            place += 1
        begins = prefix and number == len(block) - 1
        if place == len(tokens) or not _is_same(tokens[place], word, begins=begins):
            return None
        place += 1
    return place


def _is_same(token: str, word: str, *, begins: bool) -> bool:
    own = token.lower() if word == word.lower() else token
    return own.startswith(word) if begins else own == word
