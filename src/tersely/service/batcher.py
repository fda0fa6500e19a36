"""Batcher: requests that wait while the model is busy are answered together.

One thread works; whenever it is free it takes what waits, at most so many and only what
can be answered together, and never waits for more to come. Without load a request is
thus taken at once, alone; under load batches fill by themselves while the thread works.

How many may wait is bounded. A request that nobody waits for any more, since its time is
up or its client has gone, is dropped; the work is told, and may stop in the middle.
"""

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Group = TypeVar("Group", bound=Hashable)
Item = TypeVar("Item")
Result = TypeVar("Result")
Wanted = Callable[[], bool]

LOGGER = logging.getLogger("tersely.service")


class QueueFullError(Exception):
    """More would have to wait than may."""


class ClosedError(Exception):
    """The batcher works no more."""


@dataclass(frozen=True, slots=True)
class _Waiting(Generic[Group, Item]):
    group: Group
    item: Item
    answer: "asyncio.Future[Any]"


class Batcher(Generic[Group, Item, Result]):
    """A thread that answers items in batches; belongs to one event loop.

    `work` answers items of one group, in order; `together` tells how many of a group may be
    answered at once.
    """

    def __init__(
        self,
        work: Callable[[Group, Sequence[Item], Wanted], Sequence[Result]],
        *,
        together: Callable[[Group], int],
        queue_limit: int,
        observe: Callable[[int], None] = lambda size: None,
    ) -> None:
        self._work = work
        self._together = together
        self._queue_limit = queue_limit
        self._observe = observe
        self._queue: deque[_Waiting[Group, Item]] = deque()
        self._changed = threading.Condition()
        self._is_closed = False
        self._busy_since: float | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to work, for the loop that is running."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name="tersely-batcher", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take no more; what waits is still answered. A stuck work does not hold anyone up."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._queue)

    @property
    def busy_seconds(self) -> float:
        """For how long the batch in hand has been worked on."""
        since = self._busy_since
        return 0.0 if since is None else time.monotonic() - since

    async def submit(self, asked: Sequence[tuple[Group, Item]]) -> list[Result]:
        """Have items answered; all of them are taken, or none and QueueFullError is raised.

        Cancelling this takes them back.
        """
        loop = asyncio.get_running_loop()
        waiting = [_Waiting(group, item, loop.create_future()) for group, item in asked]
        with self._changed:
            if self._is_closed or self._thread is None:
                raise ClosedError
            self._forget_unwanted()
            if len(self._queue) + len(waiting) > self._queue_limit:
                raise QueueFullError
            self._queue.extend(waiting)
            self._changed.notify()
        return list(await asyncio.gather(*(one.answer for one in waiting)))

    def _forget_unwanted(self) -> None:
        """Make room by what nobody waits for; only looked for where room is scarce."""
        if len(self._queue) >= self._queue_limit // 2:
            self._queue = deque(one for one in self._queue if not one.answer.done())

    def _run(self) -> None:
        while batch := self._take():
            group = batch[0].group
            self._busy_since = time.monotonic()
            answers = self._answer(group, batch)
            self._busy_since = None
            assert self._loop is not None
            try:
                self._loop.call_soon_threadsafe(_deliver, batch, answers)
            except RuntimeError:
                return  # the loop is gone, and whoever waited with it

    def _take(self) -> list[_Waiting[Group, Item]]:
        """The next batch; empty once all is done."""
        with self._changed:
            while True:
                while self._queue and self._queue[0].answer.done():
                    self._queue.popleft()
                if self._queue:
                    return self._next_batch()
                if self._is_closed:
                    return []
                self._changed.wait()

    def _next_batch(self) -> list[_Waiting[Group, Item]]:
        """The one that waits longest, and the next of its group; all others keep their order."""
        group = self._queue[0].group
        most = self._together(group)
        batch: list[_Waiting[Group, Item]] = []
        others: deque[_Waiting[Group, Item]] = deque()
        for one in self._queue:
            if one.answer.done():
                continue
            is_taken = len(batch) < most and one.group == group
            (batch if is_taken else others).append(one)
        self._queue = others
        return batch

    def _answer(self, group: Group, batch: Sequence[_Waiting[Group, Item]]) -> list[Any]:
        """Each one's result or error; if a batch fails, each is tried alone."""
        self._observe(len(batch))
        try:
            return list(
                self._work(
                    group,
                    [one.item for one in batch],
                    lambda: any(not one.answer.done() for one in batch),
                )
            )
        except Exception as error:
            if len(batch) == 1 or all(one.answer.done() for one in batch):
                return [error] * len(batch)
            LOGGER.warning("a batch failed; each is tried alone", exc_info=True)
            return [answer for one in batch for answer in self._answer(group, [one])]


def _deliver(batch: Sequence[_Waiting[Any, Any]], answers: Sequence[Any]) -> None:
    for one, answer in zip(batch, answers, strict=True):
        if one.answer.done():
            continue
        if isinstance(answer, Exception):
            one.answer.set_exception(answer)
        else:
            one.answer.set_result(answer)
