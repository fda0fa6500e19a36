"""Batcher: requests that wait while the model is busy are processed in one batch.

One thread does the work. Whenever it is free, it takes the oldest request and those in the
queue that have the same group, up to a batch size. It never waits for more requests: an idle
service processes a request at once, alone, and under load batches fill while the thread works.

The queue is bounded. Requests that were cancelled, because their deadline has passed or their
client has disconnected, are dropped from the queue; a running batch can check whether all of
its requests were.
"""

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

GroupT = TypeVar("GroupT", bound=Hashable)
ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")
IsCancelled = Callable[[], bool]

LOGGER = logging.getLogger("tersely.service")


class QueueFullError(Exception):
    """The queue has no room for the request."""


class ClosedError(Exception):
    """The batcher takes no more requests."""


@dataclass(frozen=True, slots=True)
class _Pending(Generic[GroupT, ItemT]):
    """An item in the queue and the future of its result; the future is done if cancelled."""

    group: GroupT
    item: ItemT
    result: "asyncio.Future[Any]"


class Batcher(Generic[GroupT, ItemT, ResultT]):
    """A thread that processes items in batches; belongs to one event loop.

    - `process` returns the results of items of one group, in order. Its third argument is a
      function that returns whether nobody waits for the batch any more.
    - `batch_size` returns how many items of a group may form a batch.
    - `on_batch` receives the size of each batch.
    """

    def __init__(
        self,
        process: Callable[[GroupT, Sequence[ItemT], IsCancelled], Sequence[ResultT]],
        *,
        batch_size: Callable[[GroupT], int],
        queue_limit: int,
        on_batch: Callable[[int], None] = lambda size: None,
    ) -> None:
        self._process = process
        self._batch_size = batch_size
        self._queue_limit = queue_limit
        self._on_batch = on_batch
        self._queue: deque[_Pending[GroupT, ItemT]] = deque()
        self._changed = threading.Condition()
        self._is_closed = False
        self._busy_since: float | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread; results are delivered to the running event loop."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name="tersely-batcher", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take no more items. The queue is still processed; this does not wait for it."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()

    @property
    def queue_length(self) -> int:
        """Number of items in the queue."""
        return len(self._queue)

    @property
    def busy_seconds(self) -> float:
        """Seconds since the current batch was started; 0 if there is none."""
        since = self._busy_since
        return 0.0 if since is None else time.monotonic() - since

    async def submit(self, items: Sequence[tuple[GroupT, ItemT]]) -> list[ResultT]:
        """Return the results of items; if the queue has no room for all, QueueFullError.

        Cancelling this call cancels the items.
        """
        loop = asyncio.get_running_loop()
        pending = [_Pending(group, item, loop.create_future()) for group, item in items]
        with self._changed:
            if self._is_closed or self._thread is None:
                raise ClosedError
            self._drop_cancelled()
            if len(self._queue) + len(pending) > self._queue_limit:
                raise QueueFullError
            self._queue.extend(pending)
            self._changed.notify()
        return list(await asyncio.gather(*(entry.result for entry in pending)))

    def _drop_cancelled(self) -> None:
        """Remove cancelled items; the queue is searched only if it is half full."""
        if len(self._queue) >= self._queue_limit // 2:
            self._queue = deque(entry for entry in self._queue if not entry.result.done())

    def _run(self) -> None:
        while batch := self._wait_for_batch():
            self._busy_since = time.monotonic()
            results = self._process_batch(batch)
            self._busy_since = None
            assert self._loop is not None
            try:
                self._loop.call_soon_threadsafe(_deliver, batch, results)
            except RuntimeError:
                return  # the event loop is closed, and with it all requests

    def _wait_for_batch(self) -> list[_Pending[GroupT, ItemT]]:
        """Return the next batch; an empty one if the batcher is closed and the queue empty."""
        with self._changed:
            while True:
                while self._queue and self._queue[0].result.done():
                    self._queue.popleft()
                if self._queue:
                    return self._take_batch()
                if self._is_closed:
                    return []
                self._changed.wait()

    def _take_batch(self) -> list[_Pending[GroupT, ItemT]]:
        """Take the oldest item and the next ones of its group; the others keep their order."""
        group = self._queue[0].group
        size = self._batch_size(group)
        batch: list[_Pending[GroupT, ItemT]] = []
        rest: deque[_Pending[GroupT, ItemT]] = deque()
        for entry in self._queue:
            if entry.result.done():
                continue
            is_taken = len(batch) < size and entry.group == group
            (batch if is_taken else rest).append(entry)
        self._queue = rest
        return batch

    def _process_batch(self, batch: Sequence[_Pending[GroupT, ItemT]]) -> list[Any]:
        """Return the result or the exception of each item; retry a failed batch one by one."""
        self._on_batch(len(batch))

        def is_cancelled() -> bool:
            return all(entry.result.done() for entry in batch)

        try:
            return list(
                self._process(batch[0].group, [entry.item for entry in batch], is_cancelled)
            )
        except Exception as error:
            if len(batch) == 1 or is_cancelled():
                return [error] * len(batch)
            LOGGER.warning("a batch failed; its requests are retried one by one", exc_info=True)
            return [result for entry in batch for result in self._process_batch([entry])]


def _deliver(batch: Sequence[_Pending[Any, Any]], results: Sequence[Any]) -> None:
    for entry, result in zip(batch, results, strict=True):
        if entry.result.done():
            continue
        if isinstance(result, Exception):
            entry.result.set_exception(result)
        else:
            entry.result.set_result(result)
