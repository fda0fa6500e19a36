import pytest

from lab.tests.reproduction.synthetic import synthetic_run
from tersely_lab.reproduction.scale import run_scale, sweep_scale

RUN = synthetic_run("constrained", 0.4, 0.5, 0.5)


def test_tokens_are_steps_times_batch_times_length() -> None:
    scale = run_scale(RUN)
    assert scale.tokens == pytest.approx(600 * 128 * 10)  # the synthetic log has 10 a sentence
    assert scale.tokens_per_second == 5000
    assert (scale.steps, scale.seconds, scale.train_sentences) == (600, 360.0, 250_000)


def test_the_papers_size_takes_as_many_passes() -> None:
    scale = sweep_scale([RUN, synthetic_run("unif", 0.5, 0.5, 0.5)])
    assert scale.hours == pytest.approx(0.2)
    assert scale.tokens == pytest.approx(2 * 600 * 1280)
    hours = 2 * 600 * 1280 * 2 / 5000 / 3600  # twice the sentences, at the measured speed
    assert scale.hours_at(5000, sentences=500_000) == pytest.approx(hours)
    assert scale.hours_at(50_000, sentences=500_000) == pytest.approx(hours / 10)


def test_without_a_log_there_is_no_estimate() -> None:
    scale = sweep_scale([synthetic_run("constrained", 0.4, 0.5, 0.5, kept_on_dev=())])
    assert scale.tokens is None
    assert scale.tokens_per_second is None
    assert scale.hours_at(1000, sentences=500_000) is None
