"""Counting tokens in bounded memory.

Counts live in a dictionary until it grows too large, then move to disk in sorted
order; at the end the sorted pieces are merged and only the most frequent kept.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path


class TokenCounter:
    """Counts tokens; holds at most `max_types` of them in memory."""

    def __init__(self, folder: Path, *, max_types: int = 1_000_000) -> None:
        self._folder = folder
        self._max_types = max_types
        self._counts: Counter[str] = Counter()
        self._spilled: list[Path] = []

    def add(self, tokens: Iterable[str]) -> None:
        """Count each of the tokens once."""
        self._counts.update(tokens)
        if len(self._counts) > self._max_types:
            self._spill()

    def mention(self, tokens: Iterable[str]) -> None:
        """Take the tokens up without counting them."""
        for token in tokens:
            self._counts.setdefault(token, 0)
        if len(self._counts) > self._max_types:
            self._spill()

    def most_frequent(self, limit: int) -> dict[str, int]:
        """Return at most `limit` tokens with their counts, by falling count, then by name."""
        ranked = heapq.nsmallest(limit, self._merged(), key=lambda pair: (-pair[1], pair[0]))
        return dict(ranked)

    def _merged(self) -> Iterator[tuple[str, int]]:
        if not self._spilled:
            yield from self._counts.items()
            return
        self._spill()
        pieces = [_read(path) for path in self._spilled]
        for token, pairs in groupby(heapq.merge(*pieces, key=itemgetter(0)), key=itemgetter(0)):
            yield token, sum(count for _, count in pairs)

    def _spill(self) -> None:
        path = self._folder / f"counts-{len(self._spilled)}"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(f"{token} {count}\n" for token, count in sorted(self._counts.items()))
        self._spilled.append(path)
        self._counts.clear()


def _read(path: Path) -> Iterator[tuple[str, int]]:
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            token, count = line.rstrip("\n").split(" ")
            yield token, int(count)
