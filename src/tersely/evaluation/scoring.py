"""Scoring: −log p(x|z) of given sentences, with a model's runtime."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tersely.model.runtime import Runtime
from tersely.text.vocab import BOS_ID, EOS_ID, PAD_ID


def total_nll(
    runtime: Runtime, keywords: Sequence[Sequence[str]], sentences: Sequence[Sequence[str]]
) -> npt.NDArray[np.float64]:
    """Return each sentence's loss in nats, end mark included; unknown words count as `<unk>`."""
    vocabulary = runtime.vocabulary
    targets = [
        [*vocabulary.encode_with_copies(tokens, vocabulary.unknown(typed)), EOS_ID]
        for tokens, typed in zip(sentences, keywords, strict=True)
    ]
    width = max(map(len, targets))
    table = np.full((len(targets), width), PAD_ID, np.int64)
    for index, row in enumerate(targets):
        table[index, : len(row)] = row
    rows, losses = np.arange(len(targets)), np.zeros(len(targets))
    state, last = runtime.begin(keywords), np.full(len(targets), BOS_ID, np.int64)
    for place in range(width):
        state, scores = runtime.step(state, last)
        here = table[:, place] != PAD_ID
        losses -= np.where(here, scores[rows, table[:, place]], 0.0)
        last = table[:, place]
    return losses
