"""The monotone decoder p(x|z): place the next keyword, or generate another word.

A bidirectional LSTM reads the keywords and the end mark after them. At each step the
decoder LSTM is fed the last token, the reader's state at the keyword that comes next, and
a hint (model/budget_features.py); then it either places that keyword or generates another word. To place the
end mark is to end the sentence, so that every sentence contains its keywords in order,
whatever the weights are.

With masks that keep each keyword at its leftmost place (alignment.py) a sentence is said
in one way only: −log p(x|z) is a plain sum, and the softmax is needed only where a word
is generated. There the next keyword itself is never right; its share of the softmax is
lost, which makes the loss an upper bound, by little: the decoder is told which word it is.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from tersely.game.alignment import Placement
from tersely.game.batches import Batch
from tersely.game.distilled.masks import with_end_mark, within_vocabulary
from tersely.game.layers.embedding import look_up_both
from tersely.game.layers.lstm import PackedLstm, TwoWayLstm
from tersely.game.layers.packing import layout_of, spread
from tersely.game.layers.softmax import AdaptiveSoftmax, FullSoftmax
from tersely.model.shapes import MonotoneShape
from tersely.text.vocabulary import BOS_ID


class MonotoneDecoder(nn.Module):
    """Maps keywords and a sentence to the log-probability of each of its tokens."""

    def __init__(self, shape: MonotoneShape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary_size, shape.embedding_units)
        self.reader = TwoWayLstm(shape.embedding_units, shape.reader_units_a_direction)
        self.lstm = PackedLstm(shape.decoder_inputs, shape.decoder_units)
        self.place = nn.Linear(shape.decoder_units, 1)
        self.softmax = (FullSoftmax if shape.softmax == "full" else AdaptiveSoftmax)(shape)

    def forward(self, batch: Batch, placed: Placement, told: Tensor) -> Tensor:
        """Return log p of each token, end mark included: (batch, time + 1), 0 past the end.

        told (batch, DECODER_FEATURES): the hint.
        """
        targets, lengths = with_end_mark(batch.tokens, batch.lengths)  # (batch, time + 1)
        before = torch.cat([targets.new_full((len(targets), 1), BOS_ID), batch.tokens], dim=1)
        read = layout_of(placed.counts, placed.keywords.shape[1])
        written = layout_of(lengths, targets.shape[1])
        heard, said = look_up_both(
            self.embedding, placed.keywords.flatten()[read.places], before.flatten()[written.places]
        )
        reading, _ = self.reader(heard, read)  # (all keywords, reader)
        follows = reading[_packed_index(read.places, placed, written.places)]
        states = self.lstm(torch.cat([said, follows], dim=1), written, fed=told, start=None)
        flat = self._choose(
            states,
            placed.here.flatten()[written.places],
            within_vocabulary(targets.flatten()[written.places], self.shape.vocabulary_size),
        )
        return spread(flat, written.places, targets.numel()).view(targets.shape)

    def _choose(self, states: Tensor, is_placed: Tensor, targets: Tensor) -> Tensor:
        """Log-probability of what each state said: (all tokens,)."""
        place = self.place(states).squeeze(1)
        chosen = logsigmoid(torch.where(is_placed, place, -place))
        generated = (~is_placed).nonzero().squeeze(1)
        if not len(generated):
            return chosen
        words = self.softmax(states.index_select(0, generated), targets[generated])
        return chosen + spread(words, generated, len(states))


def _packed_index(places: Tensor, placed: Placement, written: Tensor) -> Tensor:
    """Where, among packed keywords, each packed token's next keyword lies."""
    width = placed.keywords.shape[1]
    index = torch.empty(placed.keywords.numel(), dtype=torch.long)
    index[places] = torch.arange(len(places))
    rows = torch.arange(len(placed.keywords))[:, None] * width  # (batch, 1)
    return index[(rows + placed.following).flatten()[written]]
