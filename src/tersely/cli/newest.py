"""Newest: work in the background on what was asked last; answers that came too late are dropped.

Whoever types asks anew with every key. Only the newest question matters: one that waits is
replaced, and an answer to one that has been replaced is not delivered.
"""

from collections.abc import Callable
from threading import Condition, Thread
from typing import Generic, TypeVar

AnswerT = TypeVar("AnswerT")


class Newest(Generic[AnswerT]):
    """A thread that answers; `deliver` is called on it with question and answer."""

    def __init__(
        self, work: Callable[[str], AnswerT], deliver: Callable[[str, AnswerT], None]
    ) -> None:
        self._work, self._deliver = work, deliver
        self._changed = Condition()
        self._waiting: str | None = None
        self._is_open = True
        self._thread = Thread(target=self._run, name="newest", daemon=True)
        self._thread.start()

    def ask(self, question: str) -> None:
        """Answer this next, whatever else was to be answered."""
        with self._changed:
            self._waiting = question
            self._changed.notify()

    def close(self) -> None:
        """Deliver nothing more; wait for what is being worked on."""
        with self._changed:
            self._is_open = False
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting is not None or not self._is_open)
                if not self._is_open or self._waiting is None:
                    return
                question, self._waiting = self._waiting, None
            answer = self._work(question)
            with self._changed:
                is_wanted = self._is_open and self._waiting is None
            if is_wanted:
                self._deliver(question, answer)
