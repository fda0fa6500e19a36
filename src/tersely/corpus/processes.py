"""Work shared among processes: results come in order, few are ever under way."""

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


def map_in_order(
    work: Callable[[Given], Made], items: Iterable[Given], *, processes: int
) -> Iterator[Made]:
    """Apply `work` to each item in other processes; yield the results in the items' order.

    Items are taken up only as results are fetched, so an endless stream is fine.
    """
    if processes <= 1:
        yield from map(work, items)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, initializer=_leave_interrupts_to_parent) as pool:
        under_way: deque[Future[Made]] = deque()
        try:
            for item in items:
                under_way.append(pool.submit(work, item))
                if len(under_way) >= 3 * processes:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def processors() -> int:
    """Count the processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _leave_interrupts_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
