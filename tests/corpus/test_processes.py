import pytest

from tersely.corpus.processes import map_in_order, processors


def double(number: int) -> int:
    if number < 0:
        raise ValueError("negative")
    return 2 * number


@pytest.mark.parametrize("processes", [1, 2])
def test_results_come_in_order(processes: int) -> None:
    assert list(map_in_order(double, range(50), processes=processes)) == list(range(0, 100, 2))


def test_an_endless_stream_is_taken_up_only_as_needed() -> None:
    taken = []

    def numbers():
        for number in range(10_000):
            taken.append(number)
            yield number

    results = map_in_order(double, numbers(), processes=2)
    assert next(results) == 0
    assert len(taken) <= 8
    results.close()


def test_a_failing_worker_fails_the_whole() -> None:
    with pytest.raises(ValueError, match="negative"):
        list(map_in_order(double, [1, -1, 2], processes=2))


def test_there_is_a_processor() -> None:
    assert processors() >= 1
