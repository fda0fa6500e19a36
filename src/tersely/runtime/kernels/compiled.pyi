"""The functions of compiled.c; all arguments are arrays in C order, passed by keyword.

They raise ValueError, with the name of the argument, for an array of another type or shape.
"""

import numpy as np
import numpy.typing as npt

from tersely.runtime.arrays import Floats, Ids
from tersely.runtime.kernels.pruning import Bools, DedupKeys, Doubles

INSTRUCTIONS: str
"""The instruction set in use: avx512, avx2 or generic."""
INTERFACE: int
"""A number that changes with the parameters of the functions."""
PANEL: int
"""Columns of a panel."""
MAX_INT8_UNITS: int
"""Units that a matrix of int8 can have."""

def multiply_float32(
    *,
    rows: Floats,  # (rows, units)
    panels: Floats,  # (panels, units, PANEL)
    out: Floats,  # (rows, columns), written
    accumulate: bool,  # whether the product is added to `out`
) -> None: ...
def multiply_int8(
    *,
    rows: Floats,  # (rows, units)
    panels: npt.NDArray[np.int8],  # (panels, pairs of units, 2 × PANEL): pairs of each column
    scales: Floats,  # (panels × PANEL,)
    out: Floats,  # (rows, columns), written
    accumulate: bool,  # whether the product is added to `out`
) -> None: ...
def lstm_cell(
    *,
    gates: Floats,  # (rows, 4 × units)
    cell: Floats,  # (rows, units)
    next_hidden: Floats,  # (rows, units), written
    next_cell: Floats,  # (rows, units), written
) -> None: ...
def logsumexp(
    *,
    scores: Floats,  # (rows, columns)
    out: Floats,  # (rows,), written
) -> None: ...
def top_k(
    *,
    scores: Floats,  # (rows, all columns): overridden, then restored
    log_normalizer: Floats,  # (rows,)
    threshold: Floats,  # (rows,)
    override_columns: Ids,  # (rows, overrides)
    override_values: Floats,  # (rows, overrides)
    ids: Ids,  # (rows, count), written
    values: Floats,  # (rows, count), written
    columns: int,  # that are considered
) -> None: ...
def prune(
    *,
    scores: Floats,  # (rows, choices)
    tokens: Ids,  # (rows, choices)
    hypothesis_score: Doubles,  # (rows,), as the next four
    dedup_key: DedupKeys,
    matched: Ids,
    next_keyword: Ids,
    may_end: Bools,
    is_ignored: Bools,  # (ids,)
    is_forbidden: Bools,  # (ids,)
    starts: Ids,  # (sentences + 1,)
    reserves_slot: Bools,  # (sentences,)
    out_sizes: Ids,  # (sentences,), written
    out_row: Ids,  # (sentences × width,), written, as the next four
    out_token: Ids,
    out_matched: Ids,
    out_score: Doubles,
    out_dedup_key: DedupKeys,
    out_ended_row: Ids,  # (rows × choices,), written, as the next
    out_ended_score: Doubles,
    width: int,
    max_duplicates: int,
    end_id: int,
) -> tuple[int, int]:  # candidates that continue, and that end
    ...
