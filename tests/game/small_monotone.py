"""Small monotone schemes, their model folders, masks and splits, for tests."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from tersely.corpus.dataset import Split
from tersely.game.batch import Batch, length_mask
from tersely.game.distilled.scheme import MonotoneScheme
from tersely.model.folder import ModelFolder
from tersely.model.shapes import MONOTONE, MonotoneShape
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary

LEXICON = [*SPECIAL_TOKENS, *(f"w{n}" for n in range(len(SPECIAL_TOKENS), 40))]
SURPRISAL_SETTINGS: dict[str, Any] = {
    "encoder": {"kind": "surprisal", "noise": 0.4, "default_budget": 0.4},
    "budgets": [
        {"budget": 0.1, "typed_fraction": 0.1},
        {"budget": 0.9, "typed_fraction": 0.9},
    ],
}


def small_monotone_shape(**changes: Any) -> MonotoneShape:
    values: dict[str, Any] = {
        "vocabulary_size": 30,
        "embedding_units": 7,
        "encoder_embedding_units": 5,
        "encoder_units_a_direction": 6,
        "reader_units_a_direction": 4,
        "decoder_units": 8,
        "softmax": "full",
        "adaptive_cutoffs": (),
        "adaptive_division": 2.0,
    }
    return MonotoneShape(**{**values, **changes})


MONOTONE_SHAPES = {
    "full": small_monotone_shape(),
    "adaptive": small_monotone_shape(softmax="adaptive", adaptive_cutoffs=(10, 20)),
}


def small_monotone(
    shape: MonotoneShape | None = None,
    *,
    width: float = 0.5,
    seed: int = 1,
    loss_scale: float = 1.0,
) -> MonotoneScheme:
    """A scheme of random weights; with `loss_scale` 20 token values are a few nats."""
    scheme = MonotoneScheme(shape or small_monotone_shape())
    scheme.initialize(width, torch.Generator().manual_seed(seed))
    with torch.no_grad():
        scheme.encoder.costs.weight *= loss_scale
    return scheme


def monotone_folder_of(scheme: MonotoneScheme, **settings: Any) -> ModelFolder:
    return ModelFolder(
        architecture=MONOTONE,
        settings={"shape": scheme.shape.as_settings(), **SURPRISAL_SETTINGS, **settings},
        tensors={name: tensor.numpy() for name, tensor in scheme.state_dict().items()},
        vocabulary=Vocabulary(LEXICON[: scheme.shape.vocabulary_size]),
    )


def random_masks(batch: Batch, *, share: float = 0.5, seed: int = 2) -> Tensor:
    """Random masks; of the words past the vocabulary, a sentence keeps all or none."""
    generator = torch.Generator().manual_seed(seed)
    keep = torch.rand(batch.tokens.shape, generator=generator) < share
    copies = torch.rand((len(keep), 1), generator=generator) < 0.5
    keep = torch.where(batch.tokens >= 30, copies, keep)
    return keep & length_mask(batch.lengths, keep.shape[1])


def words_of(batch: Batch, keep: Tensor | None = None) -> list[list[str]]:
    """The tokens of a batch, or those that are kept."""
    here = length_mask(batch.lengths, batch.tokens.shape[1]) if keep is None else keep
    return [
        [LEXICON[token] for token in tokens[mask].tolist()]
        for tokens, mask in zip(batch.tokens, here, strict=True)
    ]


def split_of(batch: Batch) -> Split:
    """The sentences of a batch as a split of a prepared corpus."""
    tokens = batch.tokens[length_mask(batch.lengths, batch.tokens.shape[1])]
    offsets = np.concatenate([[0], batch.lengths.cumsum(0).numpy()])
    return Split(tokens.numpy().astype(np.int32), offsets)
