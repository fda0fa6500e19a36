import time

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from lab.tests.benchmarks.train.test_variants import small_variant
from tersely.game.layers.softmax import FullSoftmax
from tersely_lab.benchmarks.measurement import matmul_rate
from tersely_lab.benchmarks.train.flops import (
    Workload,
    largest_products,
    step_operations,
    workload,
)
from tests.game.small import small_shape


def test_a_workload_counts_words_keywords_and_clusters() -> None:
    variant = small_variant("decoder, adaptive softmax")
    batches = [variant.batches.at(step) for step in range(3)]
    load = workload(variant.scheme.shape, batches, kept_fraction=0.5)
    assert load.sentences == 4
    assert load.tokens == pytest.approx(sum(int(b.lengths.sum()) for b in batches) / 3)
    assert load.keywords == pytest.approx(load.tokens / 2 + 4)
    assert sum(load.targets_by_cluster) == pytest.approx(load.tokens + 4)
    rare = sum(int((b.tokens >= 1000).sum()) for b in batches) / 3
    assert load.targets_by_cluster[1] == pytest.approx(rare)


def test_operations_of_the_softmax_match_the_count_of_torch() -> None:
    shape = small_shape()
    load = Workload(sentences=2, tokens=10, keywords=7, targets_by_cluster=(12,))
    hidden = torch.randn(12, shape.decoder_units, requires_grad=True)
    with FlopCounterMode(display=False) as counter:
        scores = FullSoftmax(shape)(hidden, torch.zeros(12, dtype=torch.int64))
        scores.sum().backward()
    count_multiply_adds = step_operations(shape, load, encoder=False)["softmax"]
    assert count_multiply_adds == counter.get_total_flops()


def test_an_adaptive_softmax_multiplies_less_than_a_full_one() -> None:
    load = Workload(sentences=2, tokens=10, keywords=7, targets_by_cluster=(9, 2, 1))
    cut = small_shape(softmax="adaptive", adaptive_cutoffs=(10, 20))
    full = step_operations(small_shape(), load, encoder=False)
    adaptive = step_operations(cut, load, encoder=False)
    assert adaptive["softmax"] < full["softmax"]
    assert {**adaptive, "softmax": 0} == {**full, "softmax": 0}
    inner = 2 * (2 * 4 * (8 + 10) + 1 * 2 * (8 + 10))
    assert adaptive["softmax"] == 3 * (2 * 12 * 8 * 12 + inner)


def test_only_the_whole_game_counts_the_encoder() -> None:
    load = Workload(sentences=2, tokens=10, keywords=7, targets_by_cluster=(12,))
    shape = small_shape()
    assert step_operations(shape, load, encoder=False)["encoder"] == 0
    expected = 3 * 10 * 2 * 4 * shape.encoder_units * (shape.embedding_units + shape.encoder_units)
    assert step_operations(shape, load, encoder=True)["encoder"] == expected


def test_products_are_measured_at_the_sizes_of_a_step() -> None:
    load = Workload(sentences=2, tokens=10, keywords=7, targets_by_cluster=(12,))
    products = largest_products(small_shape(), load)
    assert products["full softmax"] == (12, 8, 30)
    assert matmul_rate((16, 16, 16), clock=time.perf_counter, repeats=1) > 0
