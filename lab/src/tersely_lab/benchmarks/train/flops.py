"""Floating-point operations of a training step.

A product of (m × k) and (k × n) is 2mkn operations. Only real tokens count, no padding. Each
product counts three times: forward, and backward for either factor. Everything that is not a
matrix product (gates, exponentials, Adam) counts as 0, so that the share of the machine's peak
is never overstated.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import torch

from tersely.game.batch import Batch
from tersely.model.shapes import PaperShape
from tersely.text.vocabulary import EOS_ID
from tersely_lab.benchmarks.measurement import Product

PASSES = 3


@dataclass(frozen=True, slots=True)
class Workload:
    """Sizes of an average batch."""

    sentences: float
    tokens: float  # without end marks
    keywords: float  # with end marks, if the keywords have them
    targets_by_cluster: tuple[float, ...]  # with end marks; full softmax: one cluster


def workload(shape: PaperShape, batches: Iterable[Batch], *, kept_fraction: float) -> Workload:
    """Average over batches; `kept_fraction` of their tokens become keywords."""
    batches = list(batches)
    sentences = sum(len(batch.lengths) for batch in batches) / len(batches)
    words = torch.cat([batch.tokens[batch.tokens > EOS_ID] for batch in batches])
    ends = [0, *shape.adaptive_cutoffs, shape.vocabulary_size]
    counts = [float(((words >= low) & (words < high)).sum()) for low, high in pairwise(ends)]
    by_cluster = [count / len(batches) for count in counts]
    by_cluster[0] += sentences  # the end mark is among the most frequent
    tokens = len(words) / len(batches)
    end_marks = sentences if shape.end_mark_in_keywords else 0.0
    return Workload(sentences, tokens, kept_fraction * tokens + end_marks, tuple(by_cluster))


def step_operations(shape: PaperShape, load: Workload, *, encoder: bool) -> dict[str, float]:
    """Return the operations of a training step by part of the scheme."""
    embedding, units, reader = shape.embedding_units, shape.decoder_units, shape.reader_units
    targets = load.tokens + load.sentences
    attention = (
        2 * units * reader
        + 2 * 2 * reader * load.keywords / load.sentences
        + 2 * (reader + units) * units
        + 2 * (reader + units + embedding)
    )
    # The reader's state is the same at each time step, so it is projected once a sentence.
    reader_state = 2 * 4 * units * (shape.decoder_inputs - embedding)
    forward = {
        "encoder": load.tokens * _lstm(embedding, shape.encoder_units) if encoder else 0.0,
        "reader": 2 * load.keywords * _lstm(embedding, shape.reader_units_a_direction),
        "decoder LSTM": targets * _lstm(embedding, units) + load.sentences * reader_state,
        "attention": targets * attention,
        "softmax": _softmax(shape, load),
    }
    return {part: PASSES * operations for part, operations in forward.items()}


def _lstm(inputs: int, units: int) -> int:
    return 2 * 4 * units * (inputs + units)


def _softmax(shape: PaperShape, load: Workload) -> float:
    units = shape.decoder_units
    ends = [*shape.adaptive_cutoffs, shape.vocabulary_size]
    head = ends[0] + len(ends) - 1  # one entry for each further cluster
    operations = sum(load.targets_by_cluster) * 2 * units * head
    for index, (start, end) in enumerate(pairwise(ends)):
        inner = int(units // shape.adaptive_division ** (index + 1))
        operations += load.targets_by_cluster[index + 1] * 2 * inner * (units + end - start)
    return operations


def largest_products(shape: PaperShape, load: Workload) -> dict[str, Product]:
    """Return the larger products of a step, and a square one for comparison."""
    targets, sentences = round(load.tokens + load.sentences), round(load.sentences)
    units = shape.decoder_units
    return {
        "full softmax": (targets, units, shape.vocabulary_size),
        "decoder LSTM, inputs": (targets, shape.embedding_units, 4 * units),
        "decoder LSTM, a time step": (sentences, units, 4 * units),
        "square": (1024, 1024, 1024),
    }
