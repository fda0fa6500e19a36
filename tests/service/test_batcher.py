import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest

from tersely.service.batcher import Batcher, ClosedError, IsCancelled, QueueFullError


class Worker:
    """Processing that waits for a gate and stores its batches."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.started = threading.Event()
        self.batches: list[tuple[str, list[int]]] = []
        self.is_cancelled: IsCancelled = lambda: False

    def __call__(self, group: str, items: Sequence[int], is_cancelled: IsCancelled) -> list[int]:
        self.batches.append((group, list(items)))
        self.is_cancelled = is_cancelled
        self.started.set()
        assert self.gate.wait(60)
        if 13 in items:
            raise ValueError("13")
        return [10 * item for item in items]


Test = Callable[[Worker, Batcher[str, int, int]], Coroutine[Any, Any, None]]


def with_batcher(test: Test, *, batch_size: int = 4, queue_limit: int = 100) -> Worker:
    """Run a test with a batcher that is closed at its end."""
    work = Worker()

    async def run() -> None:
        batcher = Batcher(work, batch_size=lambda group: batch_size, queue_limit=queue_limit)
        batcher.start()
        try:
            await asyncio.wait_for(test(work, batcher), 60)
        finally:
            work.gate.set()
            batcher.close()

    asyncio.run(run())
    return work


async def started(work: Worker) -> None:
    await asyncio.to_thread(work.started.wait, 60)


def submit(
    batcher: Batcher[str, int, int], *items: int, group: str = "a"
) -> asyncio.Task[list[int]]:
    return asyncio.ensure_future(batcher.submit([(group, item) for item in items]))


def test_a_single_request_is_processed_at_once_and_alone() -> None:
    async def test(work: Worker, batcher: Batcher[str, int, int]) -> None:
        work.gate.set()
        assert await batcher.submit([("a", 1)]) == [10]
        assert await batcher.submit([("a", 2)]) == [20]

    assert with_batcher(test).batches == [("a", [1]), ("a", [2])]


def test_waiting_requests_form_batches_up_to_the_batch_size() -> None:
    async def test(work: Worker, batcher: Batcher[str, int, int]) -> None:
        tasks = [submit(batcher, 0)]
        await started(work)
        tasks += [submit(batcher, item) for item in range(1, 7)]
        await asyncio.sleep(0)
        assert batcher.queue_length == 6
        assert batcher.busy_seconds > 0
        work.gate.set()
        assert await asyncio.gather(*tasks) == [[10 * item] for item in range(7)]
        assert batcher.queue_length == 0

    assert with_batcher(test).batches == [("a", [0]), ("a", [1, 2, 3, 4]), ("a", [5, 6])]


def test_a_batch_holds_one_group_and_the_queue_keeps_its_order() -> None:
    async def test(work: Worker, batcher: Batcher[str, int, int]) -> None:
        tasks = [submit(batcher, 0)]
        await started(work)
        for item, group in [(1, "a"), (2, "b"), (3, "a"), (4, "b"), (5, "c")]:
            tasks.append(submit(batcher, item, group=group))
        await asyncio.sleep(0)
        work.gate.set()
        assert await asyncio.gather(*tasks) == [[10 * item] for item in range(6)]

    assert with_batcher(test).batches[1:] == [("a", [1, 3]), ("b", [2, 4]), ("c", [5])]


def test_a_request_beyond_the_queue_limit_is_refused_as_a_whole() -> None:
    async def test(work: Worker, batcher: Batcher[str, int, int]) -> None:
        first = submit(batcher, 0)
        await started(work)
        second = submit(batcher, 1, 2)
        await asyncio.sleep(0)
        with pytest.raises(QueueFullError):
            await batcher.submit([("a", 3), ("a", 4)])
        third = submit(batcher, 5)
        await asyncio.sleep(0)
        work.gate.set()
        assert list(await asyncio.gather(first, second, third)) == [[0], [10, 20], [50]]

    with_batcher(test, queue_limit=3)


def test_cancelled_requests_are_dropped_and_make_room() -> None:
    async def test(work: Worker, batcher: Batcher[str, int, int]) -> None:
        first = submit(batcher, 0)
        await started(work)
        left = [submit(batcher, item) for item in (1, 2, 3)]
        await asyncio.sleep(0)
        for task in left:
            task.cancel()
        await asyncio.sleep(0)
        later = submit(batcher, 4)
        await asyncio.sleep(0)
        work.gate.set()
        assert list(await asyncio.gather(first, later)) == [[0], [40]]

    assert with_batcher(test, queue_limit=3).batches == [("a", [0]), ("a", [4])]


def test_a_running_batch_can_check_whether_it_is_cancelled() -> None:
    async def test(work: Worker, batcher: Batcher[str, int, int]) -> None:
        task = submit(batcher, 0)
        await started(work)
        assert not work.is_cancelled()
        task.cancel()
        await asyncio.sleep(0)
        assert work.is_cancelled()

    with_batcher(test)


def test_a_request_that_fails_does_not_fail_the_others_of_its_batch() -> None:
    async def test(work: Worker, batcher: Batcher[str, int, int]) -> None:
        tasks = [submit(batcher, 0)]
        await started(work)
        tasks += [submit(batcher, item) for item in (1, 13, 2)]
        await asyncio.sleep(0)
        work.gate.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert [results[0], results[1], results[3]] == [[0], [10], [20]]
        assert isinstance(results[2], ValueError)

    assert with_batcher(test).batches[1:] == [
        ("a", [1, 13, 2]),
        ("a", [1]),
        ("a", [13]),
        ("a", [2]),
    ]


def test_a_closed_batcher_processes_its_queue_and_takes_no_more() -> None:
    async def test(work: Worker, batcher: Batcher[str, int, int]) -> None:
        tasks = [submit(batcher, item) for item in range(3)]
        await started(work)
        batcher.close()
        with pytest.raises(ClosedError):
            await batcher.submit([("a", 9)])
        work.gate.set()
        assert await asyncio.gather(*tasks) == [[0], [10], [20]]

    with_batcher(test)


def test_batch_sizes_are_reported() -> None:
    async def run() -> list[int]:
        sizes: list[int] = []
        batcher: Batcher[str, int, int] = Batcher(
            lambda group, items, is_cancelled: items,
            batch_size=lambda group: 4,
            queue_limit=10,
            on_batch=sizes.append,
        )
        batcher.start()
        await batcher.submit([("a", 1), ("a", 2)])
        batcher.close()
        return sizes

    assert asyncio.run(run()) == [2]
