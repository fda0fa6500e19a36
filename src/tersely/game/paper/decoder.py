"""Decoder p(x|z): how likely a sentence is, given its keywords.

A bidirectional LSTM reads the keywords. A second LSTM writes the sentence: its input
is the last token's embedding with the reader's last state. Global attention (Luong et
al. 2015, https://arxiv.org/abs/1508.04025, the "general" score) looks back at the
keywords, and each word is either generated from the vocabulary or copied from them
(See et al. 2017, https://arxiv.org/abs/1704.04368). Attention is not fed back into the
LSTM, so one call runs over the whole sentence. Whatever can runs over packed tokens
(packing.py), without padding.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from tersely.game.distilled.masks import inside, with_end_mark, within_vocabulary
from tersely.game.layers.embedding import look_up_both
from tersely.game.layers.lstm import PackedLstm, TwoWayLstm
from tersely.game.layers.packing import Layout, collect, layout_of, spread
from tersely.game.layers.softmax import AdaptiveSoftmax, FullSoftmax
from tersely.model.shapes import PaperShape
from tersely.text.vocabulary import BOS_ID

UNLIKELY = 1e-30


class Reading(NamedTuple):
    """What the reader makes of the keywords."""

    states: Tensor  # (batch, keywords, reader)
    hidden: Tensor  # (batch, reader): the last state of each direction, side by side
    cell: Tensor  # (batch, reader)


class Decoder(nn.Module):
    """Scores sentences given keywords."""

    def __init__(self, shape: PaperShape) -> None:
        super().__init__()
        self.shape = shape
        units, reader = shape.decoder_units, shape.reader_units
        self.embedding = nn.Embedding(shape.vocabulary_size, shape.embedding_units)
        self.reader = TwoWayLstm(shape.embedding_units, shape.reader_units_a_direction)
        self.lstm = PackedLstm(shape.decoder_inputs, units)
        self.attend = nn.Linear(units, reader, bias=False)
        self.combine = nn.Linear(reader + units, units, bias=False)
        self.generate = nn.Linear(reader + units + shape.embedding_units, 1)
        softmax = FullSoftmax if shape.softmax == "full" else AdaptiveSoftmax
        self.softmax = softmax(shape)

    def forward(self, keywords: Tensor, counts: Tensor, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Return log p(x|z) of each token and the end mark: (batch, time + 1), 0 past the end.

        keywords (batch, n) with counts (batch,); tokens (batch, time) with lengths (batch,);
        ids of the lexicon.
        """
        targets, target_lengths = with_end_mark(tokens, lengths)  # (batch, time + 1)
        before = torch.cat([tokens.new_full((len(tokens), 1), BOS_ID), tokens], dim=1)
        # Packing has at least one token of each row; without keywords nothing is made of it.
        read = layout_of(counts.clamp(min=1), keywords.shape[1])
        written = layout_of(target_lengths, targets.shape[1])
        heard, said = look_up_both(
            self.embedding, keywords.flatten()[read.places], before.flatten()[written.places]
        )
        reading = self._read(heard, read, counts, width=keywords.shape[1])
        states = self._write(said, reading, written)  # (all tokens, units)
        asked = spread(self.attend(states), written.places, targets.numel())
        weights = self._attention(asked.view(*targets.shape, -1), reading.states, counts)
        context = collect((weights @ reading.states).flatten(0, 1), written.places)

        features = torch.cat([context, states], dim=1)  # (all tokens, reader + units)
        spoken = torch.tanh(self.combine(features))  # (all tokens, units)
        generate = self.generate(torch.cat([features, said], dim=1)).squeeze(1)
        copied = (weights * (keywords[:, None, :] == targets[:, :, None])).sum(2)
        flat = self._mixture(
            spoken,
            generate,
            collect(copied.flatten(), written.places),
            targets.flatten()[written.places],
        )
        return spread(flat, written.places, targets.numel()).view(targets.shape)

    def _read(self, embedded: Tensor, layout: Layout, counts: Tensor, *, width: int) -> Reading:
        """Run the reader over packed keywords."""
        states, (hidden, cell) = self.reader(embedded, layout)
        padded = spread(states, layout.places, len(counts) * width)
        is_said = (counts > 0)[:, None]
        return Reading(
            padded.view(len(counts), width, -1) * is_said[:, None], hidden * is_said, cell * is_said
        )

    def _write(self, embedded: Tensor, reading: Reading, layout: Layout) -> Tensor:
        shape = self.shape
        states: Tensor = self.lstm(
            embedded,
            layout,
            fed=reading.hidden if shape.decoder_input == "reader_state" else None,
            start=reading[1:] if shape.decoder_start == "reader_state" else None,
        )
        return states

    def _attention(self, asked: Tensor, read: Tensor, counts: Tensor) -> Tensor:
        scores = asked @ read.transpose(1, 2)  # (batch, time + 1, n)
        outside = ~inside(counts, read.shape[1])[:, None]
        weights: Tensor = scores.masked_fill(outside, -1e9).softmax(dim=2)
        return weights.masked_fill(outside, 0.0)  # no keywords at all: nothing to attend to

    def _mixture(self, spoken: Tensor, generate: Tensor, copied: Tensor, targets: Tensor) -> Tensor:
        """Mix generating and copying: the log-probability of each target, (all tokens,)."""
        is_beyond = targets >= self.shape.vocabulary_size
        generated = nn.functional.logsigmoid(generate) + self.softmax(
            spoken, within_vocabulary(targets, self.shape.vocabulary_size)
        )
        # Near 0 the logarithm's gradient overflows; what is that unlikely is not copied.
        can_copy = copied > UNLIKELY
        log_copied = torch.where(can_copy, copied, 1.0).log() + nn.functional.logsigmoid(-generate)
        both = torch.logaddexp(generated, log_copied)
        return torch.where(can_copy, torch.where(is_beyond, log_copied, both), generated)
