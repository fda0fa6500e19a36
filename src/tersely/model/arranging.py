"""Arranging: the orders keywords may be meant in.

With a free order every permutation may be meant; a word that must appear may stand anywhere
among the keywords. Few arrangements are all weighed; of many, one is improved move by move.
Phrases stay together, and what ends the sentence stays at its end.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, permutations

import numpy as np
import numpy.typing as npt

from tersely.model.typed import Block, Typed

MOST_AT_ONCE = 24
MOST_ROUNDS = 4
BEST = 4

Losses = Callable[[Sequence[Typed]], npt.NDArray[np.float64]]
Blocks = tuple[Block, ...]


def arrange(typed: Typed, loose: Sequence[Block], *, free: bool, losses: Losses) -> list[Typed]:
    """Return the likeliest arrangements, best first; `losses` tells what each one costs."""
    blocks = typed.blocks()
    ending = [blocks.pop()] if typed.ends and blocks else []
    fixed, moving = ([], [*blocks, *loose]) if free else (blocks, list(loose))

    def cost(candidates: Sequence[Blocks]) -> npt.NDArray[np.float64]:
        return losses([_typed(one, ending) for one in candidates])

    few = list(islice(_distinct(_interleaved(fixed, moving)), MOST_AT_ONCE + 1))
    if len(few) <= MOST_AT_ONCE:
        known = dict(zip(few, cost(few), strict=True))
    else:
        known = _climb((*fixed, *moving), len(fixed), cost)
    return [_typed(one, ending) for one in sorted(known, key=lambda one: known[one])[:BEST]]


def _typed(blocks: Blocks, ending: Sequence[Block]) -> Typed:
    return Typed.of_blocks([*blocks, *ending], ends=bool(ending))


def _interleaved(fixed: Sequence[Block], moving: Sequence[Block]) -> Iterator[Blocks]:
    """Every way to put the moving blocks among the fixed ones, which keep their order."""
    if not fixed:
        yield from permutations(moving)
        return
    if not moving:
        yield tuple(fixed)
        return
    for rest in _interleaved(fixed, moving[1:]):
        for place in range(len(rest) + 1):
            yield (*rest[:place], moving[0], *rest[place:])


def _climb(
    start: Blocks, fixed: int, cost: Callable[[Sequence[Blocks]], npt.NDArray[np.float64]]
) -> dict[Blocks, float]:
    """Move one block at a time to where it costs least, until nothing improves."""
    movable = frozenset(start[fixed:])
    known = {start: float(cost([start])[0])}
    best = start
    for _ in range(MOST_ROUNDS):
        moves = _distinct(one for one in _moves(best, movable) if one not in known)
        fresh = list(islice(moves, 2 * MOST_AT_ONCE))
        if not fresh:
            break
        known.update(zip(fresh, cost(fresh).tolist(), strict=True))
        nearest = min(fresh, key=lambda one: known[one])
        if known[nearest] >= known[best]:
            break
        best = nearest
    return known


def _moves(blocks: Blocks, movable: frozenset[Block]) -> Iterator[Blocks]:
    """Take one block elsewhere; short moves come first."""
    for distance in range(1, len(blocks)):
        for place in range(len(blocks) - distance):
            for origin, target in ((place, place + distance), (place + distance, place)):
                if blocks[origin] in movable:
                    rest = [*blocks[:origin], *blocks[origin + 1 :]]
                    yield (*rest[:target], blocks[origin], *rest[target:])


def _distinct(found: Iterable[Blocks]) -> Iterator[Blocks]:
    return iter(dict.fromkeys(islice(found, 20 * MOST_AT_ONCE)))
