"""Scoring: the loss −log p(sentence | keywords) of given sentences."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tersely.model.budget_features import DecoderBudget
from tersely.runtime.arrays import pad
from tersely.runtime.registry import DecoderRuntime
from tersely.text.vocabulary import BOS_ID, EOS_ID, UNK_ID


def total_nll(
    runtime: DecoderRuntime,
    keywords: Sequence[Sequence[str]],
    sentences: Sequence[Sequence[str]],
    *,
    budget: DecoderBudget | None = None,
) -> npt.NDArray[np.float64]:
    """Return each sentence's loss in nats, end mark included; unknown words count as `<unk>`."""
    vocabulary = runtime.vocabulary
    targets, lengths = pad(
        [
            [*vocabulary.encode_with_copies(tokens, vocabulary.out_of_vocabulary(typed)), EOS_ID]
            for tokens, typed in zip(sentences, keywords, strict=True)
        ]
    )
    losses = np.zeros(len(targets))
    state, last = runtime.begin(keywords, budget), np.full(len(targets), BOS_ID, np.int64)
    for position in range(targets.shape[1]):
        state, next_token = runtime.step(state, last)
        last = targets[:, position]
        is_inside = position < lengths
        log_probs = next_token.log_prob(last)
        # An id past the vocabulary that cannot be copied here is scored as the unknown token.
        is_unknown = (last >= len(vocabulary)) & np.isneginf(log_probs)
        if (is_inside & is_unknown).any():
            unknown = next_token.log_prob(np.full(len(targets), UNK_ID))
            log_probs = np.where(is_unknown, unknown, log_probs)
        losses -= np.where(is_inside, log_probs, 0.0)
    return losses
