"""Scoring: −log p(x|z) of given sentences, with a model's runtime."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tersely.model.budget_features import DecoderBudget
from tersely.runtime.registry import DecoderRuntime
from tersely.text.vocabulary import BOS_ID, EOS_ID, PAD_ID, UNK_ID


def total_nll(
    runtime: DecoderRuntime,
    keywords: Sequence[Sequence[str]],
    sentences: Sequence[Sequence[str]],
    *,
    budget: DecoderBudget | None = None,
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
    losses = np.zeros(len(targets))
    state, last = runtime.begin(keywords, budget), np.full(len(targets), BOS_ID, np.int64)
    for place in range(width):
        state, coming = runtime.step(state, last)
        here = table[:, place] != PAD_ID
        found = coming.of(table[:, place])
        # A word past the vocabulary that cannot be copied here is one more unknown word.
        is_lost = (table[:, place] >= len(vocabulary)) & np.isneginf(found)
        if (here & is_lost).any():
            found = np.where(is_lost, coming.of(np.full(len(targets), UNK_ID)), found)
        losses -= np.where(here, found, 0.0)
        last = table[:, place]
    return losses
