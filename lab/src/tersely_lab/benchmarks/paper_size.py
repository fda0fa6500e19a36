"""Models of the paper's size, to measure what decoding with them costs.

One has random weights. The other is a smaller model filled up with zeros: its suggestions stay
the same, and a step takes as long as at the larger size.
"""

import math
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from tersely.model.folder import ModelFolder
from tersely.model.quantization import cast_weights, dequantize
from tersely.model.shapes import PAPER, PaperShape
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary

UNITS = 300
VOCABULARY_SIZE = 10_000
CUTOFFS = (1_000, 4_000)
WEIGHT_RANGE = 0.1
Softmax = Literal["full", "adaptive"]


def random_paper_model(
    softmax: Softmax, *, units: int = UNITS, vocabulary: int = VOCABULARY_SIZE, seed: int = 1
) -> ModelFolder:
    """Return a model with random int8 weights; its words are w0, w1 and so on."""
    cutoffs = tuple(cutoff * vocabulary // VOCABULARY_SIZE for cutoff in CUTOFFS)
    shape = PaperShape(
        vocabulary_size=vocabulary,
        embedding_units=units,
        encoder_units=units,
        reader_units_a_direction=units // 2,
        decoder_units=units,
        decoder_input="reader_state",
        decoder_start="reader_state",
        end_mark_in_keywords=True,
        softmax=softmax,
        adaptive_cutoffs=cutoffs if softmax == "adaptive" else (),
        adaptive_division=2.0,
    )
    rng = np.random.default_rng(seed)
    tensors = {
        name: rng.uniform(-WEIGHT_RANGE, WEIGHT_RANGE, spec.shape).astype(np.float32)
        for name, spec in shape.tensors().items()
    }
    words = [f"w{number}" for number in range(vocabulary - len(SPECIAL_TOKENS))]
    settings = {"shape": shape.as_settings(), "encoder": {"kind": "learned"}}
    return ModelFolder(
        PAPER, settings, cast_weights(tensors, "int8"), Vocabulary([*SPECIAL_TOKENS, *words])
    )


def widen(model: ModelFolder, units: int) -> ModelFolder:
    """Pad a model of the paper's architecture with zeros to at least `units` decoder units.

    All layers grow by the same factor. Each is cut into blocks so small that the directions of
    the reader, gates and clusters are whole blocks; zeros are added to each block.
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
    larger_block = math.ceil(units * block / small.decoder_units)
    large = replace(
        small,
        embedding_units=small.embedding_units // block * larger_block,
        encoder_units=small.encoder_units // block * larger_block,
        reader_units_a_direction=small.reader_units_a_direction // block * larger_block,
        decoder_units=small.decoder_units // block * larger_block,
    )
    tensors = {}
    for name, spec in large.tensors().items():
        weights = dequantize(model.tensors[name])
        extents = zip(weights.shape, spec.shape, strict=True)
        indices = [_new_indices(*pair, block, larger_block) for pair in extents]
        tensors[name] = np.zeros(spec.shape, np.float32)
        tensors[name][np.ix_(*indices)] = weights
    settings = {**model.settings, "shape": large.as_settings()}
    return replace(model, settings=settings, tensors=tensors)


def _new_indices(before: int, after: int, block: int, larger_block: int) -> npt.NDArray[np.int64]:
    """Return the new index of each unit of a dimension; the same where it does not grow."""
    units = np.arange(before)
    return units if before == after else units // block * larger_block + units % block
