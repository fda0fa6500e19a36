"""Arranging: the orders keywords may be meant in.

With a free order every permutation may be meant; a word that must appear may stand anywhere
among the keywords. Few arrangements are all weighed; of many, one is improved move by move.
Phrases stay together, and what ends the sentence stays at its end.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from tersely.completion.query import Block, Typed

MOST_AT_ONCE = 24
MOST_ROUNDS = 4
BEST = 4

Losses = Callable[[Sequence[Typed]], npt.NDArray[np.float64]]
Blocks = tuple[Block, ...]
Costs = Callable[[Sequence[Blocks]], npt.NDArray[np.float64]]


def arrange(typed: Typed, loose: Sequence[Block], *, free: bool, losses: Losses) -> list[Typed]:
    """Return the likeliest arrangements, best first.

    `losses` tells what each one costs; what it calls infinite was not weighed, for want of
    time, and is returned only where nothing was.
    """
    blocks = typed.blocks()
    ending = [blocks.pop()] if typed.ends and blocks else []
    fixed, moving = ([], [*blocks, *loose]) if free else (blocks, list(loose))
    if not moving:
        return [typed]

    def cost(candidates: Sequence[Blocks]) -> npt.NDArray[np.float64]:
        return losses([_typed(one, ending) for one in candidates])

    few = _if_few(fixed, moving)
    known = _weighed(few, cost) if few else _climb((*fixed, *moving), len(fixed), cost)
    best = sorted(known, key=lambda one: known[one])
    weighed = [one for one in best[:BEST] if known[one] < np.inf]
    return [_typed(one, ending) for one in weighed or best[:1]]


def _typed(blocks: Blocks, ending: Sequence[Block]) -> Typed:
    return Typed.of_blocks([*blocks, *ending], ends=bool(ending))


def _weighed(few: Sequence[Blocks], cost: Costs) -> dict[Blocks, float]:
    return dict(zip(few, cost(few).tolist(), strict=True))


def _if_few(fixed: Sequence[Block], moving: Sequence[Block]) -> list[Blocks]:
    """Every arrangement, or none if there are too many of them."""
    if len(fixed) + len(moving) > MOST_AT_ONCE:
        return []
    found = list(islice(_interleaved(fixed, moving), MOST_AT_ONCE + 1))
    return found if len(found) <= MOST_AT_ONCE else []


def _interleaved(fixed: Sequence[Block], moving: Sequence[Block]) -> Iterator[Blocks]:
    """Every way to put the moving blocks among the fixed ones, which keep their order, once."""
    if not fixed and not moving:
        yield ()
        return
    if fixed:
        for rest in _interleaved(fixed[1:], moving):
            yield (fixed[0], *rest)
    for block in dict.fromkeys(moving):
        # A moving block that is the next fixed one, too, changes nothing by coming before it.
        if not fixed or block != fixed[0]:
            place = moving.index(block)
            for rest in _interleaved(fixed, [*moving[:place], *moving[place + 1 :]]):
                yield (block, *rest)


def _climb(start: Blocks, fixed: int, cost: Costs) -> dict[Blocks, float]:
    """Move one block at a time to where it costs least, until nothing improves."""
    known = _weighed([start], cost)
    best, order = start, tuple(range(len(start)))
    for _ in range(MOST_ROUNDS):
        moved: dict[Blocks, tuple[int, ...]] = {}
        for one in islice(_moves(order, fixed), 20 * MOST_AT_ONCE):
            moved.setdefault(tuple(start[number] for number in one), one)
        fresh = [one for one in moved if one not in known][: 2 * MOST_AT_ONCE]
        if not fresh:
            break
        known.update(_weighed(fresh, cost))
        nearest = min(fresh, key=lambda one: known[one])
        if known[nearest] >= known[best]:
            break
        best, order = nearest, moved[nearest]
    return known


def _moves(order: tuple[int, ...], fixed: int) -> Iterator[tuple[int, ...]]:
    """Take one number elsewhere, but none of the first `fixed`; short moves come first."""
    for distance in range(1, len(order)):
        for place in range(len(order) - distance):
            for origin, target in ((place, place + distance), (place + distance, place)):
                if order[origin] >= fixed:
                    rest = [*order[:origin], *order[origin + 1 :]]
                    yield (*rest[:target], order[origin], *rest[target:])
