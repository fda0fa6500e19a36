"""Work: how many multiply-adds the runtimes' matrix products take, counted as they happen.

The layers' methods are watched while a block runs, so that what search never asks for (a
cluster of rare words that cannot compete) is not counted either. What is no matrix product
counts nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tersely.runtime.adaptive_softmax import VocabularySoftmax
from tersely.runtime.embedding_cache import MAX_CACHED_ROWS, ProjectedEmbeddings
from tersely.runtime.lstm import Lstm
from tersely.runtime.monotone import MonotoneRuntime
from tersely.runtime.paper import PaperRuntime

Product = tuple[int, int]  # (k, n) of a product of (rows × k) and (k × n)


class Work:
    """Calls and rows of each product, and how many steps the decoder took."""

    def __init__(self) -> None:
        self.calls: defaultdict[Product, int] = defaultdict(int)
        self.rows: defaultdict[Product, int] = defaultdict(int)
        self.steps = 0
        self.step_rows = 0

    def add(self, rows: int, *products: Product) -> None:
        """Count some products of so many rows."""
        for product in products:
            self.calls[product] += 1
            self.rows[product] += rows

    @property
    def multiply_adds(self) -> int:
        """All of them."""
        return sum(rows * k * n for (k, n), rows in self.rows.items())

    def as_dict(self) -> dict[str, Any]:
        """As JSON holds it; a product is named by rows (in the mean), k and n."""
        return {
            "steps": self.steps,
            "rows_a_step": self.step_rows / max(1, self.steps),
            "multiply_adds": self.multiply_adds,
            "products": [
                {"rows": rows / self.calls[k, n], "k": k, "n": n, "calls": self.calls[k, n]}
                for (k, n), rows in sorted(self.rows.items())
            ],
        }


@contextmanager
def counted() -> Iterator[Work]:
    """Count the products of all runtimes as long as the block lasts."""
    work = Work()
    watchers: dict[tuple[type, str], Callable[..., None]] = {
        (Lstm, "step"): lambda own, given, *_: work.add(len(given), own.recurrence.shape),
        (Lstm, "run"): lambda own, given, *_: work.add(given[..., 0].size, own.inputs.shape),
        (VocabularySoftmax, "head_scores"): lambda own, given: work.add(len(given), own.head.shape),
        (VocabularySoftmax, "tail_scores"): lambda own, given, cluster: work.add(
            len(given), *(part.shape for part in own.tails[cluster])
        ),
        (ProjectedEmbeddings, "project"): lambda own, words: _words(work, own, words),
        (ProjectedEmbeddings, "_project_token"): lambda own, _: work.add(1, own.inputs.shape),
        (MonotoneRuntime, "step"): lambda own, state, _: _monotone_step(work, own, state),
        (PaperRuntime, "step"): lambda own, state, _: _paper_step(work, own, state),
    }
    originals = {(kind, name): getattr(kind, name) for kind, name in watchers}
    try:
        for (kind, name), watch in watchers.items():
            setattr(kind, name, _watched(originals[kind, name], watch))
        yield work
    finally:
        for (kind, name), original in originals.items():
            setattr(kind, name, original)


def _watched(method: Callable[..., Any], watch: Callable[..., None]) -> Callable[..., Any]:
    def watched(own: Any, *given: Any, **named: Any) -> Any:
        watch(own, *given)
        return method(own, *given, **named)

    return watched


def _monotone_step(work: Work, runtime: MonotoneRuntime, state: Any) -> None:
    shape, rows = runtime.shape, len(state.hidden)
    work.steps += 1
    work.step_rows += rows
    units = shape.decoder_units
    work.add(rows, (units, 1))


def _words(work: Work, projected: ProjectedEmbeddings, words: Any) -> None:
    """Of a few words, only those that were not kept are multiplied."""
    if len(words) > MAX_CACHED_ROWS:
        work.add(len(words), projected.inputs.shape)


def _paper_step(work: Work, runtime: PaperRuntime, state: Any) -> None:
    shape, rows = runtime.shape, len(state.hidden)
    work.steps += 1
    work.step_rows += rows
    units, reader, embedding = shape.decoder_units, shape.reader_units, shape.embedding_units
    work.add(
        rows,
        (units, reader),
        (reader + units, units),
        (reader + units + embedding, 1),
    )
