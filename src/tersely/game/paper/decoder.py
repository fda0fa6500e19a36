"""Decoder p(x|z): the probability of a sentence given its keywords.

A bidirectional LSTM, the reader, encodes the keywords. A second LSTM generates the sentence; its
input is the embedding of the last token and the reader's final state. Global attention (Luong et
al. 2015, https://arxiv.org/abs/1508.04025, the "general" score) attends to the keywords, and each
word is either generated from the vocabulary or copied from the keywords (See et al. 2017,
https://arxiv.org/abs/1704.04368). Attention is not fed back into the LSTM, so one call runs over
the whole sentence. All layers but attention run over packed tokens (layers/packing.py).
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from tersely.game.batch import append_end_mark, fold_unknown, length_mask
from tersely.game.layers.lstm import BidirectionalLstm, PackedLstm
from tersely.game.layers.packing import (
    PackedLayout,
    embed_both,
    gather_rows,
    packed_layout,
    scatter_rows,
)
from tersely.game.layers.softmax import build_softmax
from tersely.model.shapes import PaperShape
from tersely.text.vocabulary import BOS_ID

MIN_COPY_PROBABILITY = 1e-30


class ReaderOutput(NamedTuple):
    """The reader's states over the keywords."""

    states: Tensor  # (batch, keywords, reader)
    hidden: Tensor  # (batch, reader): the final states of both directions, concatenated
    cell: Tensor  # (batch, reader)


class Decoder(nn.Module):
    """Scores sentences given keywords."""

    def __init__(self, shape: PaperShape) -> None:
        super().__init__()
        self.shape = shape
        units, reader = shape.decoder_units, shape.reader_units
        self.embedding = nn.Embedding(shape.vocabulary_size, shape.embedding_units)
        self.reader = BidirectionalLstm(shape.embedding_units, shape.reader_units_a_direction)
        self.lstm = PackedLstm(shape.decoder_inputs, units)
        self.attend = nn.Linear(units, reader, bias=False)
        self.combine = nn.Linear(reader + units, units, bias=False)
        self.generate = nn.Linear(reader + units + shape.embedding_units, 1)
        self.softmax = build_softmax(shape)

    def forward(self, keywords: Tensor, counts: Tensor, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Return log p(x|z) of each token and the end mark: (batch, time + 1), 0 past the end.

        keywords (batch, n) with counts (batch,); tokens (batch, time) with lengths (batch,).
        """
        targets, target_lengths = append_end_mark(tokens, lengths)  # (batch, time + 1)
        inputs = torch.cat([tokens.new_full((len(tokens), 1), BOS_ID), tokens], dim=1)
        # Packing needs at least one token per row; where there are no keywords its state is zeroed.
        read = packed_layout(counts.clamp(min=1), keywords.shape[1])
        written = packed_layout(target_lengths, targets.shape[1])
        keyword_vectors, input_vectors = embed_both(
            self.embedding,
            keywords.flatten()[read.positions],
            inputs.flatten()[written.positions],
        )
        reader = self._read(keyword_vectors, read, counts, width=keywords.shape[1])
        states = self._write(input_vectors, reader, written)  # (all tokens, units)
        queries = scatter_rows(self.attend(states), written.positions, targets.numel())
        weights = self._attention(queries.view(*targets.shape, -1), reader.states, counts)
        context = gather_rows((weights @ reader.states).flatten(0, 1), written.positions)

        features = torch.cat([context, states], dim=1)  # (all tokens, reader + units)
        hidden = torch.tanh(self.combine(features))  # (all tokens, units)
        generate = self.generate(torch.cat([features, input_vectors], dim=1)).squeeze(1)
        copied = (weights * (keywords[:, None, :] == targets[:, :, None])).sum(2)
        log_probabilities = self._mixture(
            hidden,
            generate,
            gather_rows(copied.flatten(), written.positions),
            targets.flatten()[written.positions],
        )
        padded = scatter_rows(log_probabilities, written.positions, targets.numel())
        return padded.view(targets.shape)

    def _read(
        self, vectors: Tensor, layout: PackedLayout, counts: Tensor, *, width: int
    ) -> ReaderOutput:
        """Run the reader over packed keywords."""
        states, (hidden, cell) = self.reader(vectors, layout)
        padded = scatter_rows(states, layout.positions, len(counts) * width)
        has_keywords = (counts > 0)[:, None]
        return ReaderOutput(
            padded.view(len(counts), width, -1) * has_keywords[:, None],
            hidden * has_keywords,
            cell * has_keywords,
        )

    def _write(self, vectors: Tensor, reader: ReaderOutput, layout: PackedLayout) -> Tensor:
        """Run the decoder LSTM over the sentence: (all tokens, units)."""
        shape = self.shape
        states: Tensor = self.lstm(
            vectors,
            layout,
            constant=reader.hidden if shape.decoder_input == "reader_state" else None,
            initial=reader[1:] if shape.decoder_start == "reader_state" else None,
        )
        return states

    def _attention(self, queries: Tensor, states: Tensor, counts: Tensor) -> Tensor:
        """Return attention weights over the keywords: (batch, time + 1, n)."""
        scores = queries @ states.transpose(1, 2)
        is_padding = ~length_mask(counts, states.shape[1])[:, None]
        weights: Tensor = scores.masked_fill(is_padding, -1e9).softmax(dim=2)
        return weights.masked_fill(is_padding, 0.0)  # rows without keywords have no weights

    def _mixture(self, hidden: Tensor, generate: Tensor, copied: Tensor, targets: Tensor) -> Tensor:
        """Mix generating and copying; return the log-probability of each target: (all tokens,)."""
        is_unknown = targets >= self.shape.vocabulary_size
        generated = nn.functional.logsigmoid(generate) + self.softmax(
            hidden, fold_unknown(targets, self.shape.vocabulary_size)
        )
        # Near 0 the gradient of the logarithm overflows, so tiny probabilities count as 0.
        can_copy = copied > MIN_COPY_PROBABILITY
        log_copied = torch.where(can_copy, copied, 1.0).log() + nn.functional.logsigmoid(-generate)
        both = torch.logaddexp(generated, log_copied)
        return torch.where(can_copy, torch.where(is_unknown, log_copied, both), generated)
