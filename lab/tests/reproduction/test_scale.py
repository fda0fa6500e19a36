import pytest

from lab.tests.reproduction.made import made_run
from tersely_lab.reproduction.scale import at_the_papers_size, run_scale, sweep_scale

RUN = made_run("constrained", 0.4, 0.5, 0.5)


def test_tokens_are_steps_times_batch_times_length() -> None:
    found = run_scale(RUN)
    assert found.tokens == pytest.approx(600 * 128 * 10)  # the made-up course has 10 a sentence
    assert found.tokens_per_second == 5000
    assert (found.steps, found.seconds, found.train_sentences) == (600, 360.0, 250_000)


def test_the_papers_size_takes_as_many_passes() -> None:
    found = sweep_scale([RUN, made_run("unif", 0.5, 0.5, 0.5)])
    assert found.hours == pytest.approx(0.2)
    assert found.tokens == pytest.approx(2 * 600 * 1280)
    hours = found.tokens * 2 / 5000 / 3600  # twice the sentences, at our pace
    assert at_the_papers_size(found, 5000) == pytest.approx(hours)
    assert at_the_papers_size(found, 50_000) == pytest.approx(hours / 10)


def test_without_a_log_nothing_is_made_up() -> None:
    short = made_run("constrained", 0.4, 0.5, 0.5, kept_course=())
    found = sweep_scale([short])
    assert found.tokens is None
    assert found.tokens_per_second is None
    assert at_the_papers_size(found, 1000) is None
