"""Fine-tuning: continue training a model on another corpus.

The model keeps all its words at their ids; words of the new corpus that it does not have are
appended. The corpus has its own ids, so its sentences are renumbered once, when training starts.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import torch

from tersely.corpus.dataset import PreparedCorpus, Split
from tersely.errors import TerselyError, UsageError
from tersely.model.folder import ModelFolder
from tersely.model.quantization import Tensor, dequantize
from tersely.model.shapes import SHAPES, CommonShape, check_tensors
from tersely.text.vocabulary import Vocabulary
from tersely.training.config import RunConfig, TrainingConfig, parse_config
from tersely.training.tasks import Scheme

FINE_TUNING = TrainingConfig(
    batch_sentences=64,
    learning_rate=0.001,
    schedule="linear",
    warmup_steps=50,
    gradient_norm_limit=5.0,
    max_steps=1_500,
    evaluate_every_steps=250,
    checkpoint_every_steps=250,
)
"""A short run with a warm-up and a falling learning rate, so that little is forgotten."""


def fine_tuning_config(model: ModelFolder) -> RunConfig:
    """Return the config that a model was trained with, with the training of FINE_TUNING."""
    trained = model.settings.get("trained")
    tables = trained.get("config") if isinstance(trained, dict) else None
    if not isinstance(tables, dict):
        raise UsageError("--init: the model does not contain its training config. Give --config.")
    try:
        config = parse_config(tables, where="the model's config.json")
    except UsageError as error:
        raise TerselyError(f"--init: {error} Give --config.") from error
    return replace(config, training=FINE_TUNING)


class Renumbering:
    """The ids of a corpus in a vocabulary that extends the model's."""

    def __init__(self, corpus: PreparedCorpus, known: Vocabulary | None = None) -> None:
        """Extend the vocabulary of a model; without one, keep the ids of the corpus."""
        corpus_lexicon, corpus_vocabulary = corpus.lexicon(), corpus.vocabulary()
        if known is None:
            self.lexicon, self.vocabulary, self._ids = corpus_lexicon, corpus_vocabulary, None
            return
        new = [token for token in corpus_vocabulary.tokens if token not in known]
        self.vocabulary = Vocabulary([*known.tokens, *new])
        rest = [token for token in corpus_lexicon.tokens if token not in self.vocabulary]
        self.lexicon = Vocabulary([*self.vocabulary.tokens, *rest])
        self._ids = np.array(self.lexicon.encode(corpus_lexicon.tokens), np.int32)

    def split(self, split: Split) -> Split:
        """Return the same sentences in the new ids."""
        return split if self._ids is None else Split(self._ids[split.tokens], split.offsets)


def check_pretrained(model: ModelFolder, *, architecture: str) -> CommonShape:
    """Check that a model is complete and of this architecture; return its shape."""
    if model.architecture != architecture:
        raise UsageError(
            f'--init: the model is of architecture "{model.architecture}", the config of '
            f'"{architecture}". Use the config the model was trained with.'
        )
    shape = SHAPES[architecture].from_settings(model.settings)
    check_tensors(model, shape)
    return shape


def copy_weights(scheme: Scheme, tensors: Mapping[str, Tensor]) -> None:
    """Copy the weights of a model; rows of new words keep their random values."""
    with torch.no_grad():
        for name, parameter in scheme.state_dict().items():
            weights = torch.from_numpy(dequantize(tensors[name]))
            parameter[: len(weights)].copy_(weights)
