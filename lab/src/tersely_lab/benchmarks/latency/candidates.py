"""Candidates of ours that complete queries, each as a process of its own, as the peers are.

    python -m tersely_lab.benchmarks.latency.candidates NAME TASK.json

NAME is `served` (the model with its default options: suggestions of any length), `model`
(suggestions of the query's length), `full` or `adaptive` (a model of the paper's size with that
softmax), or `batch` (`complete_batch`). Besides time, each counts the multiply-adds of its matrix
products.
"""

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tersely.completion.completer import Completer
from tersely.decoding.beam import BeamOptions
from tersely.errors import TerselyError
from tersely.runtime.adaptive_softmax import VocabularySoftmax
from tersely.runtime.embedding_cache import MAX_CACHED_ROWS, ProjectedEmbeddings
from tersely.runtime.lstm import Lstm
from tersely.runtime.monotone import MonotoneRuntime
from tersely.runtime.paper import PaperRuntime
from tersely.text.vocabulary import BOS_ID, EOS_ID, PAD_ID, UNK_ID
from tersely_lab.benchmarks.latency.peer import Complete, time_queries
from tersely_lab.benchmarks.latency.queries import Query
from tersely_lab.benchmarks.paper_size import Softmax, random_paper_model

BATCH_SIZE = 64
COUNTED_QUERIES = 20
"""Queries whose matrix products are counted, apart from those that are timed."""
Extents = tuple[int, int]
"""(k, n) of a product of (rows × k) and (k × n)."""


def main(arguments: list[str]) -> int:
    """Complete the queries of a task; the last line printed is the outcome as JSON."""
    name, path = arguments
    task = json.loads(Path(path).read_text(encoding="utf-8"))
    try:
        outcome = _time_batches(task) if name == "batch" else _time_single_queries(name, task)
    except TerselyError as error:
        print(json.dumps({"error": str(error)}))
        return error.exit_code
    print(json.dumps(outcome))
    return 0


def _time_single_queries(name: str, task: dict[str, Any]) -> dict[str, Any]:
    if name in ("served", "model"):
        completer = _load(task)
        complete = _default(completer, task) if name == "served" else _forced(completer, task, "")
    else:
        softmax: Softmax = "full" if name == "full" else "adaptive"
        model = random_paper_model(softmax, units=task["units"], vocabulary=task["vocabulary"])
        completer = Completer(model)
        complete = _forced(completer, task, "w")
    outcome = time_queries(task, complete)
    with count_multiply_adds() as work:
        for query in task["queries"][:COUNTED_QUERIES]:
            complete(query)
    parameters = sum(array.size for array in completer.model.tensors.values())
    return {**outcome, "parameters": parameters, "work": work.as_dict()}


def _load(task: dict[str, Any]) -> Completer:
    return Completer.load(Path(task["model"]) if task["model"] else None)


def _default(completer: Completer, task: dict[str, Any]) -> Complete:
    def complete(query: dict[str, Any]) -> int:
        suggestions = completer.complete(" ".join(query["keywords"]), task["count"])
        return len(suggestions[0].tokens)

    return complete


def _forced(completer: Completer, task: dict[str, Any], prefix: str) -> Complete:
    """Return suggestions of the query's length: EOS is forbidden until only EOS may follow."""

    def complete(record: dict[str, Any]) -> int:
        query = Query.from_dict(record)
        numbered = [f"{prefix}{number}" for number in query.numbers]
        beam = BeamOptions(
            width=task["width"],
            n_best=task["count"],
            max_tokens=query.length,
            extra_tokens=0,
            forbidden=(PAD_ID, UNK_ID, BOS_ID, EOS_ID),
        )
        words = numbered if prefix else list(query.keywords)
        return len(completer.beam_decode([words], beam)[0][0].tokens)

    return complete


