"""What a step must multiply, and how fast this machine multiplies at all.

A product of (m × k) and (k × n) is 2mkn operations. Only real tokens count, no padding,
and each product counts three times: forward, and backward for either factor. What is no
matrix product (gates, exponentials, Adam) counts nothing, so that the share of the peak
is never flattered.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import torch

from tersely.game.batch import Batch
from tersely.model.shapes import PaperShape
from tersely.text.vocabulary import EOS_ID
from tersely_lab.benchmarks.pace import Clock

PASSES = 3
Product = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Load:
    """What a step has to handle."""

    sentences: float
    tokens: float  # without end marks
    keywords: float  # with end marks, if the keywords have them
    in_cluster: tuple[float, ...]  # targets, end marks included, by cluster; full: all in one


def load_of(shape: PaperShape, batches: Iterable[Batch], *, kept_share: float) -> Load:
    """Average over some batches; kept_share of their tokens become keywords."""
    listed = list(batches)
    sentences = sum(len(batch.lengths) for batch in listed) / len(listed)
    words = torch.cat([batch.tokens[batch.tokens > EOS_ID] for batch in listed])
    ends = [0, *shape.adaptive_cutoffs, shape.vocabulary_size]
    counts = [float(((words >= low) & (words < high)).sum()) for low, high in pairwise(ends)]
    in_cluster = [count / len(listed) for count in counts]
    in_cluster[0] += sentences  # the end mark is among the most frequent
    tokens = len(words) / len(listed)
    marks = sentences if shape.end_mark_in_keywords else 0.0
    return Load(sentences, tokens, kept_share * tokens + marks, tuple(in_cluster))


def step_operations(shape: PaperShape, load: Load, *, encoder: bool) -> dict[str, float]:
    """Operations of the matrix products in one training step, part by part."""
    embedding, units, reader = shape.embedding_units, shape.decoder_units, shape.reader_units
    direction = shape.reader_units_a_direction
    targets = load.tokens + load.sentences
    forward = {
        "encoder": load.tokens * _lstm(embedding, shape.encoder_units) if encoder else 0.0,
        "reader": 2 * load.keywords * _lstm(embedding, direction),
        "decoder LSTM": targets * _lstm(embedding, units) + _fed(shape, load.sentences),
        "attention": targets
        * (
            2 * units * reader
            + 2 * 2 * reader * load.keywords / load.sentences
            + 2 * (reader + units) * units
            + 2 * (reader + units + embedding)
        ),
        "softmax": _softmax(shape, load),
    }
    return {part: PASSES * operations for part, operations in forward.items()}


def _lstm(inputs: int, units: int) -> int:
    return 2 * 4 * units * (inputs + units)


def _fed(shape: PaperShape, sentences: float) -> float:
    """The reader's state is the same at every step, so it need be multiplied once a sentence."""
    fed = shape.decoder_inputs - shape.embedding_units
    return sentences * 2 * 4 * shape.decoder_units * fed


def _softmax(shape: PaperShape, load: Load) -> float:
    units = shape.decoder_units
    ends = [*shape.adaptive_cutoffs, shape.vocabulary_size]
    head = ends[0] + len(ends) - 1  # one entry for each further cluster
    operations = sum(load.in_cluster) * 2 * units * head
    for index, (start, end) in enumerate(pairwise(ends)):
        inner = int(units // shape.adaptive_division ** (index + 1))
        operations += load.in_cluster[index + 1] * 2 * inner * (units + end - start)
    return operations


def relevant_products(shape: PaperShape, load: Load) -> dict[str, Product]:
    """The larger products of a step as (m, k, n), and a square one for comparison."""
    targets, sentences = round(load.tokens + load.sentences), round(load.sentences)
    units = shape.decoder_units
    return {
        "full softmax": (targets, units, shape.vocabulary_size),
        "decoder LSTM, inputs": (targets, shape.embedding_units, 4 * units),
        "decoder LSTM, a time step": (sentences, units, 4 * units),
        "square": (1024, 1024, 1024),
    }


def measure_product(product: Product, *, clock: Clock, repeats: int = 7) -> float:
    """Operations a second of one product, at its best."""
    m, k, n = product
    left, right, out = torch.rand(m, k), torch.rand(k, n), torch.empty(m, n)
    operations = 2 * m * k * n
    calls = min(100, max(1, round(2e9 / operations)))
    best = float("inf")
    torch.mm(left, right, out=out)
    for _ in range(repeats):
        start = clock()
        for _ in range(calls):
            torch.mm(left, right, out=out)
        best = min(best, (clock() - start) / calls)
    return operations / max(best, 1e-9)
