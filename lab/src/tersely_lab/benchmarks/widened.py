"""The same decoder with more units: what it would cost at another size, saying the same.

A sweep may train the paper's scheme smaller than the paper's. Filled up with zeros its weights say
word for word what they said, and a step takes as long as at the larger size.
"""

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tersely.model.folder import ModelFolder
from tersely.model.quantization import dense
from tersely.model.shapes import PaperShape

Places = npt.NDArray[np.int64]


def widened(model: ModelFolder, units: int) -> ModelFolder:
    """Give a model of the paper's architecture so many units, or a few more, if it has fewer.

    All layers grow alike. Each is cut into blocks so small that halves (of the reader's
    two directions), gates and clusters are whole blocks; zeros are added to each block.
    """
    small = PaperShape.from_settings(model.settings)
    if small.decoder_units >= units:
        return model
    sizes = (
        small.embedding_units,
        small.encoder_units,
        small.reader_units_a_direction,
        small.decoder_units,
        *(tensor.shape[1] for name, tensor in model.tensors.items() if ".tail." in name),
    )
    block = math.gcd(*sizes)
    larger = math.ceil(units * block / small.decoder_units)
    large = replace(
        small,
        embedding_units=small.embedding_units // block * larger,
        encoder_units=small.encoder_units // block * larger,
        reader_units_a_direction=small.reader_units_a_direction // block * larger,
        decoder_units=small.decoder_units // block * larger,
    )
    tensors = {}
    for name, spec in large.tensors().items():
        old = dense(model.tensors[name])
        tensors[name] = np.zeros(spec.shape, np.float32)
        places = [_places(*pair, block, larger) for pair in zip(old.shape, spec.shape, strict=True)]
        tensors[name][np.ix_(*places)] = old
    settings = {**model.settings, "shape": large.as_settings()}
    return replace(model, settings=settings, tensors=tensors)


def _places(before: int, after: int, block: int, larger: int) -> Places:
    """Where the units of a dimension come to stand; one that does not grow stays."""
    units = np.arange(before)
    return units if before == after else units // block * larger + units % block
