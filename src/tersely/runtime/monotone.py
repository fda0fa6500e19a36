"""Runtime of the monotone scheme, without torch.

The encoder tells what each word would cost, typed or left out; the decoder tells, step by
step, how likely each word comes next. The equations are those of game/distilled/encoder.py and
game/distilled/decoder.py. A sentence can only end once all its keywords are placed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tersely.model.budget_features import (
    ENCODER_FEATURES,
    DecoderBudget,
    decoder_hint,
    encoder_hint,
)
from tersely.model.folder import ModelFolder
from tersely.model.monotone_shape import MonotoneShape
from tersely.runtime.adaptive_softmax import VocabularySoftmax
from tersely.runtime.arrays import Ids, padded
from tersely.runtime.embedding_cache import ProjectedWords
from tersely.runtime.lstm import Floats, Lstm
from tersely.runtime.next_token import PlaceOrGenerate
from tersely.runtime.paper import check_tensors
from tersely.text.vocabulary import BOS_ID, EOS, EOS_ID, UNK_ID

BEFORE = -1  # of a row whose last word was said before its keywords begin to count


@dataclass(frozen=True, slots=True)
class MonotoneState:
    """Where decoding stands; one row a hypothesis, of one of the sentences begun together."""

    hidden: Floats  # (rows, decoder)
    cell: Floats  # (rows, decoder)
    following: Ids  # (rows,): index of the keyword that comes next, or BEFORE
    sentence: Ids  # (rows,): whose keywords they are
    fed: Floats  # (sentences × keywords, 4 × decoder): what keyword and hint add to the input
    keywords: Ids  # (sentences, keywords): with the end mark; ids past the vocabulary if unknown
    width: int  # ids there are: the vocabulary and the words to copy

    def take(self, rows: Ids) -> "MonotoneState":
        """Keep, repeat or reorder rows."""
        return replace(
            self,
            hidden=self.hidden.take(rows, axis=0),
            cell=self.cell.take(rows, axis=0),
            following=self.following[rows],
            sentence=self.sentence[rows],
        )


class MonotoneRuntime:
    """A monotone scheme, ready to run."""

    def __init__(self, model: ModelFolder) -> None:
        self.shape = MonotoneShape.from_settings(model.settings)
        check_tensors(model, self.shape)
        self.vocabulary = model.vocabulary
        weights = model.tensors
        self._encoder_embedding = weights["encoder.embedding.weight"]
        self._encoder = (
            Lstm(weights, "encoder.lstm"),
            Lstm(weights, "encoder.lstm", reverse=True),
        )
        self._costs = weights["encoder.costs.weight"].T, weights["encoder.costs.bias"]
        self._embedding = weights["decoder.embedding.weight"]
        self._reader = (
            Lstm(weights, "decoder.reader"),
            Lstm(weights, "decoder.reader", reverse=True),
        )
        self._decoder = Lstm(weights, "decoder.lstm")
        keyword_from = self.shape.embedding_units
        told_from = keyword_from + self.shape.reader_units
        self._words = ProjectedWords(self._embedding, self._decoder.inputs_from(0, keyword_from))
        self._keywords = self._decoder.inputs_from(keyword_from, told_from)
        self._told = self._decoder.inputs_from(told_from)
        self._place = weights["decoder.place.weight"][0], weights["decoder.place.bias"]
        self._softmax = VocabularySoftmax.load(weights, self.shape)

    def costs(self, sentences: Sequence[Sequence[str]], budget: float) -> list[Floats]:
        """Tell for each token what it costs if left out and if typed, in nats: (tokens, 2)."""
        ids, lengths = padded([self.vocabulary.encode(tokens) for tokens in sentences])
        hints = encoder_hint(np.full(len(ids), budget))[:, None]
        told = np.broadcast_to(hints, (*ids.shape, ENCODER_FEATURES))
        vectors = np.concatenate([self._encoder_embedding[ids], told], axis=2)
        ahead, back = self._encoder
        states = np.concatenate(
            [ahead.run(vectors, lengths)[0], back.run(vectors, lengths, reverse=True)[0]], axis=2
        )
        weight, bias = self._costs
        costs = states @ weight + bias  # (rows, time, 2)
        return [row[:length] for row, length in zip(costs, lengths, strict=True)]

    def begin(
        self, keywords: Sequence[Sequence[str]], budget: DecoderBudget | None = None
    ) -> MonotoneState:
        """Read the keywords, one row each, of a user of this budget, if there is one."""
        words = [[*row, EOS] for row in keywords]
        copies = [self.vocabulary.unknown(row) for row in words]
        known, counts = padded([self.vocabulary.encode(row) for row in words])
        ids, _ = padded(
            [
                self.vocabulary.encode_with_copies(row, own)
                for row, own in zip(words, copies, strict=True)
            ]
        )
        vectors = self._embedding[known]
        ahead, back = self._reader
        reading = np.concatenate(
            [ahead.run(vectors, counts)[0], back.run(vectors, counts, reverse=True)[0]], axis=2
        )
        told = _hint(budget, counts - 1)
        fed = self._keywords.times(reading)  # (rows, keywords, 4 × decoder)
        fed += (self._told.times(told) + self._decoder.bias)[:, None]
        hidden, cell = self._decoder.zeros(len(words))
        return MonotoneState(
            hidden=hidden,
            cell=cell,
            following=np.zeros(len(words), np.int64),
            sentence=np.arange(len(words)),
            fed=fed.reshape(-1, fed.shape[2]),
            keywords=ids,
            width=len(self.vocabulary) + max(map(len, copies), default=0),
        )

    def step(self, state: MonotoneState, last: Ids) -> tuple[MonotoneState, PlaceOrGenerate]:
        """Say the last word (rows,) and tell what comes next."""
        # The start mark stands among no keywords, nothing follows the end mark, and a row of
        # keywords ends with it or with padding: what comes before all keywords is none of them.
        was_placed = (state.keywords[state.sentence, state.following] == last) & (last != EOS_ID)
        following = np.maximum(state.following + was_placed, 0)
        known = np.where(last < len(self.vocabulary), last, UNK_ID)
        fed = state.fed.take(state.sentence * state.keywords.shape[1] + following, axis=0)
        projected = self._words.projected(known, onto=fed)
        hidden, cell = self._decoder.step(projected, state.hidden, state.cell)
        weight, bias = self._place
        coming = PlaceOrGenerate(
            spoken=hidden,
            place=hidden @ weight + bias,
            keyword=state.keywords[state.sentence, following],
            softmax=self._softmax,
            width=state.width,
        )
        return replace(state, hidden=hidden, cell=cell, following=following), coming

    def resume(self, state: MonotoneState, opening: Sequence[int]) -> tuple[MonotoneState, Ids]:
        """Begin all rows with these words, which are no keywords; the last is still to be said."""
        for word in (BOS_ID, *opening[:-1]):
            before = np.full_like(state.following, BEFORE)
            state, _ = self.step(replace(state, following=before), np.full(len(before), word))
        before = np.full_like(state.following, BEFORE)
        return replace(state, following=before), np.full(len(before), opening[-1])


def _hint(budget: DecoderBudget | None, keywords: Ids) -> Floats:
    """What is told of rows of so many keywords: (rows, DECODER_FEATURES)."""
    shares = np.full(keywords.shape, np.nan if budget is None else budget.share)
    return decoder_hint(shares, keywords, freely=budget is not None and not budget.is_even)
