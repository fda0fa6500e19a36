"""Parallel map over worker processes, with results in order and bounded memory."""

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import TypeVar

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")


def map_in_order(
    function: Callable[[ItemT], ResultT], items: Iterable[ItemT], *, processes: int
) -> Iterator[ResultT]:
    """Apply `function` to each item in worker processes; yield the results in order.

    Items are consumed only as results are taken, so an endless iterable is allowed.
    """
    if processes <= 1:
        yield from map(function, items)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, initializer=_ignore_interrupts) as pool:
        pending: deque[Future[ResultT]] = deque()
        try:
            for item in items:
                pending.append(pool.submit(function, item))
                if len(pending) >= 3 * processes:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def available_cpus() -> int:
    """Return the number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _ignore_interrupts() -> None:
    """Ignore Ctrl-C in a worker: the parent process handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
