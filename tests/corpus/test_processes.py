from collections.abc import Generator, Iterator

import pytest

from tersely.corpus.processes import available_cpus, map_in_order


def double(number: int) -> int:
    if number < 0:
        raise ValueError("negative")
    return 2 * number


@pytest.mark.parametrize("processes", [1, 2])
def test_results_come_in_order(processes: int) -> None:
    assert list(map_in_order(double, range(50), processes=processes)) == list(range(0, 100, 2))


def test_items_are_consumed_only_as_needed() -> None:
    taken = []

    def numbers() -> Iterator[int]:
        for number in range(10_000):
            taken.append(number)
            yield number

    results = map_in_order(double, numbers(), processes=2)
    assert next(results) == 0
    assert len(taken) <= 8
    assert isinstance(results, Generator)
    results.close()


def test_an_error_in_a_worker_is_raised() -> None:
    with pytest.raises(ValueError, match="negative"):
        list(map_in_order(double, [1, -1, 2], processes=2))


def test_at_least_one_cpu_is_available() -> None:
    assert available_cpus() >= 1
