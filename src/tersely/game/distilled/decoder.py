"""The monotone decoder p(x|z): at each step it places the next keyword or generates a word.

A bidirectional LSTM, the reader, encodes the keywords and the end mark after them. The decoder
LSTM's input at each step is the last token, the reader's state at the next keyword, and the
budget features (model/budget_features.py). Then the decoder either places that keyword or
generates another word. Placing the end mark ends the sentence, so every sentence contains its
keywords in order, whatever the weights are.

Keywords are aligned leftmost (alignment.py), so each sentence has one sequence of choices. The loss
is its negative log-probability: a plain sum, with the softmax only where a word is generated. The
next keyword is always placed and never generated, but the softmax is not renormalised without it.
So the loss is an upper bound of −log p(x|z) under a renormalised softmax. The gap is small, because
the decoder's input contains the next keyword.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from tersely.game.batch import Batch, append_end_mark, fold_unknown
from tersely.game.distilled.alignment import LeftmostAlignment
from tersely.game.layers.lstm import BidirectionalLstm, PackedLstm
from tersely.game.layers.packing import embed_both, packed_layout, scatter_rows
from tersely.game.layers.softmax import build_softmax
from tersely.model.shapes import MonotoneShape
from tersely.text.vocabulary import BOS_ID


class MonotoneDecoder(nn.Module):
    """Maps keywords and a sentence to the log-probability of each of its tokens."""

    def __init__(self, shape: MonotoneShape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary_size, shape.embedding_units)
        self.reader = BidirectionalLstm(shape.embedding_units, shape.reader_units_a_direction)
        self.lstm = PackedLstm(shape.decoder_inputs, shape.decoder_units)
        self.place = nn.Linear(shape.decoder_units, 1)
        self.softmax = build_softmax(shape)

    def forward(
        self, batch: Batch, alignment: LeftmostAlignment, budget_features: Tensor
    ) -> Tensor:
        """Return log p of each token, end mark included: (batch, time + 1), 0 past the end.

        budget_features (batch, DECODER_FEATURES).
        """
        targets, lengths = append_end_mark(batch.tokens, batch.lengths)  # (batch, time + 1)
        inputs = torch.cat([targets.new_full((len(targets), 1), BOS_ID), batch.tokens], dim=1)
        read = packed_layout(alignment.counts, alignment.keywords.shape[1])
        written = packed_layout(lengths, targets.shape[1])
        keyword_vectors, input_vectors = embed_both(
            self.embedding,
            alignment.keywords.flatten()[read.positions],
            inputs.flatten()[written.positions],
        )
        keyword_states, _ = self.reader(keyword_vectors, read)  # (all keywords, reader)
        next_states = keyword_states[_next_keywords(alignment, read.positions, written.positions)]
        states = self.lstm(
            torch.cat([input_vectors, next_states], dim=1),
            written,
            constant=budget_features,
            initial=None,
        )
        log_probabilities = self._log_probabilities(
            states,
            alignment.is_placed.flatten()[written.positions],
            fold_unknown(targets.flatten()[written.positions], self.shape.vocabulary_size),
        )
        padded = scatter_rows(log_probabilities, written.positions, targets.numel())
        return padded.view(targets.shape)

    def _log_probabilities(self, states: Tensor, is_placed: Tensor, targets: Tensor) -> Tensor:
        """Return the log-probability of placing or generating each target: (all tokens,)."""
        place_logit = self.place(states).squeeze(1)
        log_choice = logsigmoid(torch.where(is_placed, place_logit, -place_logit))
        generated = (~is_placed).nonzero().squeeze(1)
        if not len(generated):
            return log_choice
        log_words = self.softmax(states.index_select(0, generated), targets[generated])
        return log_choice + scatter_rows(log_words, generated, len(states))


def _next_keywords(alignment: LeftmostAlignment, read: Tensor, written: Tensor) -> Tensor:
    """Return the packed index of each packed token's next keyword: (all tokens,).

    read and written are the padded positions of packed keywords and packed tokens.
    """
    packed_index = torch.empty(alignment.keywords.numel(), dtype=torch.long)
    packed_index[read] = torch.arange(len(read))
    width = alignment.keywords.shape[1]
    row_starts = torch.arange(len(alignment.keywords))[:, None] * width  # (batch, 1)
    return packed_index[(row_starts + alignment.next_keyword).flatten()[written]]
