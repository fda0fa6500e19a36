"""Cache: answers given lately, so that the same question costs nothing the second time."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Cache(Generic[Key, Value]):
    """The last so many answers; of a full cache the one unused longest goes. For one thread."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._answers: OrderedDict[Key, Value] = OrderedDict()

    def __len__(self) -> int:
        return len(self._answers)

    def get(self, key: Key) -> Value | None:
        """The answer, if it is still known."""
        answer = self._answers.get(key)
        if answer is not None:
            self._answers.move_to_end(key)
        return answer

    def keep(self, key: Key, answer: Value) -> None:
        """Remember an answer."""
        self._answers[key] = answer
        self._answers.move_to_end(key)
        while len(self._answers) > self._size:
            self._answers.popitem(last=False)
