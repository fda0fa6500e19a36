"""Small schemes and sentences for tests."""

from typing import Any

import torch

from tersely.game.batch import Batch
from tersely.game.paper.scheme import PaperScheme
from tersely.model.shapes import PaperShape


def small_shape(**changes: Any) -> PaperShape:
    values: dict[str, Any] = {
        "vocabulary_size": 30,
        "embedding_units": 7,
        "encoder_units": 6,
        "reader_units_a_direction": 4,
        "decoder_units": 8,
        "decoder_input": "reader_state",
        "decoder_start": "reader_state",
        "end_mark_in_keywords": True,
        "softmax": "full",
        "adaptive_cutoffs": (),
        "adaptive_division": 2.0,
    }
    return PaperShape(**{**values, **changes})


SHAPES = {
    "paper": small_shape(),
    "adaptive": small_shape(softmax="adaptive", adaptive_cutoffs=(10, 20)),
    "token only": small_shape(decoder_input="token_only", decoder_start="zeros"),
    "no end mark": small_shape(end_mark_in_keywords=False),
}


def small_scheme(
    shape: PaperShape | None = None, *, width: float = 0.8, seed: int = 1
) -> PaperScheme:
    scheme = PaperScheme(shape or small_shape())
    scheme.initialize(width, torch.Generator().manual_seed(seed))
    return scheme


def random_batch(rows: int, *, longest: int = 9, lexicon: int = 40, seed: int = 1) -> Batch:
    """Random sentences of ids from 4 on; ids from 30 on are past the vocabulary."""
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, longest + 1, (rows,), generator=generator)
    tokens = torch.randint(4, lexicon, (rows, int(lengths.max())), generator=generator)
    here = torch.arange(tokens.shape[1]) < lengths[:, None]
    return Batch(tokens.masked_fill(~here, 0), lengths)


def gradient(tensor: torch.Tensor) -> torch.Tensor:
    """The gradient of a tensor that has one."""
    assert tensor.grad is not None
    return tensor.grad
