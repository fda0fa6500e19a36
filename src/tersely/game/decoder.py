"""Decoder p(x|z): how likely a sentence is, given its keywords.

A bidirectional LSTM reads the keywords. A second LSTM writes the sentence: its input
is the last token's embedding with the reader's last state. Global attention (Luong et
al. 2015, https://arxiv.org/abs/1508.04025, the "general" score) looks back at the
keywords, and each word is either generated from the vocabulary or copied from them
(See et al. 2017, https://arxiv.org/abs/1704.04368). Attention is not fed back into the
LSTM, so one call runs over the whole sentence.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from tersely.game.masks import inside, packed, padded, with_end_mark, within_vocabulary
from tersely.game.softmax import AdaptiveSoftmax, FullSoftmax
from tersely.model.shape import SchemeShape
from tersely.text.vocab import BOS_ID


class Reading(NamedTuple):
    """What the reader makes of the keywords."""

    states: Tensor  # (batch, keywords, reader)
    hidden: Tensor  # (batch, reader): the last state of each direction, side by side
    cell: Tensor  # (batch, reader)


class Decoder(nn.Module):
    """Scores sentences given keywords."""

    def __init__(self, shape: SchemeShape) -> None:
        super().__init__()
        self.shape = shape
        units, reader = shape.decoder_units, shape.reader_units
        self.embedding = nn.Embedding(shape.vocabulary_size, shape.embedding_units)
        self.reader = nn.LSTM(
            shape.embedding_units,
            shape.reader_units_a_direction,
            batch_first=True,
            bidirectional=True,
        )
        self.lstm = nn.LSTM(shape.decoder_inputs, units, batch_first=True)
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
        reading = self.read(keywords, counts)
        targets, target_lengths = with_end_mark(tokens, lengths)  # (batch, time + 1)
        before = torch.cat([tokens.new_full((len(tokens), 1), BOS_ID), tokens], dim=1)
        embedded = self.embedding(within_vocabulary(before, self.shape.vocabulary_size))
        states = self._write(embedded, reading, target_lengths)  # (batch, time + 1, units)
        weights = self._attention(states, reading.states, counts)  # (batch, time + 1, n)
        context = weights @ reading.states  # (batch, time + 1, reader)

        here = inside(target_lengths, targets.shape[1])
        features = torch.cat([context, states], dim=2)[here]  # (all tokens, reader + units)
        spoken = torch.tanh(self.combine(features))  # (all tokens, units)
        generate = self.generate(torch.cat([features, embedded[here]], dim=1)).squeeze(1)
        copied = (weights * (keywords[:, None, :] == targets[:, :, None])).sum(2)[here]
        flat = self._mixture(spoken, generate, copied, targets[here])
        return torch.zeros(targets.shape).masked_scatter(here, flat)

    def read(self, keywords: Tensor, counts: Tensor) -> Reading:
        """Run the reader over keywords (batch, n)."""
        known = within_vocabulary(keywords, self.shape.vocabulary_size)
        states, (hidden, cell) = self.reader(packed(self.embedding(known), counts))
        # Packing reads at least one token; where there are no keywords nothing was said.
        said = (counts > 0)[:, None]
        return Reading(
            padded(states, keywords.shape[1]) * said[:, None],
            hidden.transpose(0, 1).flatten(1) * said,
            cell.transpose(0, 1).flatten(1) * said,
        )

    def _write(self, embedded: Tensor, reading: Reading, lengths: Tensor) -> Tensor:
        if self.shape.decoder_input == "reader_state":
            fed = reading.hidden[:, None].expand(-1, embedded.shape[1], -1)
            inputs = torch.cat([embedded, fed], dim=2)
        else:
            inputs = embedded
        start = (
            (reading.hidden[None], reading.cell[None])
            if self.shape.decoder_start == "reader_state"
            else None
        )
        states, _ = self.lstm(packed(inputs, lengths), start)
        written: Tensor = padded(states, embedded.shape[1])
        return written

    def _attention(self, states: Tensor, read: Tensor, counts: Tensor) -> Tensor:
        scores = self.attend(states) @ read.transpose(1, 2)  # (batch, time + 1, n)
        outside = ~inside(counts, read.shape[1])[:, None]
        weights: Tensor = scores.masked_fill(outside, -1e9).softmax(dim=2)
        return weights.masked_fill(outside, 0.0)  # no keywords at all: nothing to attend to

    def _mixture(self, spoken: Tensor, generate: Tensor, copied: Tensor, targets: Tensor) -> Tensor:
        """Mix generating and copying: the log-probability of each target, (all tokens,)."""
        is_beyond = targets >= self.shape.vocabulary_size
        generated = nn.functional.logsigmoid(generate) + self.softmax(
            spoken, within_vocabulary(targets, self.shape.vocabulary_size)
        )
        can_copy = copied > 0
        # The logarithm of 0 has no gradient; where there is nothing to copy it is not used.
        log_copied = torch.where(can_copy, copied, 1.0).log() + nn.functional.logsigmoid(-generate)
        both = torch.logaddexp(generated, log_copied)
        return torch.where(can_copy, torch.where(is_beyond, log_copied, both), generated)