def _time_batches(task: dict[str, Any]) -> dict[str, Any]:
    """Complete all queries in batches, and count the matrix products."""
    completer = _load(task)
    texts = [" ".join(query["keywords"]) for query in task["queries"]]
    batches = [texts[start : start + BATCH_SIZE] for start in range(0, len(texts), BATCH_SIZE)]
    completer.complete_batch(batches[0], task["count"])
    wall, processor = time.perf_counter(), time.process_time()
    for batch in batches:
        completer.complete_batch(batch, task["count"])
    outcome = {
        "seconds": time.perf_counter() - wall,
        "processor_seconds": time.process_time() - processor,
    }
    with count_multiply_adds() as work:
        for batch in batches:
            completer.complete_batch(batch, task["count"])
    return {**outcome, "batch": BATCH_SIZE, "answers": len(texts), "work": work.as_dict()}


class ProductCounts:
    """Calls and rows of each product, and the steps of the decoder."""

    def __init__(self) -> None:
        self.calls: defaultdict[Extents, int] = defaultdict(int)
        self.rows: defaultdict[Extents, int] = defaultdict(int)
        self.steps = 0
        self.step_rows = 0

    def add(self, rows: int, *products: Extents) -> None:
        """Count products of so many rows."""
        for product in products:
            self.calls[product] += 1
            self.rows[product] += rows

    def add_step(self, rows: int, *products: Extents) -> None:
        """Count a decoder step and its products."""
        self.steps += 1
        self.step_rows += rows
        self.add(rows, *products)

    @property
    def multiply_adds(self) -> int:
        """Return the multiply-adds of all products."""
        return sum(rows * k * n for (k, n), rows in self.rows.items())

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON object; each product with its mean number of rows, k and n."""
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
def count_multiply_adds() -> Iterator[ProductCounts]:
    """Count the products of all runtimes while the block runs, by wrapping methods of the layers.

    A product that search skips (a cluster of rare words that cannot compete) is not counted.
    """
    counts = ProductCounts()
    add = counts.add
    counters: dict[tuple[type, str], Callable[..., None]] = {
        (Lstm, "step"): lambda lstm, inputs, *_: add(len(inputs), lstm.recurrence.shape),
        (Lstm, "run"): lambda lstm, inputs, *_: add(inputs[..., 0].size, lstm.inputs.shape),
        (VocabularySoftmax, "head_scores"): lambda softmax, hidden: add(
            len(hidden), softmax.head.shape
        ),
        (VocabularySoftmax, "tail_scores"): lambda softmax, hidden, cluster: add(
            len(hidden), *(matrix.shape for matrix in softmax.tails[cluster])
        ),
        (ProjectedEmbeddings, "project"): lambda cache, tokens: _project(counts, cache, tokens),
        (ProjectedEmbeddings, "_project_token"): lambda cache, _: add(1, cache.inputs.shape),
        (MonotoneRuntime, "step"): lambda runtime, state, _: counts.add_step(
            len(state.hidden), (runtime.shape.decoder_units, 1)
        ),
        (PaperRuntime, "step"): lambda runtime, state, _: _paper_step(counts, runtime, state),
    }
    originals = {(layer, name): getattr(layer, name) for layer, name in counters}
    try:
        for (layer, name), count in counters.items():
            setattr(layer, name, _counted(originals[layer, name], count))
        yield counts
    finally:
        for (layer, name), original in originals.items():
            setattr(layer, name, original)


def _counted(method: Callable[..., Any], count: Callable[..., None]) -> Callable[..., Any]:
    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        count(self, *args)
        return method(self, *args, **kwargs)

    return counted


def _project(counts: ProductCounts, cache: ProjectedEmbeddings, tokens: Any) -> None:
    """Count a projection of many tokens; of a few, `_project_token` counts the uncached ones."""
    if len(tokens) > MAX_CACHED_ROWS:
        counts.add(len(tokens), cache.inputs.shape)


def _paper_step(counts: ProductCounts, runtime: PaperRuntime, state: Any) -> None:
    shape = runtime.shape
    units, reader, embedding = shape.decoder_units, shape.reader_units, shape.embedding_units
    counts.add_step(
        len(state.hidden),
        (units, reader),
        (reader + units, units),
        (reader + units + embedding, 1),
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
