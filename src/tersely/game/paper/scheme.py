"""The paper's communication scheme: an encoder and a decoder that are trained together."""

import torch
from torch import Tensor, nn

from tersely.game.batch import Batch, pack_kept
from tersely.game.paper.decoder import Decoder
from tersely.game.paper.encoder import Encoder
from tersely.model.shapes import PaperShape


class PaperScheme(nn.Module):
    """Encoder q(z|x) and decoder p(x|z) of one shape."""

    def __init__(self, shape: PaperShape) -> None:
        super().__init__()
        self.shape = shape
        self.encoder = Encoder(
            vocabulary_size=shape.vocabulary_size,
            embedding_units=shape.embedding_units,
            units=shape.encoder_units,
        )
        self.decoder = Decoder(shape)

    def initialize(self, initial_range: float, generator: torch.Generator) -> None:
        """Draw all parameters from U(−range, range) (paper, appendix C)."""
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.uniform_(-initial_range, initial_range, generator=generator)

    def loss_per_token(self, batch: Batch, keep: Tensor) -> Tensor:
        """Return −log p(x|z) / (tokens + 1) of each sentence, in nats: (batch,)."""
        return self.total_loss(batch, keep) / (batch.lengths + 1)

    def total_loss(self, batch: Batch, keep: Tensor) -> Tensor:
        """Return −log p(x|z) of each sentence, in nats: (batch,)."""
        keywords, counts = pack_kept(
            batch.tokens, keep, batch.lengths, end_mark=self.shape.end_mark_in_keywords
        )
        log_probabilities: Tensor = self.decoder(keywords, counts, batch.tokens, batch.lengths)
        return -log_probabilities.sum(dim=1)
