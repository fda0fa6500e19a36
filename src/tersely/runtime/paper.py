"""Runtime: a trained scheme at work, without torch.

The encoder tells how likely each token is kept; the decoder tells, step by step, how
likely each word comes next. What to do with that is the business of search.py and
completer.py. The equations are those of game/paper/encoder.py and game/paper/decoder.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from tersely.errors import TerselyError
from tersely.model.budget_features import DecoderBudget
from tersely.model.folder import ModelFolder
from tersely.model.shape import SchemeShape
from tersely.model.validation import TensorSpec
from tersely.runtime.adaptive_softmax import VocabularySoftmax
from tersely.runtime.arrays import Ids, padded
from tersely.runtime.copying import NOWHERE, CopyOrGenerate
from tersely.runtime.embedding_cache import ProjectedWords
from tersely.runtime.kernels.chosen import Matrix, log_softmax
from tersely.runtime.kernels.plain import sigmoid
from tersely.runtime.lstm import Floats, Lstm, log_sigmoid
from tersely.text.vocabulary import BOS_ID, EOS, UNK_ID

NOTHING = np.float32(-1e30)  # the logarithm of a probability of zero, but finite


@dataclass(frozen=True, slots=True)
class State:
    """Where decoding stands; one row a hypothesis."""

    hidden: Floats  # (rows, decoder)
    cell: Floats  # (rows, decoder)
    fed: Floats  # (rows, 4 × decoder): what the reader's last state adds to every input
    states: Floats  # (rows, keywords, reader)
    outside: Floats  # (rows, keywords): 0, or NOTHING where there is no keyword
    copied: Ids  # (rows, keywords): ids, past the vocabulary where unknown, or NOWHERE
    width: int  # ids there are: the vocabulary and the words to copy

    def take(self, rows: Ids) -> "State":
        """Keep, repeat or reorder rows."""
        return replace(
            self,
            hidden=self.hidden[rows],
            cell=self.cell[rows],
            fed=self.fed[rows],
            states=self.states[rows],
            outside=self.outside[rows],
            copied=self.copied[rows],
        )


class Runtime:
    """A scheme of the paper's architecture, ready to run."""

    def __init__(self, model: ModelFolder) -> None:
        self.shape = SchemeShape.from_settings(model.settings)
        check_tensors(model, self.shape)
        self.vocabulary = model.vocabulary
        weights = model.tensors
        self._encoder_embedding = weights["encoder.embedding.weight"]
        self._encoder = Lstm(weights, "encoder.lstm")
        self._keep = weights["encoder.keep.weight"][0], weights["encoder.keep.bias"]
        self._embedding = weights["decoder.embedding.weight"]
        self._forward = Lstm(weights, "decoder.reader")
        self._backward = Lstm(weights, "decoder.reader", reverse=True)
        self._decoder = Lstm(weights, "decoder.lstm")
        embedding = self.shape.embedding_units
        self._words = ProjectedWords(self._embedding, self._decoder.inputs_from(0, embedding))
        self._fed = self._decoder.inputs_from(embedding)
        self._attend = Matrix(weights["decoder.attend.weight"])
        self._combine = Matrix(weights["decoder.combine.weight"])
        self._generate = weights["decoder.generate.weight"][0], weights["decoder.generate.bias"]
        self._softmax = VocabularySoftmax.load(weights, self.shape)

    def keep_probabilities(self, sentences: Sequence[Sequence[str]]) -> list[Floats]:
        """Tell for each token of each sentence how likely the encoder keeps it."""
        ids, lengths = padded([self.vocabulary.encode(tokens) for tokens in sentences])
        states, _, _ = self._encoder.run(self._encoder_embedding[ids], lengths)
        weight, bias = self._keep
        probabilities = sigmoid(states @ weight + bias)  # (rows, time)
        return [row[:length] for row, length in zip(probabilities, lengths, strict=True)]

    def begin(
        self, keywords: Sequence[Sequence[str]], budget: DecoderBudget | None = None
    ) -> State:
        """Read the keywords; one row each. The paper's decoder is not told of budgets."""
        words = [[*row, EOS] if self.shape.end_mark_in_keywords else list(row) for row in keywords]
        copies = [self.vocabulary.unknown(row) for row in words]
        known, counts = padded([self.vocabulary.encode(row) for row in words])
        copied, _ = padded(
            [
                self.vocabulary.encode_with_copies(row, own)
                for row, own in zip(words, copies, strict=True)
            ]
        )
        vectors = self._embedding[known]
        ahead, last_ahead, cell_ahead = self._forward.run(vectors, counts)
        back, last_back, cell_back = self._backward.run(vectors, counts, reverse=True)
        hidden = np.concatenate([last_ahead, last_back], axis=1)
        cell = np.concatenate([cell_ahead, cell_back], axis=1)
        fed: Floats = np.repeat(self._decoder.bias[None], len(words), axis=0)
        if self.shape.decoder_input == "reader_state":
            fed += self._fed.times(hidden)
        if self.shape.decoder_start == "zeros":
            hidden, cell = self._decoder.zeros(len(words))
        inside = np.arange(known.shape[1]) < counts[:, None]
        return State(
            hidden=hidden,
            cell=cell,
            fed=fed,
            states=np.concatenate([ahead, back], axis=2),
            outside=np.where(inside, np.float32(0), NOTHING),
            copied=np.where(inside, copied, NOWHERE),
            width=len(self.vocabulary) + max(map(len, copies), default=0),
        )

    def step(self, state: State, last: Ids) -> tuple[State, CopyOrGenerate]:
        """Say the last word (rows,) and tell what comes next."""
        known = np.where(last < len(self.vocabulary), last, UNK_ID)
        embedded = self._embedding[known]  # (rows, embedding)
        projected = self._words.projected(known, onto=state.fed.copy())
        hidden, cell = self._decoder.step(projected, state.hidden, state.cell)
        query = self._attend.times(hidden)[:, :, None]  # (rows, reader, 1)
        scores = (state.states @ query)[:, :, 0] + state.outside
        attention = log_softmax(scores)  # (rows, keywords)
        context = (np.exp(attention)[:, None] @ state.states)[:, 0]  # (rows, reader)
        features = np.concatenate([context, hidden], axis=1)
        spoken = np.tanh(self._combine.times(features))  # (rows, decoder)
        weight, bias = self._generate
        generate = np.concatenate([features, embedded], axis=1) @ weight + bias  # (rows,)
        coming = CopyOrGenerate(
            spoken=spoken,
            generate=generate,
            copying=log_sigmoid(-generate)[:, None] + attention,
            copied=state.copied,
            softmax=self._softmax,
            width=state.width,
        )
        return replace(state, hidden=hidden, cell=cell), coming

    def resume(self, state: State, opening: Sequence[int]) -> tuple[State, Ids]:
        """Begin all rows with these words; the last is still to be said."""
        for word in (BOS_ID, *opening[:-1]):
            state, _ = self.step(state, np.full(len(state.hidden), word))
        return state, np.full(len(state.hidden), opening[-1])


class CheckedShape(Protocol):
    """What can be held against a model's tensors."""

    @property
    def vocabulary_size(self) -> int:
        """Words there are."""

    def tensors(self) -> dict[str, TensorSpec]:
        """Every tensor there must be."""


def check_tensors(model: ModelFolder, shape: CheckedShape) -> None:
    """Refuse a model whose tensors are not those of the shape its settings tell."""
    if shape.vocabulary_size != len(model.vocabulary):
        raise TerselyError("The model's vocabulary is not of the size its settings say.")
    for name, spec in shape.tensors().items():
        found = model.tensors.get(name)
        if found is None or found.shape != spec.shape or found.dtype != np.float32:
            raise TerselyError(f"The model's tensor {name} is missing or not {spec}.")
