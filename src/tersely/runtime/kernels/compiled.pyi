"""What compiled.c offers; shapes at line ends."""

import numpy as np
import numpy.typing as npt

from tersely.runtime.kernels.beam import Bools, Doubles, Heard
from tersely.runtime.kernels.plain import Floats, Ids

INSTRUCTIONS: str
"""What it was compiled for that this processor has: avx512, avx2 or any."""
INTERFACE: int
"""Raised with every change of what a kernel is given."""
PANEL: int
"""Columns of a panel."""
MOST_UNITS: int
"""Units of a matrix in bytes."""

def multiply(
    rows: Floats,  # (rows, units)
    panels: Floats,  # (panels, units, 32)
    out: Floats,  # (rows, columns), written
    adds: bool,  # to what is there
    /,
) -> None: ...
def multiply_bytes(
    rows: Floats,  # (rows, units)
    panels: npt.NDArray[np.int8],  # (panels, pairs of units, 64): a column's pair together
    scales: Floats,  # (panels × 32,)
    out: Floats,  # (rows, columns), written
    adds: bool,  # to what is there
    /,
) -> None: ...
def remember(
    gates: Floats,  # (rows, 4 × units)
    before: Floats,  # (rows, units)
    hidden: Floats,  # (rows, units), written
    cell: Floats,  # (rows, units), written
) -> None: ...
def log_sum(
    scores: Floats,  # (rows, columns)
    out: Floats,  # (rows,), written
) -> None: ...
def best(
    scores: Floats,  # (rows, columns), written, then as before
    shift: Floats,  # (rows,)
    above: Floats,  # (rows,)
    at: Ids,  # (rows, others)
    instead: Floats,  # (rows, others)
    ids: Ids,  # (rows, wanted), written
    found: Floats,  # (rows, wanted), written
    columns: int,
    /,
) -> None: ...
def follow(
    scores: Floats,  # (rows, choices)
    words: Ids,  # (rows, choices)
    so_far: Doubles,  # (rows,), as the next four
    heard: Heard,
    placed: Ids,
    keyword: Ids,
    may_end: Bools,
    is_silent: Bools,  # (ids,)
    is_barred: Bools,  # (ids,)
    starts: Ids,  # (sentences + 1,)
    is_marked: Bools,  # (sentences,)
    sizes: Ids,  # (sentences,), written
    row: Ids,  # (sentences × width,), written, as the next four
    word: Ids,
    placed_after: Ids,
    score: Doubles,
    heard_after: Heard,
    ended_row: Ids,  # (rows × choices,), written, as the next
    ended_score: Doubles,
    width: int,
    alike: int,
    end: int,
    /,
) -> tuple[int, int]: ...
