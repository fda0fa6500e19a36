"""Forward pass of the paper's architecture, without torch.

The encoder returns how likely each token is kept; the decoder returns, step by step, the
distribution of the next token. The equations are those of game/paper/encoder.py and
game/paper/decoder.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tersely.model.budget_features import DecoderBudget
from tersely.model.folder import ModelFolder
from tersely.model.quantization import dequantize
from tersely.model.shapes import PaperShape, check_tensors
from tersely.runtime.adaptive_softmax import VocabularySoftmax
from tersely.runtime.arrays import Floats, Ids, pad
from tersely.runtime.embedding_cache import Embedding, ProjectedEmbeddings
from tersely.runtime.kernels.backend import Matrix, log_softmax
from tersely.runtime.kernels.numpy_backend import sigmoid
from tersely.runtime.lstm import BidirectionalLstm, Lstm, log_sigmoid
from tersely.runtime.next_token import NO_KEYWORD, CopyOrGenerate
from tersely.text.vocabulary import BOS_ID, EOS, UNK_ID

MASKED = np.float32(-1e30)  # attention score of padding; finite, so that rows of it stay defined


@dataclass(frozen=True, slots=True)
class PaperState:
    """Decoder state, one row per hypothesis."""

    hidden: Floats  # (rows, decoder)
    cell: Floats  # (rows, decoder)
    projected: Floats  # (rows, 4 × decoder): what bias and reader state add to every input
    reader_states: Floats  # (rows, keywords, reader)
    mask: Floats  # (rows, keywords): 0, or MASKED at padding
    keywords: Ids  # (rows, keywords): ids, past the vocabulary if unknown, or NO_KEYWORD
    extended_vocabulary_size: int  # vocabulary, and the unknown words among the keywords

    def take(self, rows: Ids) -> "PaperState":
        """Select rows: keep, repeat or reorder them."""
        return replace(
            self,
            hidden=self.hidden[rows],
            cell=self.cell[rows],
            projected=self.projected[rows],
            reader_states=self.reader_states[rows],
            mask=self.mask[rows],
            keywords=self.keywords[rows],
        )


class PaperRuntime:
    """Runs a model of the paper's architecture."""

    def __init__(self, model: ModelFolder) -> None:
        self.shape = PaperShape.from_settings(model.settings)
        check_tensors(model, self.shape)
        self.vocabulary = model.vocabulary
        weights = model.tensors
        self._encoder_embedding = Embedding(weights["encoder.embedding.weight"])
        self._encoder = Lstm(weights, "encoder.lstm")
        self._keep_weight = dequantize(weights["encoder.keep.weight"])[0]
        self._keep_bias = dequantize(weights["encoder.keep.bias"])
        self._embedding = Embedding(weights["decoder.embedding.weight"])
        self._reader = BidirectionalLstm(weights, "decoder.reader")
        self._decoder = Lstm(weights, "decoder.lstm")
        units = self.shape.embedding_units
        self._token_inputs = ProjectedEmbeddings(
            self._embedding, self._decoder.input_slice(0, units)
        )
        self._reader_inputs = self._decoder.input_slice(units)
        self._attend = Matrix(weights["decoder.attend.weight"])
        self._combine = Matrix(weights["decoder.combine.weight"])
        self._generate_weight = dequantize(weights["decoder.generate.weight"])[0]
        self._generate_bias = dequantize(weights["decoder.generate.bias"])
        self._softmax = VocabularySoftmax.load(weights, self.shape)

    def keep_probabilities(self, sentences: Sequence[Sequence[str]]) -> list[Floats]:
        """Return the probability that the encoder keeps each token of each sentence."""
        ids, lengths = pad([self.vocabulary.encode(tokens) for tokens in sentences])
        states, _, _ = self._encoder.run(self._encoder_embedding.lookup(ids), lengths)
        probabilities = sigmoid(states @ self._keep_weight + self._keep_bias)  # (rows, time)
        return [row[:length] for row, length in zip(probabilities, lengths, strict=True)]

    def begin(
        self, keywords: Sequence[Sequence[str]], budget: DecoderBudget | None = None
    ) -> PaperState:
        """Read the keywords, one row each; the budget is not used by this architecture."""
        rows = [[*row, EOS] if self.shape.end_mark_in_keywords else list(row) for row in keywords]
        unknown_words = [self.vocabulary.out_of_vocabulary(row) for row in rows]
        encode = self.vocabulary.encode_with_copies
        ids, _ = pad([encode(*pair) for pair in zip(rows, unknown_words, strict=True)])
        known_ids, counts = pad([self.vocabulary.encode(row) for row in rows])
        states, hidden, cell = self._reader.run(self._embedding.lookup(known_ids), counts)
        projected: Floats = np.repeat(self._decoder.bias[None], len(rows), axis=0)
        if self.shape.decoder_input == "reader_state":
            projected += self._reader_inputs.matmul(hidden)
        if self.shape.decoder_start == "zeros":
            hidden, cell = self._decoder.zeros(len(rows))
        is_inside = np.arange(ids.shape[1]) < counts[:, None]
        return PaperState(
            hidden=hidden,
            cell=cell,
            projected=projected,
            reader_states=states,
            mask=np.where(is_inside, np.float32(0), MASKED),
            keywords=np.where(is_inside, ids, NO_KEYWORD),
            extended_vocabulary_size=len(self.vocabulary) + max(map(len, unknown_words), default=0),
        )

    def step(self, state: PaperState, last: Ids) -> tuple[PaperState, CopyOrGenerate]:
        """Feed the last tokens (rows,); return the new state and the next token's distribution."""
        known = np.where(last < len(self.vocabulary), last, UNK_ID)
        embedded = self._embedding.lookup(known)  # (rows, embedding)
        projected = self._token_inputs.project(known, add_to=state.projected.copy())
        hidden, cell = self._decoder.step(projected, state.hidden, state.cell)
        query = self._attend.matmul(hidden)[:, :, None]  # (rows, reader, 1)
        scores = (state.reader_states @ query)[:, :, 0] + state.mask
        attention = log_softmax(scores)  # (rows, keywords)
        context = (np.exp(attention)[:, None] @ state.reader_states)[:, 0]  # (rows, reader)
        features = np.concatenate([context, hidden], axis=1)
        combined = np.tanh(self._combine.matmul(features))  # (rows, decoder)
        generate_inputs = np.concatenate([features, embedded], axis=1)
        generate = generate_inputs @ self._generate_weight + self._generate_bias  # (rows,)
        next_token = CopyOrGenerate(
            hidden=combined,
            generate=generate,
            copy_log_probs=log_sigmoid(-generate)[:, None] + attention,
            keywords=state.keywords,
            softmax=self._softmax,
            extended_vocabulary_size=state.extended_vocabulary_size,
        )
        return replace(state, hidden=hidden, cell=cell), next_token

    def prefill(self, state: PaperState, context_ids: Sequence[int]) -> tuple[PaperState, Ids]:
        """Feed the context to all rows but for its last token; return the state and that token."""
        for token in (BOS_ID, *context_ids[:-1]):
            state, _ = self.step(state, np.full(len(state.hidden), token))
        return state, np.full(len(state.hidden), context_ids[-1])
