"""Continuing: a trained model meets new text, and its vocabulary grows.

The model keeps every word it knows at its old id; words of the new corpus that it
does not know come after them. The corpus has ids of its own, so its sentences are
renumbered once, when training starts.
"""

from collections.abc import Mapping

import numpy as np
import torch
from torch import nn

from tersely.corpus.dataset import PreparedCorpus, Split
from tersely.errors import UsageError
from tersely.model.folder import ModelFolder
from tersely.model.quantization import Tensor, dense
from tersely.model.shapes import MONOTONE, PAPER, MonotoneShape, PaperShape, check_tensors
from tersely.text.vocabulary import Vocabulary

AnyShape = PaperShape | MonotoneShape
KNOWN: dict[str, type[PaperShape] | type[MonotoneShape]] = {
    PAPER: PaperShape,
    MONOTONE: MonotoneShape,
}


class Renumbering:
    """The ids of a corpus, in terms of a model's vocabulary and what lies past it."""

    def __init__(self, corpus: PreparedCorpus, known: Vocabulary | None = None) -> None:
        """Without a model the corpus' own ids stand."""
        lexicon, own = corpus.lexicon(), corpus.vocabulary()
        if known is None:
            self.lexicon, self.vocabulary, self._ids = lexicon, own, None
            return
        fresh = [token for token in own.tokens if token not in known]
        self.vocabulary = Vocabulary([*known.tokens, *fresh])
        beyond = [token for token in lexicon.tokens if token not in self.vocabulary]
        self.lexicon = Vocabulary([*self.vocabulary.tokens, *beyond])
        self._ids = np.array(self.lexicon.encode(lexicon.tokens), np.int32)

    def split(self, split: Split) -> Split:
        """The same sentences in the new ids."""
        return split if self._ids is None else Split(self._ids[split.tokens], split.offsets)


def load_start(model: ModelFolder, *, architecture: str) -> AnyShape:
    """Check that a model is whole and can be trained on; return its shape."""
    if model.architecture != architecture:
        raise UsageError(
            f'--init: the model is of architecture "{model.architecture}", the config of '
            f'"{architecture}". Use the config the model was trained with.'
        )
    shape = KNOWN[architecture].from_settings(model.settings)
    check_tensors(model, shape)
    return shape


def check_same_wiring(configured: AnyShape, loaded: AnyShape) -> None:
    """Refuse to continue a model of one shape under a config of another.

    A model that began with a smaller vocabulary may have fewer clusters, or none.
    """
    ours, theirs = configured.as_settings(), loaded.as_settings()
    theirs["vocabulary_size"] = ours["vocabulary_size"]
    if ours["adaptive_cutoffs"][: len(theirs["adaptive_cutoffs"])] == theirs["adaptive_cutoffs"]:
        for key in ("softmax", "adaptive_cutoffs"):
            ours[key] = theirs[key]
    for key in ours:
        if ours[key] != theirs[key]:
            raise UsageError(
                f"--init: the model has {key} = {theirs[key]!r}, the config {ours[key]!r}. "
                "Use the config the model was trained with (it is in its config.json)."
            )


def fill_from(scheme: nn.Module, tensors: Mapping[str, Tensor]) -> None:
    """Copy a smaller model's weights in; rows of new words stay as they were drawn."""
    with torch.no_grad():
        for name, parameter in scheme.state_dict().items():
            loaded = torch.from_numpy(dense(tensors[name]))
            parameter[: len(loaded)].copy_(loaded)
