import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest

from tersely.service.batcher import Batcher, ClosedError, QueueFullError, Wanted


class Worker:
    """Work that waits for a gate, and keeps what it was given."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.begun = threading.Event()
        self.batches: list[tuple[str, list[int]]] = []
        self.wanted: Wanted = lambda: True

    def __call__(self, group: str, items: Sequence[int], is_wanted: Wanted) -> list[int]:
        self.batches.append((group, list(items)))
        self.wanted = is_wanted
        self.begun.set()
        assert self.gate.wait(60)
        if 13 in items:
            raise ValueError("13")
        return [10 * item for item in items]


Test = Callable[[Worker, Batcher[str, int, int]], Coroutine[Any, Any, None]]


def with_batcher(test: Test, *, together: int = 4, queue_limit: int = 100) -> Worker:
    """Run a test with a batcher that works until the end of it."""
    work = Worker()

    async def run() -> None:
        batcher = Batcher(work, together=lambda group: together, queue_limit=queue_limit)
        batcher.start()
        try:
            await asyncio.wait_for(test(work, batcher), 60)
        finally:
            work.gate.set()
            batcher.close()

    asyncio.run(run())
    return work


async def begun(work: Worker) -> None:
    await asyncio.to_thread(work.begun.wait, 60)


def ask(batcher: Batcher[str, int, int], *items: int, group: str = "a") -> asyncio.Task[list[int]]:
    return asyncio.ensure_future(batcher.submit([(group, item) for item in items]))


def test_one_request_is_taken_at_once_and_alone() -> None:
    async def test(work: Worker, batcher: Batcher[str, int, int]) -> None:
        work.gate.set()
        assert await batcher.submit([("a", 1)]) == [10]
        assert await batcher.submit([("a", 2)]) == [20]

    assert with_batcher(test).batches == [("a", [1]), ("a", [2])]


def test_what_waits_is_answered_together_at_most_so_many() -> None:
    async def test(work: Worker, batcher: Batcher[str, int, int]) -> None:
        tasks = [ask(batcher, 0)]
        await begun(work)
        tasks += [ask(batcher, item) for item in range(1, 7)]
        await asyncio.sleep(0)
        assert batcher.waiting == 6
        assert batcher.busy_seconds > 0
        work.gate.set()
        assert await asyncio.gather(*tasks) == [[10 * item] for item in range(7)]
        assert batcher.waiting == 0

    assert with_batcher(test).batches == [("a", [0]), ("a", [1, 2, 3, 4]), ("a", [5, 6])]


def test_only_what_belongs_together_is_and_nobody_is_passed_over() -> None:
    async def test(work: Worker, batcher: Batcher[str, int, int]) -> None:
        tasks = [ask(batcher, 0)]
        await begun(work)
        for item, group in [(1, "a"), (2, "b"), (3, "a"), (4, "b"), (5, "c")]:
            tasks.append(ask(batcher, item, group=group))
        await asyncio.sleep(0)
        work.gate.set()
        assert await asyncio.gather(*tasks) == [[10 * item] for item in range(6)]

    assert with_batcher(test).batches[1:] == [("a", [1, 3]), ("b", [2, 4]), ("c", [5])]


def test_beyond_the_limit_all_of_a_request_is_refused() -> None:
    async def test(work: Worker, batcher: Batcher[str, int, int]) -> None:
        first = ask(batcher, 0)
        await begun(work)
        second = ask(batcher, 1, 2)
        await asyncio.sleep(0)
        with pytest.raises(QueueFullError):
            await batcher.submit([("a", 3), ("a", 4)])
        third = ask(batcher, 5)
        await asyncio.sleep(0)
        work.gate.set()
        assert await asyncio.gather(first, second, third) == [[0], [10, 20], [50]]

    with_batcher(test, queue_limit=3)


def test_what_nobody_waits_for_is_dropped_and_makes_room() -> None:
    async def test(work: Worker, batcher: Batcher[str, int, int]) -> None:
        first = ask(batcher, 0)
        await begun(work)
        left = [ask(batcher, item) for item in (1, 2, 3)]
        await asyncio.sleep(0)
        for task in left:
            task.cancel()
        await asyncio.sleep(0)
        later = ask(batcher, 4)
        await asyncio.sleep(0)
        work.gate.set()
        assert await asyncio.gather(first, later) == [[0], [40]]

    assert with_batcher(test, queue_limit=3).batches == [("a", [0]), ("a", [4])]


def test_the_work_is_told_when_nobody_waits_any_more() -> None:
    async def test(work: Worker, batcher: Batcher[str, int, int]) -> None:
        task = ask(batcher, 0)
        await begun(work)
        assert work.wanted()
        task.cancel()
        await asyncio.sleep(0)
        assert not work.wanted()

    with_batcher(test)


def test_one_that_fails_does_not_fail_the_others() -> None:
    async def test(work: Worker, batcher: Batcher[str, int, int]) -> None:
        tasks = [ask(batcher, 0)]
        await begun(work)
        tasks += [ask(batcher, item) for item in (1, 13, 2)]
        await asyncio.sleep(0)
        work.gate.set()
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        assert [answers[0], answers[1], answers[3]] == [[0], [10], [20]]
        assert isinstance(answers[2], ValueError)

    assert with_batcher(test).batches[1:] == [
        ("a", [1, 13, 2]),
        ("a", [1]),
        ("a", [13]),
        ("a", [2]),
    ]


def test_a_closed_batcher_answers_what_waits_and_takes_no_more() -> None:
    async def test(work: Worker, batcher: Batcher[str, int, int]) -> None:
        tasks = [ask(batcher, item) for item in range(3)]
        await begun(work)
        batcher.close()
        with pytest.raises(ClosedError):
            await batcher.submit([("a", 9)])
        work.gate.set()
        assert await asyncio.gather(*tasks) == [[0], [10], [20]]

    with_batcher(test)


def test_sizes_are_observed() -> None:
    async def run() -> list[int]:
        sizes: list[int] = []
        batcher = Batcher(
            lambda group, items, is_wanted: items,
            together=lambda group: 4,
            queue_limit=10,
            observe=sizes.append,
        )
        batcher.start()
        await batcher.submit([("a", 1), ("a", 2)])
        batcher.close()
        return sizes

    assert asyncio.run(run()) == [2]
