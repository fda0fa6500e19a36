"""A model of the paper's size with weights drawn at random: what it costs, not what it says."""

from typing import Literal

import numpy as np

from tersely.model.folder import ModelFolder
from tersely.model.quantization import compress
from tersely.model.shapes import PAPER, PaperShape
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary

UNITS = 300
VOCABULARY = 10_000
CUTOFFS = (1_000, 4_000)
RANGE = 0.1
Softmax = Literal["full", "adaptive"]


def paper_sized(
    softmax: Softmax, *, units: int = UNITS, vocabulary: int = VOCABULARY, seed: int = 1
) -> ModelFolder:
    """Draw a model; its words are w0, w1 and so on."""
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
        adaptive_cutoffs=tuple(one * vocabulary // VOCABULARY for one in CUTOFFS)
        if softmax == "adaptive"
        else (),
        adaptive_division=2.0,
    )
    rng = np.random.default_rng(seed)
    tensors = {
        name: rng.uniform(-RANGE, RANGE, spec.shape).astype(np.float32)
        for name, spec in shape.tensors().items()
    }
    words = [f"w{number}" for number in range(vocabulary - len(SPECIAL_TOKENS))]
    settings = {"shape": shape.as_settings(), "encoder": {"kind": "learned"}}
    return ModelFolder(
        PAPER, settings, compress(tensors, "int8"), Vocabulary([*SPECIAL_TOKENS, *words])
    )
