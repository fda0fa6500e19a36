"""Forward pass of the monotone architecture, without torch.

The encoder predicts the loss of each token, typed or dropped; the decoder returns, step by step,
the distribution of the next token. The equations are those of game/distilled/encoder.py and
game/distilled/decoder.py. A sentence can end only after its last keyword.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tersely.model.budget_features import (
    ENCODER_FEATURES,
    DecoderBudget,
    decoder_features,
    encoder_features,
)
from tersely.model.folder import ModelFolder
from tersely.model.quantization import dequantize
from tersely.model.shapes import MonotoneShape, check_tensors
from tersely.runtime.adaptive_softmax import VocabularySoftmax
from tersely.runtime.arrays import Floats, Ids, pad
from tersely.runtime.embedding_cache import Embedding, ProjectedEmbeddings
from tersely.runtime.lstm import BidirectionalLstm, Lstm
from tersely.runtime.next_token import PlaceOrGenerate
from tersely.text.vocabulary import BOS_ID, EOS, EOS_ID, UNK_ID

IN_CONTEXT = -1  # the keyword index of a row whose last token belongs to a prefilled context


@dataclass(frozen=True, slots=True)
class MonotoneState:
    """Decoder state, one row per hypothesis; the rows of a sentence share its keywords."""

    hidden: Floats  # (rows, decoder)
    cell: Floats  # (rows, decoder)
    keyword_index: Ids  # (rows,): index of the next keyword before the last token, or IN_CONTEXT
    sentence: Ids  # (rows,): the sentence of each row
    projected: Floats  # (sentences × keywords, 4 × decoder): inputs from keyword, budget, bias
    keywords: Ids  # (sentences, keywords): ids, past the vocabulary if unknown, and the end mark
    extended_vocabulary_size: int  # vocabulary, and the unknown words among the keywords

    def take(self, rows: Ids) -> "MonotoneState":
        """Select rows: keep, repeat or reorder them."""
        return replace(
            self,
            hidden=self.hidden.take(rows, axis=0),
            cell=self.cell.take(rows, axis=0),
            keyword_index=self.keyword_index[rows],
            sentence=self.sentence[rows],
        )


class MonotoneRuntime:
    """Runs a model of the monotone architecture."""

    def __init__(self, model: ModelFolder) -> None:
        self.shape = MonotoneShape.from_settings(model.settings)
        check_tensors(model, self.shape)
        self.vocabulary = model.vocabulary
        weights = model.tensors
        self._encoder_embedding = Embedding(weights["encoder.embedding.weight"])
        self._encoder = BidirectionalLstm(weights, "encoder.lstm")
        self._losses_weight = dequantize(weights["encoder.costs.weight"]).T
        self._losses_bias = dequantize(weights["encoder.costs.bias"])
        self._embedding = Embedding(weights["decoder.embedding.weight"])
        self._reader = BidirectionalLstm(weights, "decoder.reader")
        self._decoder = Lstm(weights, "decoder.lstm")
        # Inputs of the decoder: last token, reader state of the next keyword, budget features.
        keyword_start = self.shape.embedding_units
        budget_start = keyword_start + self.shape.reader_units
        self._token_inputs = ProjectedEmbeddings(
            self._embedding, self._decoder.input_slice(0, keyword_start)
        )
        self._keyword_inputs = self._decoder.input_slice(keyword_start, budget_start)
        self._budget_inputs = self._decoder.input_slice(budget_start)
        self._place_weight = dequantize(weights["decoder.place.weight"])[0]
        self._place_bias = dequantize(weights["decoder.place.bias"])
        self._softmax = VocabularySoftmax.load(weights, self.shape)

    def predict_losses(self, sentences: Sequence[Sequence[str]], budget: float) -> list[Floats]:
        """Predict the loss of each token, dropped and typed, in nats: (tokens, 2) per sentence."""
        ids, lengths = pad([self.vocabulary.encode(tokens) for tokens in sentences])
        features = encoder_features(np.full(len(ids), budget))[:, None]
        features = np.broadcast_to(features, (*ids.shape, ENCODER_FEATURES))
        vectors = np.concatenate([self._encoder_embedding.lookup(ids), features], axis=2)
        states, _, _ = self._encoder.run(vectors, lengths)
        losses = states @ self._losses_weight + self._losses_bias  # (rows, time, 2)
        return [row[:length] for row, length in zip(losses, lengths, strict=True)]

    def begin(
        self, keywords: Sequence[Sequence[str]], budget: DecoderBudget | None = None
    ) -> MonotoneState:
        """Read the keywords, one row each; condition on the budget if there is one."""
        rows = [[*row, EOS] for row in keywords]
        unknown_words = [self.vocabulary.out_of_vocabulary(row) for row in rows]
        encode = self.vocabulary.encode_with_copies
        ids, _ = pad([encode(*pair) for pair in zip(rows, unknown_words, strict=True)])
        known_ids, counts = pad([self.vocabulary.encode(row) for row in rows])
        states, _, _ = self._reader.run(self._embedding.lookup(known_ids), counts)
        features = _budget_features(budget, counts - 1)
        projected = self._keyword_inputs.matmul(states)  # (rows, keywords, 4 × decoder)
        projected += (self._budget_inputs.matmul(features) + self._decoder.bias)[:, None]
        hidden, cell = self._decoder.zeros(len(rows))
        return MonotoneState(
            hidden=hidden,
            cell=cell,
            keyword_index=np.zeros(len(rows), np.int64),
            sentence=np.arange(len(rows)),
            projected=projected.reshape(-1, projected.shape[2]),
            keywords=ids,
            extended_vocabulary_size=len(self.vocabulary) + max(map(len, unknown_words), default=0),
        )

    def step(self, state: MonotoneState, last: Ids) -> tuple[MonotoneState, PlaceOrGenerate]:
        """Feed the last tokens (rows,); return the new state and the next token's distribution."""
        # IN_CONTEXT indexes the last column, which is the end mark or padding: the token of a
        # context is never counted as a keyword. Nor is the start mark.
        keyword = state.keywords[state.sentence, state.keyword_index]
        was_placed = (keyword == last) & (last != EOS_ID)
        keyword_index = np.maximum(state.keyword_index + was_placed, 0)
        known = np.where(last < len(self.vocabulary), last, UNK_ID)
        row = state.sentence * state.keywords.shape[1] + keyword_index
        projected = self._token_inputs.project(known, add_to=state.projected.take(row, axis=0))
        hidden, cell = self._decoder.step(projected, state.hidden, state.cell)
        next_token = PlaceOrGenerate(
            hidden=hidden,
            place_logit=hidden @ self._place_weight + self._place_bias,
            keyword=state.keywords[state.sentence, keyword_index],
            softmax=self._softmax,
            extended_vocabulary_size=state.extended_vocabulary_size,
        )
        return replace(state, hidden=hidden, cell=cell, keyword_index=keyword_index), next_token

    def prefill(
        self, state: MonotoneState, context_ids: Sequence[int]
    ) -> tuple[MonotoneState, Ids]:
        """Feed the context to all rows but for its last token; return the state and that token.

        Tokens of the context are not counted as keywords.
        """
        in_context = np.full_like(state.keyword_index, IN_CONTEXT)
        for token in (BOS_ID, *context_ids[:-1]):
            state = replace(state, keyword_index=in_context)
            state, _ = self.step(state, np.full(len(in_context), token))
        return replace(state, keyword_index=in_context), np.full(len(in_context), context_ids[-1])


def _budget_features(budget: DecoderBudget | None, keyword_counts: Ids) -> Floats:
    """Return the features of one budget for rows of so many keywords: (rows, features)."""
    if budget is None:
        return decoder_features(np.full(keyword_counts.shape, np.nan), keyword_counts)
    shares = np.full(keyword_counts.shape, budget.share)
    return decoder_features(shares, keyword_counts, on_average=budget.on_average)
