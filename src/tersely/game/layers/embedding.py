"""Looking words up in an embedding, as few times as can be."""

import torch
from torch import Tensor, nn

from tersely.game.distilled.masks import within_vocabulary


def look_up_both(embedding: nn.Embedding, one: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """Look two rows of ids up at once: the gradient of a look-up is as large as the table."""
    both = within_vocabulary(torch.cat([one, other]), embedding.num_embeddings)
    first, second = embedding(both).split_with_sizes([len(one), len(other)])
    return first, second
