"""Models of made-up weights that know a trained model's words."""

from dataclasses import replace

from tersely.model.folder import ModelFolder
from tests.game.small_monotone import monotone_folder_of, small_monotone, small_monotone_shape


def monotone_like(model: ModelFolder, *, seed: int = 1, width: float = 0.5) -> ModelFolder:
    """A monotone scheme of random weights with the words of another model."""
    shape = small_monotone_shape(vocabulary_size=len(model.vocabulary))
    made_up = monotone_folder_of(small_monotone(shape, seed=seed, width=width))
    return replace(made_up, vocabulary=model.vocabulary)
